/** Objects of an installation that stand for resources in the account. */
import type { Table } from '../../machinery/ports.ts';
import { isGone, objectKey } from '../../machinery/store/items.ts';

export interface BlockingObjects {
  kind: string;
  count: number;
  /** `namespace/name`, the first few. */
  names: string[];
}

const shown = 5;
/** Counting stops here: it suffices to refuse. */
const most = 10_000;

const livingOf = async (objects: Table, kind: string, type: string): Promise<BlockingObjects> => {
  const { pk } = objectKey(type, { namespace: '', name: '' });
  const living: BlockingObjects = { kind, count: 0, names: [] };
  let after: Parameters<Table['query']>[0]['after'];
  do {
    const page = await objects.query({ pk, consistent: true, ...(after && { after }) });
    for (const item of page.items) {
      if (isGone(item)) continue;
      living.count++;
      if (living.names.length < shown) living.names.push(String(item.sk));
    }
    after = page.next;
  } while (after && living.count < most);
  return living;
};

/** By kind and its type; kinds without objects are omitted. */
export const findBlockingObjects = async (
  objects: Table,
  types: Readonly<Record<string, string>>,
): Promise<BlockingObjects[]> => {
  const all = await Promise.all(Object.entries(types).map(([kind, type]) => livingOf(objects, kind, type)));
  return all.filter(({ count }) => count > 0);
};

/** `2 Clusters (default/a, default/b), 1 AWSCluster (default/a)`. */
export const renderBlockingObjects = (living: readonly BlockingObjects[]): string =>
  living
    .map(({ kind, count, names }) => {
      const more = count > names.length ? ', …' : '';
      return `${count} ${kind}${count === 1 ? '' : 's'} (${names.join(', ')}${more})`;
    })
    .join(', ');
