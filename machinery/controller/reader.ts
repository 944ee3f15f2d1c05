import { isSameKind, type Kind, resourceOf } from '../api/kind.ts';
import { type JsonObject, type JsonValue, type KubeObject, keyOf, type ObjectKey } from '../api/object.ts';
import { type Failure, type Read, type Reader, type Referenced, typedReader, type Where } from '../api/reconcile.ts';
import type { Store } from '../store/store.ts';
import type { Kinds } from './kinds.ts';
import { type Consequence, consequenceOf, failureOf, type Ports } from './ports.ts';
import { matches } from './selector.ts';

export interface ReaderOptions {
  store: Pick<Store, 'digests' | 'get' | 'tombstone' | 'list' | 'listCluster' | 'listOwned'>;
  kinds: Kinds;
  ports: Ports;
  now: number;
}

/** The reads of one pass: declared while observing, made between two rounds, kept until its end. */
export interface PassReader {
  reader: Reader;
  /**
   * Makes the declared reads; false when there are none. A failed read of the store fails the pass.
   */
  fetch(): Promise<boolean>;
  /** Whether a declared read is still to be made. */
  pending(): boolean;
  /** What was reported about references to kinds that are not served. */
  unserved(): readonly string[];
  /** The first failed read through a port. */
  failure(): { failure: Failure; consequence: Consequence } | undefined;
}

const unread: Read<never> = { state: 'unread' };
const absent: Read<never> = { state: 'absent' };
const none: Read<never> = { state: 'found', value: [] as never };

/**
 * From this length on, a text such as a kubeconfig is not repeated in the key of each read that
 * contains it.
 */
const long = 256;

/** Keys for inputs of reads, equal for equal inputs. */
const createNames = () => {
  const numbers = new Map<string, number>();
  const numberOf = (text: string): number => {
    const known = numbers.get(text) ?? numbers.size;
    numbers.set(text, known);
    return known;
  };
  return (input: JsonValue): string => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return JSON.stringify(input);
    const short: JsonObject = {};
    let texts = '';
    for (const name of Object.keys(input)) {
      const value = input[name];
      if (typeof value === 'string' && value.length > long) texts += ` ${name}=${numberOf(value)}`;
      else if (value !== undefined) short[name] = value;
    }
    return JSON.stringify(short) + texts;
  };
};

export const createReader = ({ store, kinds, ports, now }: ReaderOptions): PassReader => {
  const answers = new Map<string, Read<unknown>>();
  const wanted = new Map<string, () => Promise<Read<unknown>>>();
  const unserved = new Set<string>();
  const nameOf = createNames();
  let failed: ReturnType<PassReader['failure']>;

  const need = <T>(id: string, make: () => Promise<Read<unknown>>): Read<T> => {
    const answer = answers.get(id);
    if (answer) return answer as Read<T>;
    wanted.set(id, make);
    return unread;
  };

  const served = (kind: string, group: string | undefined): Kind | undefined => {
    if (group) return kinds.find(group, kind);
    return kinds.has(kind) ? kinds.named(kind) : undefined;
  };

  const absentKind = (kind: string, { group, role }: Referenced): Read<never> => {
    const others = kinds.ofRole(role).map((one) => one.kind);
    const instead = others.length === 0 ? '' : `; served ${others.length === 1 ? 'is' : 'are'} ${others.join(', ')}`;
    const why = served(kind, group) ? 'is no kind that this reference names' : 'is not served here';
    const message = `${kind}${group ? ` (${group})` : ''} ${why}${instead}`;
    unserved.add(message);
    return { state: 'absent', because: message };
  };

  /** A reference that names a kind in another group names another kind, and a template is no machine. */
  const named = (kind: string, { group, role }: Referenced): Kind | undefined => {
    const one = served(kind, group);
    const ofRole = kinds.ofRole(role);
    return one && (ofRole.length === 0 || ofRole.some((other) => isSameKind(other, one))) ? one : undefined;
  };

  /** A user may have defined the kind of a reference since this process last looked. */
  const kindsOfUsers = (): Read<unknown> =>
    need('kinds of users', async () => {
      await kinds.refresh();
      return { state: 'found', value: true };
    });

  /** Users name kinds in references: an unknown kind has no objects. */
  const ofKind = <T>(kind: string, id: string, nothing: Read<never>, make: () => Promise<Read<unknown>>): Read<T> =>
    kinds.has(kind) ? need(id, make) : nothing;

  const getObject = <T>(kind: Kind, key: ObjectKey): Read<T> =>
    need(`get ${resourceOf(kind)} ${keyOf(key)}`, async () => {
      const value = await store.get(resourceOf(kind), key);
      return value ? { state: 'found', value } : absent;
    });

  const candidates = async (type: string, where: Where): Promise<KubeObject[]> => {
    const { namespace, cluster, owner, labels, orOwner } = where;
    if (owner !== undefined) return (await store.listOwned(owner, type)).map(({ object }) => object);
    if (cluster !== undefined && namespace !== undefined)
      return store.listCluster(type, namespace, cluster, { selector: labels, owner: orOwner });
    return (await store.list(type, namespace === undefined ? {} : { namespace })).objects;
  };

  const listOf = async (of: readonly Kind[], where: Where): Promise<Read<unknown>> => {
    const lists = await Promise.all(of.map((kind) => candidates(resourceOf(kind), where)));
    return { state: 'found', value: lists.flat().filter((object) => matches(where, object)) };
  };

  const askPort = async (port: string, operation: string, input: JsonValue): Promise<Read<unknown>> => {
    try {
      const read = ports[port]?.read;
      if (!read) throw new Error(`this worker cannot read through ${port}`);
      const value = await read(operation, input);
      return value === undefined ? absent : { state: 'found', value };
    } catch (error) {
      failed ??= { failure: failureOf(port, operation, error, now), consequence: consequenceOf(error) };
      return { state: 'unreadable', reason: error instanceof Error ? error.message : String(error) };
    }
  };

  return {
    reader: typedReader({
      get: (kind, key, of) => {
        const one = of ? named(kind, of) : served(kind, undefined);
        if (one) return getObject(one, key);
        if (!of) return absent;
        return kindsOfUsers().state === 'unread' ? unread : absentKind(kind, of);
      },
      tombstone: (kind, key) =>
        ofKind(kind, `tombstone ${kind} ${keyOf(key)}`, absent, async () => {
          const value = await store.tombstone(kinds.typeOf(kind), key);
          return value ? { state: 'found', value } : absent;
        }),
      list: (kind, where) => {
        if (typeof kind === 'string')
          return ofKind(kind, `list ${kind} ${JSON.stringify(where)}`, none, () => listOf([kinds.named(kind)], where));
        const ofRole = kinds.ofRole(kind.role);
        const id = `list ${ofRole.map(resourceOf).join()} ${JSON.stringify(where)}`;
        return need(id, () => listOf(ofRole, where));
      },
      facts: (kind, { namespace, cluster }) =>
        need(`facts ${kind} ${namespace}/${cluster}`, async () => ({
          state: 'found',
          value: await store.digests(kinds.typeOf(kind), namespace, cluster),
        })),
      ask: (port, operation, input) =>
        need(`ask ${port} ${operation} ${nameOf(input)}`, () => askPort(port, operation, input)),
    }),
    fetch: async () => {
      if (wanted.size === 0) return false;
      const round = [...wanted];
      wanted.clear();
      await Promise.all(round.map(async ([id, make]) => answers.set(id, await make())));
      return true;
    },
    pending: () => wanted.size > 0,
    unserved: () => [...unserved],
    failure: () => failed,
  };
};
