import { DatabaseSync } from 'node:sqlite';
import { serialize } from 'node:v8';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Item, Table, TableQuery, Write } from '../../machinery/ports.ts';
import { seededRandom } from '../memory/random.ts';
import { memoryTable } from '../memory/table.ts';
import { type VirtualClock, virtualClock } from '../memory/virtual-clock.ts';
import { openJournal } from './journal.ts';
import { prepareDatabase } from './rows.ts';
import { Recent } from './spilling.ts';
import { openTable } from './table.ts';

const begin = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const consistent = true;

describe('a durable table', () => {
  let clock: VirtualClock;
  let database: DatabaseSync;
  let commits: number;
  let endTurn: () => void;

  const open = (recentBytes = 1e9): Table => {
    const counted = {
      prepare: (sql: string) => {
        const statement = database.prepare(sql);
        if (sql !== 'COMMIT') return statement;
        return {
          run: () => {
            commits++;
            return statement.run();
          },
        };
      },
      exec: (sql: string) => database.exec(sql),
      get isTransaction() {
        return database.isTransaction;
      },
    } as unknown as DatabaseSync;
    const flushes: (() => void)[] = [];
    endTurn = () => {
      for (const flush of flushes.splice(0)) flush();
    };
    const journal = openJournal(counted, clock, (flush) => flushes.push(flush));
    return openTable({ database: counted, journal, recent: new Recent(recentBytes), clock }, 't');
  };
  beforeEach(() => {
    clock = virtualClock(begin);
    database = new DatabaseSync(':memory:');
    prepareDatabase(database);
    commits = 0;
  });

  const rows = () => database.prepare('SELECT count(*) AS n FROM items').get()!.n;
  const settledYet = async (promise: Promise<unknown>): Promise<boolean> => {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    return isSettled;
  };

  it('commits all writes of an event loop turn in one database transaction', async () => {
    const table = open();
    const add = () => table.write({ update: { pk: 'p', sk: 'counter' }, add: { n: 1 } });
    const writes = [...Array.from({ length: 16 }, add), table.transact('t', [{ put: { pk: 'p', sk: 'a' } }])];
    endTurn();
    const results = await Promise.all(writes);
    expect(results.slice(0, 16).map((item) => (item as Item).n)).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
    expect(commits).toBe(1);
    expect(rows()).toBe(2);
  });

  it('delays answers that depend on an uncommitted write, and no others', async () => {
    const table = open();
    const write = table.write({ put: { pk: 'p', sk: 'a', n: 1 } });
    const shows = [
      write,
      table.get({ pk: 'p', sk: 'a' }, { consistent }),
      table.query({ pk: 'p', consistent }),
      table.write({ put: { pk: 'p', sk: 'a' }, when: { exists: false } }),
    ];
    for (const answer of shows) expect(await settledYet(answer)).toBe(false);
    expect(await settledYet(table.get({ pk: 'p', sk: 'b' }, { consistent }))).toBe(true);
    expect(await settledYet(table.query({ pk: 'q', consistent }))).toBe(true);
    endTurn();
    for (const answer of shows) expect(await settledYet(answer)).toBe(true);
    await expect(shows[3]).rejects.toMatchObject({ name: 'Refused', item: { n: 1 } });
    expect(await shows[1]).toMatchObject({ n: 1 });
  });

  it('rolls back every write of a turn that fails to commit, and continues afterwards', async () => {
    const table = open();
    const before = table.write({ put: { pk: 'p', sk: 'a', n: 1 } });
    endTurn();
    await before;
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
    database.exec(`PRAGMA max_page_count = ${pages + 1}`);
    const bytes = new Uint8Array(100_000);
    const transact = () =>
      table.transact('same token', [
        { put: { pk: 'p', sk: 'b', bytes }, when: { exists: false } },
        { update: { pk: 'p', sk: 'a' }, add: { n: 1 } },
      ]);
    const failing = [
      table.write({ update: { pk: 'p', sk: 'a' }, add: { n: 1 } }),
      transact(),
      table.query({ pk: 'p', consistent }),
    ];
    const outcomes = Promise.allSettled(failing);
    endTurn();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'database or disk is full' } });
    expect((await table.query({ pk: 'p', consistent })).items).toEqual([{ pk: 'p', sk: 'a', n: 1 }]);
    database.exec('PRAGMA max_page_count = 100000');
    const again = transact();
    endTurn();
    await again;
    expect((await table.query({ pk: 'p', consistent })).items).toMatchObject([{ n: 2 }, { sk: 'b' }]);
    expect((await open().query({ pk: 'p', consistent })).items).toMatchObject([{ n: 2 }, { sk: 'b' }]);
  });

  it('opens a database of an older release and reads items with a TTL from disk', async () => {
    database = new DatabaseSync(':memory:');
    database.exec('CREATE TABLE items (store TEXT NOT NULL, pk TEXT NOT NULL, sk NOT NULL, item BLOB NOT NULL)');
    const insert = database.prepare('INSERT INTO items VALUES (?, ?, ?, ?)');
    const ttl = begin / 1000 + 3600;
    for (const item of [
      { pk: 'p', sk: 'a', n: 1 },
      { pk: 'l', sk: 1, ttl },
      { pk: 'l', sk: 2, ttl: 1 },
    ])
      insert.run('t', item.pk, item.sk, serialize(item));
    prepareDatabase(database);
    prepareDatabase(database);
    const table = open();
    expect(await table.get({ pk: 'p', sk: 'a' }, { consistent })).toEqual({ pk: 'p', sk: 'a', n: 1 });
    expect((await table.query({ pk: 'l', consistent })).items).toEqual([{ pk: 'l', sk: 1, ttl }]);
    const write = table.write({ put: { pk: 'p', sk: 'b' } });
    endTurn();
    await write;
    expect(rows()).toBe(3);
  });

  it('removes expired items from disk that are not in memory', async () => {
    const table = open(0);
    const ttl = (begin + hour) / 1000;
    const put = async (writes: Write[], token: string) => {
      const done = table.transact(token, writes);
      endTurn();
      await done;
    };
    for (let part = 0; part < 25; part++)
      await put(
        Array.from({ length: 100 }, (_, n) => ({ put: { pk: 'l', sk: part * 100 + n, ttl } })),
        `t${part}`,
      );
    expect(rows()).toBe(2500);
    await clock.advance(2 * hour);
    expect((await table.query({ pk: 'l', consistent })).items).toEqual([]);
    for (let n = 0; n < 4; n++) await put([{ put: { pk: 'p', sk: 'a', n } }], `again${n}`);
    expect(rows()).toBe(1);
  });

  describe.each([1, 2, 3, 4])('with little memory for items with a TTL (seed %i)', (seed) => {
    it('answers as an in-memory table does, also after it is reopened', async () => {
      const random = seededRandom(seed);
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)]!;
      const chance = (share: number) => random.next() < share;
      const reference = memoryTable({ clock });
      let table = open(seed * 4000);
      const keys = [1, 2, 3, 5, 8, 13, 21, 'a', 'b', 'c/1', 'c/2', 'd', '\u{1f600}', '\uffee'];
      const key = () => {
        const sk = pick(keys);
        return { pk: typeof sk === 'number' ? pick(['l1', 'l2']) : pick(['o1', 'o2']), sk };
      };
      const item = (): Item => ({
        ...key(),
        n: Math.floor(random.next() * 100),
        ...(chance(0.6) && { ttl: Math.floor(clock.now() / 1000 + random.next() * 8000) }),
        bytes: new Uint8Array(Math.floor(random.next() * 2000)),
      });
      const change = (): Exclude<Write, { check: unknown }> => {
        const when = chance(0.3) ? { when: { exists: chance(0.5) } } : {};
        if (chance(0.5)) return { put: item(), ...when };
        if (chance(0.4)) return { delete: key(), ...when };
        const ttl = Math.floor(clock.now() / 1000 + random.next() * 8000);
        return { update: key(), add: { n: 1 }, ...(chance(0.5) ? { remove: ['ttl'] } : { set: { ttl } }), ...when };
      };
      /** Prints byte arrays as their length, so that a difference is readable. */
      const shown = (value: unknown): string =>
        JSON.stringify(value, (_, part) => (part instanceof Uint8Array ? `${part.length} bytes` : part)) ?? '';
      const outcome = (promise: Promise<unknown>) =>
        promise.then(
          (value) => shown(value),
          (error: Error) => shown({ ...error, name: error.name }),
        );
      const queryOf = (): TableQuery => {
        const isLog = chance(0.5);
        const some = keys.filter((one) => (typeof one === 'number') === isLog);
        const pk = isLog ? pick(['l1', 'l2']) : pick(['o1', 'o2']);
        return {
          pk,
          ...(chance(0.5) && { from: pick(some) }),
          ...(chance(0.5) && { to: pick(some) }),
          ...(chance(0.3) && { after: { pk, sk: pick(some) } }),
          ...(chance(0.4) && { limit: 1 + Math.floor(random.next() * 4) }),
          ...(chance(0.5) && { descending: true }),
          consistent,
        };
      };
      for (let step = 0; step < 1500; step++) {
        const doing = chance(0.5)
          ? [change()].map((write) => [outcome(table.write(write)), outcome(reference.write(write))])
          : [[outcome(table.get(key(), { consistent: false })), undefined]];
        if (chance(0.3)) {
          const query = queryOf();
          doing.push([outcome(table.query(query)), outcome(reference.query(query))]);
        }
        const at = key();
        doing.push([outcome(table.get(at, { consistent })), outcome(reference.get(at, { consistent }))]);
        if (chance(0.7)) endTurn();
        else await Promise.resolve();
        endTurn();
        for (const [mine, other] of doing) if (other) expect(await mine).toEqual(await other);
        if (chance(0.02)) await clock.advance(random.next() * hour);
        if (chance(0.01)) table = open(seed * 4000);
      }
    });
  });
});
