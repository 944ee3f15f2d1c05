import type { Context } from '../api/reconcile.ts';

/** generateName's alphabet, without vowels and lookalikes. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * The same draws for the same seed (sfc32), so that a repeated observation of a pass draws the same
 * names.
 */
const generator = (seed: Uint8Array): (() => number) => {
  const view = new DataView(seed.buffer, seed.byteOffset, 12);
  let [a, b, c, counter] = [view.getUint32(0), view.getUint32(4), view.getUint32(8), 1];
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
};

/** The draws of one pass, from 12 random bytes. */
export const drawsOf = (seed: Uint8Array): Context['random'] => {
  // Lazy, because most passes draw nothing.
  let next: (() => number) | undefined;
  const below = (limit: number) => {
    next ??= generator(seed);
    return Math.floor(next() * limit);
  };
  return {
    suffix: (length = 5) => Array.from({ length }, () => letters[below(letters.length)]).join(''),
    pick: (from) => from[below(from.length)]!,
    token: () => Array.from({ length: 32 }, () => below(16).toString(16)).join(''),
  };
};
