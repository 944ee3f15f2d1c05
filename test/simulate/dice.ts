/** Everything that chance decides in a run comes from its seed: a stream of draws for each purpose, so that one does not shift another. */
import { seededRandom } from '../../adapters/memory/random.ts';
import type { Random } from '../../machinery/ports.ts';

const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
};

export interface Dice extends Random {
  chance(probability: number): boolean;
  /** A whole number from `low` up to and with `high`. */
  whole(low: number, high: number): number;
  between(low: number, high: number): number;
  /** As likely between 1 and 2 as between 1000 and 2000. */
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
