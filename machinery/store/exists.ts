import type { Table } from '../ports.ts';
import { isGone, objectKey } from './items.ts';

/** Rarely more than one page: what is gone stays only for a while. */
const page = 25;

/** Whether there is an object of one of these types. Reads few items and decodes none: a list would read them all. */
export const existsAny = async (objects: Table, types: readonly string[]): Promise<boolean> => {
  for (const type of types) {
    const query = { pk: objectKey(type, { namespace: '', name: '' }).pk, limit: page, consistent: true };
    let found = await objects.query(query);
    while (found.next && found.items.every(isGone)) found = await objects.query({ ...query, after: found.next });
    if (found.items.some((item) => !isGone(item))) return true;
  }
  return false;
};
