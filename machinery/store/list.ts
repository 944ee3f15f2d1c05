import type { StoreContext } from './context.ts';
import { queryAll } from './indexes.ts';
import { isGone, prefixRange } from './items.ts';
import { lazy } from './lazy.ts';
import { objectsOf } from './readable.ts';
import { listStart, tailAfter, withBody } from './recent.ts';
import { highestOf, replay } from './replay.ts';
import { awakeHead, settle } from './settle.ts';
import type { Listing, ListOptions } from './store.ts';

export const list = async (context: StoreContext, type: string, options: ListOptions = {}): Promise<Listing> => {
  const { namespace, selects = () => true } = options;
  if (options.limit || options.continue !== undefined) return (await lazy.pages()).page(context, type, options);
  const { rules } = context;
  const head = await awakeHead(context, type);
  const start = listStart(context, type, head);
  const prefix = namespace === undefined ? '' : `${namespace}/`;
  const items = await queryAll(context, { pk: `o#${type}`, ...(prefix && prefixRange(prefix)), consistent: true });
  const counted = rules.tombstonesInLists ? items : items.filter((item) => !isGone(item));
  const least = rules.reachHighest ? highestOf(counted) : start;
  const { run, end } = await tailAfter(context, type, start, head, least);
  await settle(context, type, head, end, run);
  const states = replay(counted, run, (key) => key.startsWith(prefix), context.clock.now());
  const whole = await Promise.all(states.map((item) => withBody(context, type, item)));
  const objects = await objectsOf(context, type, whole, options.skip);
  return { objects: objects.filter((object) => object !== undefined).filter(selects), position: end };
};

export const position = async (context: StoreContext, type: string): Promise<number> => {
  const head = await awakeHead(context, type);
  const start = listStart(context, type, head);
  const { run, end } = await tailAfter(context, type, start, head, start);
  await settle(context, type, head, end, run);
  return end;
};
