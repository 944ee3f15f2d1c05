/** How often something is tried: `count` times in `npm run test:long`, a quarter of that in `npm test`. */
export const tries = (count: number): number => (process.env.CAPSTAN_SEEDS === 'all' ? count : Math.ceil(count / 4));

/** As many seeds, from 0. */
export const seeds = (count: number): number[] => Array.from({ length: tries(count) }, (_, seed) => seed);
