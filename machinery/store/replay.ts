/** What a query saw of a type's objects, put right by the log: a query may see half of a transaction, or not see it at all. */
import { keyOf } from '../api/object.ts';
import type { Item } from '../ports.ts';
import type { StoreContext } from './context.ts';
import type { HeadRead } from './head.ts';
import { isOver, isSeal, versionOf } from './items.ts';
import { type Tail, tailReader } from './tail.ts';

/** The tail behind what is settled, complete as of the call; quiet types cost nothing more than their head. */
export const tailBehind = async (
  context: StoreContext,
  type: string,
  { n, settled, readAt }: HeadRead,
  least: number,
): Promise<Tail> => {
  const to = Math.max(n, least);
  if (to <= settled) return { run: [], end: settled, blocked: false };
  return tailReader(context, type).whole(settled, { to, least, settled, readAt });
};

export const highestOf = (items: Item[]): number => items.reduce((most, item) => Math.max(most, versionOf(item)), 0);

/** Of the object that an item holds, or that a slot which is no seal is about. */
export const keyIn = ({ sk, namespace, name }: Item): string =>
  typeof sk === 'string' ? sk : keyOf({ namespace: namespace as string, name: name as string });

/** Puts the newer of item and slot in each place, in order of keys, without what is over. */
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
