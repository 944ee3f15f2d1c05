/**
 * Copies of the stored objects whose kinds share a mark. One read of the mark tells whether all the
 * copies of a process are current, at most once a second.
 */
import { unavailable } from './api/errors.ts';
import type { KubeObject } from './api/object.ts';
import { type Clock, sleep } from './ports.ts';
import type { Store } from './store/store.ts';

/** Milliseconds for which a copy counts as current. */
const freshness = 1000;
/** Reads of a list that does not show a change yet whose mark is visible, and milliseconds between them. */
const mostReads = 20;
const pause = 25;

/** One read of the mark. */
interface Look {
  /** Its number among the reads of this process, in the order in which they began. */
  number: number;
  at: number;
  positions: Readonly<Record<string, number>>;
}

/** What is made of all objects of some types. */
export interface Copy<T> {
  /** At most a second old, and as new as the last change by this process. */
  now(): Promise<T>;
  /** Made of objects that were read after a moment that `begun` marked. */
  since(begun: number): Promise<T>;
  isSince(begun: number): boolean;
  /** As it was last made, without a read; undefined before the first one. */
  last(): T | undefined;
}

export interface Marked {
  /** `types`: of the objects, by name. */
  copy<Name extends string, T>(
    types: Readonly<Record<Name, string>>,
    make: (objects: Record<Name, readonly KubeObject[]>) => T | Promise<T>,
  ): Copy<T>;
  /** This process has changed an object: no copy is current. */
  changed(): void;
  /** Marks this moment: how many reads have begun. */
  begun(): number;
}

export interface MarkedOptions {
  store: Pick<Store, 'list' | 'mark'>;
  clock: Clock;
  mark: string;
  /** What a copy is of while its objects are being written, in messages. */
  what: string;
}

export const createMarked = ({ store, clock, mark, what }: MarkedOptions): Marked => {
  let latest: Look | undefined;
  let reading: Promise<Look> | undefined;
  let begun = 0;
  /** Reads before this one are older than a change by this process. */
  let least = 0;

  const read = async (): Promise<Look> => {
    const [at, number] = [clock.now(), ++begun];
    const look = { at, number, positions: (await store.mark(mark)) ?? {} };
    if (number > (latest?.number ?? 0)) latest = look;
    return look;
  };
  const readNow = (): Promise<Look> => {
    const own = read().finally(() => {
      if (reading === own) reading = undefined;
    });
    reading = own;
    return own;
  };
  const lookNow = (): Look | Promise<Look> =>
    latest && latest.number >= least && clock.now() - latest.at <= freshness ? latest : (reading ?? readNow());
  const lookSince = async (before: number): Promise<Look> => {
    await reading;
    return latest && latest.number > before ? latest : (reading ?? readNow());
  };

  /** A mark may be visible before the objects of its transaction. */
  const listed = async (type: string, position: number | undefined): Promise<readonly KubeObject[]> => {
    if (position === undefined) return [];
    for (let reads = 0; reads < mostReads; reads++) {
      const listing = await store.list(type);
      if (listing.position >= position) return listing.objects;
      await sleep(clock, pause);
    }
    throw unavailable(`${what} are being written, please try again`);
  };

  return {
    begun: () => begun,
    changed: () => {
      least = begun + 1;
      reading = undefined;
    },
    copy: <Name extends string, T>(
      types: Readonly<Record<Name, string>>,
      make: (objects: Record<Name, readonly KubeObject[]>) => T | Promise<T>,
    ): Copy<T> => {
      const names = Object.keys(types) as Name[];
      let known: { number: number; form: string; made: T } | undefined;
      let making: { form: string; made: Promise<T> } | undefined;
      const madeOf = async (positions: Look['positions']): Promise<T> => {
        const lists = names.map(async (name) => [name, await listed(types[name], positions[types[name]])] as const);
        return make(Object.fromEntries(await Promise.all(lists)) as Record<Name, readonly KubeObject[]>);
      };
      const of = async ({ number, positions }: Look): Promise<T> => {
        const form = JSON.stringify(names.map((name) => positions[types[name]]));
        let made = known?.form === form ? known.made : undefined;
        if (made === undefined) {
          if (making?.form !== form) making = { form, made: madeOf(positions) };
          const own = making;
          try {
            made = await own.made;
          } finally {
            if (making === own) making = undefined;
          }
        }
        if (number > (known?.number ?? 0)) known = { number, form, made };
        return made;
      };
      return {
        now: async () => of(await lookNow()),
        since: async (before) => of(await lookSince(before)),
        isSince: (before) => known !== undefined && known.number > before,
        last: () => known?.made,
      };
    },
  };
};
