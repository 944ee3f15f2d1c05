import type { Context } from './reconcile.ts';

/**
 * How many times faster than AWS the account acts: 1, or more in a simulation. It shortens polls and
 * limits, never the times of objects, which follow the clock.
 */
export const speedOf = ({ speed }: Context['config']): number => (typeof speed === 'number' ? speed : 1);
