/** That a person wants a stack deleted although clusters exist: said for this stack and a short while, and by whom. */
import type { Item, ItemKey, Table } from '../../machinery/ports.ts';

/** Of the work table. */
const key: ItemKey = { pk: 'destroy', sk: 'force' };
/** Milliseconds. The guard is what is deleted first. */
export const forceLasts = 15 * 60_000;

export interface Force {
  /** The stack's ARN: one made later by the same name is another. */
  stack: string;
  /** The ARN of who wants it. */
  by: string;
}

export const writeForce = async (work: Table, { stack, by }: Force, now: number): Promise<void> => {
  const until = now + forceLasts;
  await work.write({ put: { ...key, stack, by, until, ttl: Math.ceil(until / 1000) } });
};

const stands = (item: Item | undefined, stack: string, now: number): item is Item =>
  item?.stack === stack && typeof item.by === 'string' && typeof item.until === 'number' && item.until > now;

/** Who wants it; undefined when nobody does, or did too long ago. */
export const forcedBy = async (work: Table, stack: string, now: number): Promise<string | undefined> => {
  const item = await work.get(key, { consistent: true });
  return stands(item, stack, now) ? String(item.by) : undefined;
};
