import type { ObjectKey } from '../machinery/api/object.ts';
import type { Table } from '../machinery/ports.ts';
import { objectKey } from '../machinery/store/items.ts';

/** Shortens the stored body of an object, so that no process can read it. */
export const damage = async (table: Table, type: string, key: ObjectKey): Promise<void> => {
  const item = await table.get(objectKey(type, key), { consistent: true });
  const body = item?.body as Uint8Array;
  await table.write({ put: { ...item!, body: body.slice(0, -8) } });
};
