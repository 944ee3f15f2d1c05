/** Hides transactions from queries, and reveals their items one by one in any order. */
import type { Item, ItemKey, Table, TableQuery } from '../../machinery/ports.ts';

export interface Veil {
  /** Queries continue to see the item before this transaction. */
  hide(transaction: string, key: ItemKey, before: Item | undefined): void;
  /** Reveals one item; an earlier transaction's item there has been replaced. */
  reveal(transaction: string, key: ItemKey): void;
  showAll(): void;
  query(table: Table, query: TableQuery): Promise<{ items: Item[]; next?: ItemKey }>;
  /** For comparing states. */
  hidden(): string[];
}

const nameOf = ({ pk, sk }: ItemKey) => `${pk} ${sk}`;
const within = ({ pk, from, to, after, descending }: TableQuery, key: ItemKey): boolean => {
  if (key.pk !== pk || (from !== undefined && key.sk < from) || (to !== undefined && key.sk > to)) return false;
  if (after === undefined) return true;
  return descending ? key.sk < after.sk : key.sk > after.sk;
};

const everything = async (table: Table, { limit: _, ...query }: TableQuery): Promise<Item[]> => {
  const items: Item[] = [];
  let page = await table.query(query);
  items.push(...page.items);
  while (page.next) {
    page = await table.query({ ...query, after: page.next });
    items.push(...page.items);
  }
  return items;
};

export const createVeil = (): Veil => {
  const veiled = new Map<string, { key: ItemKey; versions: { transaction: string; before: Item | undefined }[] }>();
  return {
    hide: (transaction, key, before) => {
      const entry = veiled.get(nameOf(key)) ?? { key, versions: [] };
      veiled.set(nameOf(key), entry);
      entry.versions.push({ transaction, before });
    },
    reveal: (transaction, key) => {
      const entry = veiled.get(nameOf(key));
      const index = entry?.versions.findIndex((version) => version.transaction === transaction) ?? -1;
      if (!entry || index < 0) return;
      entry.versions.splice(0, index + 1);
      if (entry.versions.length === 0) veiled.delete(nameOf(key));
    },
    showAll: () => veiled.clear(),
    query: async (table, query) => {
      if (veiled.size === 0) return table.query(query);
      const seen = new Map((await everything(table, query)).map((item) => [item.sk, item]));
      for (const { key, versions } of veiled.values()) {
        if (!within(query, key)) continue;
        const { before } = versions[0]!;
        if (before) seen.set(key.sk, before);
        else seen.delete(key.sk);
      }
      const order = query.descending ? -1 : 1;
      const items = [...seen.values()].sort((a, b) => (a.sk < b.sk ? -order : order));
      if (query.limit === undefined || items.length <= query.limit) return { items };
      const page = items.slice(0, query.limit);
      const { pk, sk } = page.at(-1)!;
      return { items: page, next: { pk, sk } };
    },
    hidden: () =>
      [...veiled].map(([name, { versions }]) => `${name}×${versions.map((v) => `${v.transaction}:${v.before?.rv}`)}`),
  };
};
