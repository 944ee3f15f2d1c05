/**
 * The first of `count` seeds from 0: all of them in `npm run test:long`, every fourth part of them
 * in `npm test`.
 */
export const seeds = (count: number): number[] =>
  Array.from({ length: process.env.CAPSTAN_SEEDS === 'all' ? count : Math.ceil(count / 4) }, (_, seed) => seed);
