/**
 * A fixed number of places that many processes lease through a table. A dead process's lease
 * expires, so no cleanup is needed.
 */
import { type Clock, type Condition, type Item, type Random, Refused, type Table } from './ports.ts';
import { steadily } from './store/steady.ts';

export interface PlacesOptions {
  table: Table;
  clock: Clock;
  random: Random;
  /** Separates these places from others in the same table. */
  name: string;
  most: number;
}

export interface Place {
  /** Releases the place before it expires. */
  leave(): Promise<void>;
}

export type Taken = { place: Place; free: number } | { place: undefined; until: number };

export interface Places {
  /** Leases a place for `ms`; returns how many others are free, or when the first lease expires. */
  take(ms: number): Promise<Taken>;
}

const until = (item: Item): number => item.until as number;

export const createPlaces = ({ table, clock, random, name, most }: PlacesOptions): Places => {
  const pk = `places#${name}`;

  const readTaken = async (now: number): Promise<Map<number, number>> => {
    const { items } = await steadily({ clock, random }, () =>
      table.query({ pk, from: 0, to: most - 1, consistent: true }),
    );
    return new Map(items.filter((item) => until(item) > now).map((item) => [item.sk as number, until(item)]));
  };

  /** Whether this process now has the place. */
  const claim = async (sk: number, holder: string, now: number, ms: number): Promise<boolean> => {
    const when: Condition = {
      any: [
        { exists: false },
        { attribute: 'until', is: '<=', value: now },
        // An earlier attempt of this process whose outcome was unknown.
        { attribute: 'holder', is: '=', value: holder },
      ],
    };
    const item = { pk, sk, holder, until: now + ms, ttl: Math.ceil((now + ms) / 1000) };
    try {
      await steadily({ clock, random }, () => table.write({ put: item, when }));
      return true;
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
  };

  const placeAt = (sk: number, holder: string): Place => ({
    leave: async () => {
      const when: Condition = { attribute: 'holder', is: '=', value: holder };
      try {
        await steadily({ clock, random }, () => table.write({ delete: { pk, sk }, when }));
      } catch (error) {
        // The lease expired, and another process has taken the place.
        if (!(error instanceof Refused)) throw error;
      }
    },
  });

  return {
    take: async (ms) => {
      const now = clock.now();
      const holder = random.uuid();
      const taken = await readTaken(now);
      const free = Array.from({ length: most }, (_, place) => place).filter((place) => !taken.has(place));
      while (free.length > 0) {
        // A random place: concurrent processes would all compete for the first.
        const [sk] = free.splice(Math.floor(random.next() * free.length), 1);
        if (await claim(sk!, holder, now, ms)) return { place: placeAt(sk!, holder), free: free.length };
      }
      return { place: undefined, until: Math.min(now + ms, ...taken.values()) };
    },
  };
};
