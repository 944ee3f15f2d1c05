/** The record of `destroy --force`: which caller wants to delete which stack although clusters exist. */
import type { Item, ItemKey, Table } from '../../machinery/ports.ts';

/** In the work table. */
const key: ItemKey = { pk: 'destroy', sk: 'force' };
/** Milliseconds. Long enough, because the guard is the first resource to be deleted. */
export const forceLasts = 15 * 60_000;

export interface Force {
  /** The stack's ARN, which differs for a later stack of the same name. */
  stack: string;
  /** The caller's ARN. */
  by: string;
}

export const writeForce = async (work: Table, { stack, by }: Force, now: number): Promise<void> => {
  const until = now + forceLasts;
  await work.write({ put: { ...key, stack, by, until, ttl: Math.ceil(until / 1000) } });
};

const stands = (item: Item | undefined, stack: string, now: number): item is Item =>
  item?.stack === stack && typeof item.by === 'string' && typeof item.until === 'number' && item.until > now;

/** The caller's ARN; undefined without a record, or when it has expired. */
export const forcedBy = async (work: Table, stack: string, now: number): Promise<string | undefined> => {
  const item = await work.get(key, { consistent: true });
  return stands(item, stack, now) ? String(item.by) : undefined;
};
