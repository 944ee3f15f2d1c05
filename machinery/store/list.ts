import { keyOf } from '../api/object.ts';
import type { Item } from '../ports.ts';
import { objectOf } from './body.ts';
import type { StoreContext } from './context.ts';
import type { HeadRead } from './head.ts';
import { queryAll } from './indexes.ts';
import { isGone, isOver, isSeal, prefixRange, versionOf } from './items.ts';
import { awakeHead, settle } from './settle.ts';
import type { Listing, ListOptions } from './store.ts';
import { type Tail, tailReader } from './tail.ts';

/** The tail behind what is settled, complete as of the call; quiet types cost nothing more than their head. */
const tailBehind = async (
  context: StoreContext,
  type: string,
  { n, settled, readAt }: HeadRead,
  least: number,
): Promise<Tail> => {
  const to = Math.max(n, least);
  if (to <= settled) return { run: [], end: settled, blocked: false };
  return tailReader(context, type).whole(settled, { to, least, settled, readAt });
};

/** Puts the newer of item and slot in each place: what the query saw half of, or not at all, is in the tail. */
const replay = (items: Item[], run: Item[], namespace: string | undefined, now: number): Item[] => {
  const states = new Map(items.map((item) => [item.sk as string, item]));
  for (const slot of run) {
    if (isSeal(slot) || (namespace !== undefined && slot.namespace !== namespace)) continue;
    const key = keyOf({ namespace: slot.namespace as string, name: slot.name as string });
    const known = states.get(key);
    if (!known || versionOf(known) < versionOf(slot)) states.set(key, slot);
  }
  return [...states]
    .filter(([, item]) => !isOver(item, now))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);
};

const snapshot = async (context: StoreContext, type: string, namespace: string | undefined) => {
  const { rules } = context;
  const head = await awakeHead(context, type);
  const range = namespace === undefined ? {} : prefixRange(`${namespace}/`);
  const items = await queryAll(context, { pk: `o#${type}`, ...range, consistent: true });
  const counted = rules.gravesInLists ? items : items.filter((item) => !isGone(item));
  const highest = counted.reduce((most, item) => Math.max(most, item.rv as number), head.settled);
  const { run, end } = await tailBehind(context, type, head, rules.reachHighest ? highest : head.settled);
  await settle(context, type, head, end, run);
  return { states: replay(counted, run, namespace, context.clock.now()), position: end };
};

/** Controllers ask for whole lists. */
const pages = () => import('./pages.ts');

export const list = async (context: StoreContext, type: string, options: ListOptions = {}): Promise<Listing> => {
  const { continue: token, limit, namespace } = options;
  const name = `${type}/${namespace}`;
  if (token !== undefined) return (await pages()).pageOf(context, type, name, token, limit);
  const { states, position } = await snapshot(context, type, namespace);
  const most = limit || states.length;
  const objects = await Promise.all(states.slice(0, most).map((item) => objectOf(context, type, item)));
  if (states.length <= most) return { objects, position };
  const { storePages } = await pages();
  const next = await storePages(context, name, position, states.slice(most));
  return { objects, position, continue: next, remaining: states.length - most };
};

export const position = async (context: StoreContext, type: string): Promise<number> => {
  const head = await awakeHead(context, type);
  const { run, end } = await tailBehind(context, type, head, head.settled);
  await settle(context, type, head, end, run);
  return end;
};
