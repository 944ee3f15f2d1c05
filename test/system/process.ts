/** One process over durable state: when it is killed, its pending work does not happen. */
import type { Clock, Table } from '../../machinery/ports.ts';
import type { Records, Storage } from '../../simulation/ports.ts';

export interface Process {
  clock: Clock;
  table(inner: Table): Table;
  storage(inner: Storage): Storage;
  kill(): void;
  readonly alive: boolean;
}

const never = new Promise<never>(() => {});

/** `onEffect` is called after each durable change, before the caller learns of it. */
export const startProcess = (clock: Clock, onEffect: () => void): Process => {
  let alive = true;
  const unlessDead = async <T>(run: () => Promise<T>): Promise<T> => {
    if (!alive) return never;
    const answer = await run();
    return alive ? answer : never;
  };
  const changing = <T>(run: () => Promise<T>): Promise<T> =>
    unlessDead(async () => {
      const answer = await run();
      onEffect();
      return answer;
    });
  const table = (inner: Table): Table => ({
    get: (key, options) => unlessDead(() => inner.get(key, options)),
    query: (query) => unlessDead(() => inner.query(query)),
    write: (write) => changing(() => inner.write(write)),
    transact: (token, writes) => changing(() => inner.transact(token, writes)),
  });
  const records = <T>(inner: Records<T>): Records<T> => ({
    entries: inner.entries,
    get: inner.get,
    put: (id, value) => {
      if (!alive) return;
      inner.put(id, value);
      onEffect();
    },
    delete: (id) => {
      if (!alive) return;
      inner.delete(id);
      onEffect();
    },
  });
  return {
    clock: {
      now: clock.now,
      after: (ms, wake) => clock.after(ms, () => alive && wake()),
    },
    table,
    storage: (inner) => ({
      records: <T>(name: string) => records(inner.records<T>(name)),
      table: (name) => table(inner.table(name)),
      dropTable: (name) => {
        if (alive) inner.dropTable(name);
      },
    }),
    kill: () => {
      alive = false;
    },
    get alive() {
      return alive;
    },
  };
};
