/**
 * Corrects the result of a query by the log: a query may see half of a transaction, or not see it
 * at all.
 */
import { keyOf } from '../api/object.ts';
import type { Item } from '../ports.ts';
import { isOver, isSeal, versionOf } from './items.ts';

export const highestOf = (items: Item[]): number => items.reduce((most, item) => Math.max(most, versionOf(item)), 0);

/** The key of the object in an item or in a slot that is not a seal. */
export const keyIn = ({ sk, namespace, name }: Item): string =>
  typeof sk === 'string' ? sk : keyOf({ namespace: namespace as string, name: name as string });

/**
 * Takes the newer of item and slot for each key, in key order, without deleted and expired objects.
 */
export const replay = (items: Item[], run: Item[], isMeant: (key: string) => boolean, now: number): Item[] => {
  const states = new Map(items.map((item) => [keyIn(item), item]));
  for (const slot of run) {
    if (isSeal(slot)) continue;
    const key = keyIn(slot);
    if (!isMeant(key)) continue;
    const known = states.get(key);
    if (!known || versionOf(known) < versionOf(slot)) states.set(key, slot);
  }
  return [...states]
    .filter(([, item]) => !isOver(item, now))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);
};
