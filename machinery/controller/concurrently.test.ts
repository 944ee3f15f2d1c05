import { expect, it } from 'vitest';
import { concurrently } from './concurrently.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('starts tasks in order, up to the limit', async () => {
  const begun: number[] = [];
  let [running, most] = [0, 0];
  await concurrently(3, [1, 2, 3, 4, 5, 6, 7], async (one) => {
    begun.push(one);
    most = Math.max(most, ++running);
    await turn();
    running--;
  });
  expect([begun, most]).toEqual([[1, 2, 3, 4, 5, 6, 7], 3]);
});

it('starts no task after an error, and waits for running ones', async () => {
  let running = 0;
  const begun: number[] = [];
  const run = concurrently(2, [1, 2, 3, 4, 5], async (one) => {
    begun.push(one);
    running++;
    if (one === 2) {
      running--;
      throw new Error('no');
    }
    await turn();
    running--;
  });
  await expect(run).rejects.toThrow('no');
  expect([begun, running]).toEqual([[1, 2], 0]);
});
