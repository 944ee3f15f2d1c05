import { describe, expect, it } from 'vitest';
import { isolated, isolatedOrThrow } from './isolated.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const refuse = (...refused: number[]) => {
  const visited: number[] = [];
  const visit = async (one: number) => {
    visited.push(one);
    await turn();
    if (refused.includes(one)) throw new Error(`no ${one}`);
  };
  return { visited, visit };
};
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it('starts visits in order, up to the limit', async () => {
  let [running, most] = [0, 0];
  const begun: number[] = [];
  await isolated(
    upTo(7),
    async (one) => {
      begun.push(one);
      most = Math.max(most, ++running);
      await turn();
      running--;
    },
    { most: 3 },
  );
  expect([begun, most]).toEqual([upTo(7), 3]);
});

describe.each([1, 3])('with %d at a time', (most) => {
  it('goes on after an item that fails, and names it', async () => {
    const { visited, visit } = refuse(2, 4);
    const { faults, left } = await isolated(upTo(5), visit, { most });
    expect(visited).toEqual(upTo(5));
    expect(faults.map(({ item, error }) => [item, String(error)])).toEqual([
      [2, 'Error: no 2'],
      [4, 'Error: no 4'],
    ]);
    expect(left).toEqual([]);
  });

  it('goes on through many items that fail, as long as others do not', async () => {
    const odd = upTo(200).filter((one) => one % 2 === 1);
    const { visited, visit } = refuse(...odd);
    expect((await isolated(upTo(200), visit, { most })).left).toEqual([]);
    expect(visited).toHaveLength(200);
  });

  it('stops when only failures follow one another, and names what is left', async () => {
    const { visited, visit } = refuse(...upTo(200));
    const { faults, left } = await isolated(upTo(200), visit, { most });
    expect(visited.length).toBeLessThanOrEqual(20 + most);
    expect(faults).toHaveLength(visited.length);
    expect(left).toEqual(upTo(200).slice(visited.length));
  });

  it('throws the first error when asked to, after all visits', async () => {
    const { visited, visit } = refuse(2);
    await expect(isolatedOrThrow(upTo(5), visit, { most })).rejects.toThrow('no 2');
    expect(visited).toEqual(upTo(5));
  });
});
