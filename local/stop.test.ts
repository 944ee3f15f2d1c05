/** A stopped system leaves its ports open, so that their owner can close them. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock as clock } from '../adapters/memory/clock.ts';
import { memoryKeys } from '../adapters/memory/keys.ts';
import { seededRandom } from '../adapters/memory/random.ts';
import { memoryStorage } from '../adapters/memory/storage.ts';
import { memoryTable } from '../adapters/memory/table.ts';
import type { Table } from '../machinery/ports.ts';

import { createSystem } from './system.ts';

it('awaits the running passes when it stops', async () => {
  const random = seededRandom(1);
  let isClosed = false;
  const afterStop: string[] = [];
  /** As slow as a disk, so that a stop interrupts passes. */
  const slow = (table: Table): Table => {
    const through =
      <A extends unknown[], R>(name: string, call: (...given: A) => Promise<R>) =>
      async (...given: A): Promise<R> => {
        if (isClosed) afterStop.push(name);
        await wait(2);
        return call(...given);
      };
    return {
      get: through('get', table.get),
      query: through('query', table.query),
      write: through('write', table.write),
      transact: through('transact', table.transact),
    };
  };
  const system = createSystem({
    clock,
    random,
    keys: memoryKeys(random),
    objects: slow(memoryTable({ clock })),
    work: slow(memoryTable({ clock })),
    account: memoryStorage(clock),
    network: { listen: () => undefined, close: () => undefined, reserve: () => 1 },
    log: { info: () => undefined, error: () => undefined },
    installation: 'here',
    token: 'a-token',
  });
  await system.start();
  for (const name of ['a', 'b', 'c'])
    await system.server.fetch(
      new Request('https://here/api/v1/namespaces', {
        method: 'POST',
        headers: { authorization: 'Bearer a-token', 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
      }),
    );
  await system.stop();
  isClosed = true;
  await wait(100);
  expect(afterStop).toEqual([]);
}, 20_000);
