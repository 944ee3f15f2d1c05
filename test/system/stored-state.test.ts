/**
 * An installation of an earlier version continues. `stored/` contains the data directory of `capstan dev` at commit
 * 9668947, killed while `examples/quickstart.yaml` waited for its first control plane machine.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openKeys } from '../../adapters/durable/keys.ts';
import { openStorage } from '../../adapters/durable/storage.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { createSystem } from '../../local/system.ts';
import { isTrue } from '../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../machinery/api/object.ts';
import './loaded.ts';
import { quickPki } from './pki.ts';

const stored = join(import.meta.dirname, 'stored');
const storedAt = Date.UTC(2026, 10, 26, 23, 2);
const installation = '2ffbfc8d-7275-4053-9cb9-79384b7d607e';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'capstan-'));
  for (const part of ['objects', 'account']) {
    mkdirSync(join(data, part));
    const database = gunzipSync(readFileSync(join(stored, `${part}.sqlite.gz`)));
    writeFileSync(join(data, part, 'state.sqlite'), database);
  }
  copyFileSync(join(stored, 'key'), join(data, 'objects', 'key'));
});
afterEach(() => rmSync(data, { recursive: true }));

it('continues a creation that an earlier version began, and deletes the cluster', async () => {
  const clock = virtualClock(storedAt);
  const random = seededRandom(1);
  const objects = openStorage(join(data, 'objects'), clock);
  const account = openStorage(join(data, 'account'), clock);
  let lastPort = 40_000;
  const errors: string[] = [];
  const system = createSystem({
    clock,
    random,
    keys: openKeys(join(data, 'objects'), random),
    objects: objects.table('objects'),
    work: objects.table('work'),
    account,
    network: { listen: () => undefined, close: () => undefined, reserve: () => ++lastPort },
    pki: quickPki(),
    log: { info: () => undefined, error: (message, facts) => errors.push(`${message} ${JSON.stringify(facts)}`) },
    installation,
    token: 'a-token',
  });
  const within = async (minutes: number, isSo: () => Promise<boolean>): Promise<boolean> => {
    for (let second = 0; second < minutes * 60; second++) {
      if (second % 10 === 0 && (await isSo())) return true;
      await clock.advance(1000);
    }
    return false;
  };
  const get = (type: string, name: string): Promise<KubeObject | undefined> =>
    system.store.get(type, { namespace: 'default', name });
  const cluster = () => get('clusters.cluster.x-k8s.io', 'quickstart');
  const isAvailable = async () =>
    isTrue(((await cluster())?.status as { conditions?: Condition[] } | undefined)?.conditions, 'Available');

  /** The first byte of each stored Secret: 1 in the former format, 2 before a purpose. */
  const marks = async (): Promise<number[]> => {
    const { items } = await objects.table('objects').query({ pk: 'o#secrets', consistent: true });
    return items.flatMap(({ body }) => (body ? [(body as Uint8Array)[0]!] : []));
  };
  expect(new Set(await marks())).toEqual(new Set([1]));

  let isStarted = false;
  void system.start().then(() => {
    isStarted = true;
  });
  await clock.run(() => isStarted);
  expect(system.freeze()).toBeUndefined();
  expect(await isAvailable()).toBe(false);

  expect(await within(60, isAvailable), errors.join('\n')).toBe(true);
  const isRecorded = async () => {
    const operation = await get('clusteroperations.capstan.dev', 'quickstart-create-1');
    return (operation?.status as { phase?: string } | undefined)?.phase === 'Succeeded';
  };
  expect(await within(5, isRecorded)).toBe(true);
  expect(new Set(await marks())).toEqual(new Set([2]));

  const path = 'https://127.0.0.1/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/quickstart';
  const headers = { authorization: 'Bearer a-token' };
  expect((await system.server.fetch(new Request(path, { method: 'DELETE', headers }))).status).toBe(200);
  expect(await within(60, async () => (await cluster()) === undefined)).toBe(true);
  expect(system.account.list()).toEqual([]);

  let isStopped = false;
  void system.stop().then(() => {
    isStopped = true;
  });
  await clock.run(() => isStopped);
  objects.close();
  account.close();
});
