import { expect, it } from 'vitest';
import { humanDuration } from './age.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

it.each([
  [-5 * second, '<invalid>'],
  [0, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [5 * minute + 3 * second, '5m3s'],
  [10 * minute + 3 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [3 * hour + 5 * minute, '3h5m'],
  [47 * hour, '47h'],
  [3 * day + 2 * hour, '3d2h'],
  [100 * day, '100d'],
  [3 * 365 * day, '3y'],
  [10 * 365 * day, '10y'],
])('formats %d ms as %s', (ms, text) => expect(humanDuration(ms)).toBe(text));
