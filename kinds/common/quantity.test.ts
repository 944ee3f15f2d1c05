import { expect, it } from 'vitest';
import { milli, parseQuantity } from './quantity.ts';

it.each<[string | number, number | undefined]>([
  ['0', 0],
  ['2', 2],
  ['1500m', 1.5],
  ['0.1', 0.1],
  ['.5', 0.5],
  ['4Gi', 4 * 2 ** 30],
  ['1.5Mi', 1.5 * 2 ** 20],
  ['128974848', 128_974_848],
  ['129e6', 129e6],
  ['1E3', 1000],
  ['129M', 129e6],
  ['2k', 2000],
  ['1E', 1e18],
  ['500u', 5e-4],
  ['-3Ki', -3072],
  [7, 7],
  ['', undefined],
  ['Gi', undefined],
  ['4 Gi', undefined],
  ['4gi', undefined],
  ['1e', undefined],
  ['1Kim', undefined],
])('reads %j', (text, amount) => {
  if (amount === undefined) expect(parseQuantity(text)).toBeUndefined();
  else expect(parseQuantity(text)).toBeCloseTo(amount, 9);
});

it.each([
  { amount: 0.1, thousandths: 100 },
  { amount: 0.3, thousandths: 300 },
  { amount: 1.1, thousandths: 1100 },
  { amount: 0.0001, thousandths: 1 },
  { amount: 2.0005, thousandths: 2001 },
])('$amount is $thousandths thousandths', ({ amount, thousandths }) => expect(milli(amount)).toBe(thousandths));
