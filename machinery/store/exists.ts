import type { Table } from '../ports.ts';
import { isGone, objectKey } from './items.ts';

/** Rarely more than one page: tombstones expire. */
const page = 25;

/** Whether any object of these types exists. Reads few items and decodes none, unlike a list. */
export const existsAny = async (objects: Table, types: readonly string[]): Promise<boolean> => {
  for (const type of types) {
    const query = { pk: objectKey(type, { namespace: '', name: '' }).pk, limit: page, consistent: true };
    let found = await objects.query(query);
    while (found.next && found.items.every(isGone)) found = await objects.query({ ...query, after: found.next });
    if (found.items.some((item) => !isGone(item))) return true;
  }
  return false;
};
