import { expect, it } from 'vitest';
import { homeRegion } from './index.ts';

it.each([
  ['eu-west-1', 'us-east-1'],
  ['us-east-2', 'us-east-1'],
  ['us-gov-east-1', 'us-gov-west-1'],
  ['cn-northwest-1', 'cn-north-1'],
  ['of-no-partition-1', 'us-east-1'],
])('the home region of %s is %s', (region, home) => expect(homeRegion(region)).toBe(home));
