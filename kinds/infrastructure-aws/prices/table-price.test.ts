import { expect, it } from 'vitest';
import { tablePrice } from './table-price.ts';

it.each([
  { region: 'us-east-1', type: 't3.large', price: 0.0832 },
  { region: 'eu-central-1', type: 'm5.large', price: 0.115 },
  { region: 'us-gov-west-1', type: 'm5.large', price: 0.121 },
  { region: 'us-east-1', type: 'm5', price: undefined },
  { region: 'us-east', type: 'm5.large', price: undefined },
  { region: 'us-gov-west-1', type: 'vt1.3xlarge', price: undefined },
])('the table has $price for $type in $region', ({ region, type, price }) =>
  expect(tablePrice(region, type)).toBe(price));
