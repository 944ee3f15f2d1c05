/** Runs that broke once, with what they broke; docs/bugs.md says why. */
import type { RunOptions } from './simulation.ts';

export interface Regression extends RunOptions {
  broke: string;
}

export const regressions: readonly Regression[] = [
  { seed: 6, steps: 0, broke: 'the first read of a new installation was answered with a conflict' },
];
