/**
 * Mirrors every state of the store in order, right after each write, for invariants and stories.
 */
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { kinds } from '../../kinds/index.ts';
import { resourceOf } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Clock, Item, Keys, Random, Table } from '../../machinery/ports.ts';
import { type LogEntry, logEntryOf, openStore } from '../../machinery/store/index.ts';
import { blobPartition, isSeal, objectKey, typeOfLogPartition } from '../../machinery/store/items.ts';
import { parseOnce } from './parse.ts';

export interface Commit extends LogEntry {
  /** The current state; undefined when the object is deleted. */
  object: KubeObject | undefined;
  before: KubeObject | undefined;
  /** The stored body, unless it is split into parts. */
  body: Uint8Array | undefined;
}

export interface Mirror {
  /** Takes a write of an item in the objects' table. */
  put(item: Item): void;
  /** Resolves when all listeners have seen the writes so far. */
  seen(): Promise<void>;
  onCommit(listen: (commit: Commit) => void): void;
  get<T extends KubeObject>(kind: string, namespace: string, name: string): T | undefined;
  all<T extends KubeObject>(kind: string): T[];
  /** The items that store this state of an object; none when it is small. */
  partsOf(object: KubeObject): Item[];
  /** All objects of all kinds. */
  everything(): KubeObject[];
  readonly commits: number;
  /** The first error that a listener threw or reported. */
  readonly broken: unknown;
  breaks(violation: unknown): void;
  copy(): Reflection;
}

/** Everything that a mirror has seen. */
export interface Reflection {
  states: ReadonlyMap<string, ReadonlyMap<string, KubeObject>>;
  chunks: ReadonlyMap<string, Item>;
}

export interface MirrorOptions {
  clock: Clock;
  keys: Keys;
  random: Random;
  from?: Reflection | undefined;
}

const typeOf = new Map(kinds.map((kind) => [kind.kind, resourceOf(kind)]));

export const createMirror = ({ clock, keys, random, from }: MirrorOptions): Mirror => {
  const states = new Map([...(from?.states ?? [])].map(([type, known]) => [type, new Map(known)]));
  const chunks = new Map(from?.chunks);
  const listeners: ((commit: Commit) => void)[] = [];
  let last: Promise<void> = Promise.resolve();
  let commits = 0;
  let broken: unknown;
  /** The item of the state to decode, which the reader looks up here. */
  const lens = new Map<string, Item>();
  const table: Table = {
    get: async ({ pk, sk }) => lens.get(`${pk} ${sk}`) ?? chunks.get(`${pk} ${sk}`),
    query: async () => ({ items: [] }),
    write: () => Promise.reject(new Error('mirrors only read')),
    transact: () => Promise.reject(new Error('mirrors only read')),
  };
  const notifier = memoryNotifier(clock);
  const reader = openStore({ table, clock, random, keys, kinds, notifier, parse: parseOnce });

  const see = async (entry: LogEntry, item: Item) => {
    const { type, namespace, name, event } = entry;
    const key = objectKey(type, { namespace, name });
    const at = `${key.pk} ${key.sk}`;
    const known = states.get(type) ?? new Map<string, KubeObject>();
    states.set(type, known);
    const before = known.get(at);
    lens.set(at, { ...item, ...key, rv: entry.position });
    const object = event === 'DELETED' ? undefined : await reader.get(type, { namespace, name });
    lens.delete(at);
    if (object) known.set(at, object);
    else known.delete(at);
    commits += 1;
    for (const listen of listeners) {
      try {
        listen({ ...entry, object, before, body: item.body as Uint8Array | undefined });
      } catch (error) {
        broken ??= error;
      }
    }
  };

  return {
    put: (item) => {
      if (item.pk.startsWith('b#') || item.pk.startsWith('k#')) chunks.set(`${item.pk} ${item.sk}`, item);
      if (typeOfLogPartition(item.pk) === undefined || isSeal(item)) return;
      const entry = logEntryOf(item)!;
      last = last
        .then(() => see(entry, item))
        .catch((error: unknown) => {
          broken ??= error;
        });
    },
    seen: () => last,
    onCommit: (listen) => void listeners.push(listen),
    get: <T extends KubeObject>(kind: string, namespace: string, name: string) => {
      const type = typeOf.get(kind)!;
      const { pk, sk } = objectKey(type, { namespace, name });
      return states.get(type)?.get(`${pk} ${sk}`) as T | undefined;
    },
    all: <T extends KubeObject>(kind: string) => [...(states.get(typeOf.get(kind)!)?.values() ?? [])] as T[],
    partsOf: ({ metadata }) => {
      const pk = blobPartition(metadata.uid!, Number(metadata.resourceVersion));
      return [...chunks.values()].filter((one) => one.pk === pk);
    },
    copy: () => ({
      states: new Map([...states].map(([type, known]) => [type, new Map(known)])),
      chunks: new Map(chunks),
    }),
    everything: () => [...states.values()].flatMap((known) => [...known.values()]),
    get commits() {
      return commits;
    },
    breaks: (violation) => {
      broken ??= violation;
    },
    get broken() {
      return broken;
    },
  };
};
