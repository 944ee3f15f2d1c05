/**
 * All randomness of a run derives from its seed. Each purpose has a stream of its own, so a draw
 * for one purpose does not shift another.
 */
import { seededRandom } from '../../adapters/memory/random.ts';
import type { Random } from '../../machinery/ports.ts';

const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
};

export interface Dice extends Random {
  chance(probability: number): boolean;
  /** An integer from `low` to `high`, inclusive. */
  whole(low: number, high: number): number;
  between(low: number, high: number): number;
  /** A log-uniform draw: between 1 and 2 is as likely as between 1000 and 2000. */
  spread(low: number, high: number): number;
  pick<T>(from: readonly T[]): T;
}

export const dice = (seed: number, purpose: string): Dice => {
  const random = seededRandom(hash(`${seed} ${purpose}`));
  const between = (low: number, high: number) => low + random.next() * (high - low);
  const whole = (low: number, high: number) => Math.floor(between(low, high + 1));
  return {
    ...random,
    chance: (probability) => random.next() < probability,
    whole,
    between,
    spread: (low, high) => low * (high / low) ** random.next(),
    pick: (from) => from[whole(0, from.length - 1)]!,
  };
};
