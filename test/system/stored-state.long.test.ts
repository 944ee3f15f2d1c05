/**
 * An installation of an earlier version continues. `stored/` contains the data directory of `capstan dev` at commit
 * 9668947, killed while `examples/quickstart.yaml` waited for its first control plane machine. `stored-upgrade/` is the
 * same one after commit 4a88aab continued it, and began to upgrade the cluster to v1.36.0.
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
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import { upgradeSteps } from '../../kinds/operations/upgrade/step-names.ts';
import { createSystem } from '../../local/system.ts';
import { isTrue } from '../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../machinery/api/object.ts';
import './loaded.ts';
import { quickPki } from './pki.ts';

const installation = '2ffbfc8d-7275-4053-9cb9-79384b7d607e';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'capstan-'));
});
afterEach(() => rmSync(data, { recursive: true }));

/** Starts this version on the data directory, at the time at which the earlier one was stopped. */
const startOn = async (folder: string, stoppedAt: number) => {
  const stored = join(import.meta.dirname, folder);
  for (const part of ['objects', 'account']) {
    mkdirSync(join(data, part));
    const database = gunzipSync(readFileSync(join(stored, `${part}.sqlite.gz`)));
    writeFileSync(join(data, part, 'state.sqlite'), database);
  }
  copyFileSync(join(stored, 'key'), join(data, 'objects', 'key'));
  const clock = virtualClock(stoppedAt);
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
  const before = new Set(await marks());

  let isStarted = false;
  void system.start().then(() => {
    isStarted = true;
  });
  await clock.run(() => isStarted);
  expect(system.freeze()).toBeUndefined();
  const remove = async (): Promise<void> => {
    const path = 'https://127.0.0.1/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/quickstart';
    const headers = { authorization: 'Bearer a-token' };
    expect((await system.server.fetch(new Request(path, { method: 'DELETE', headers }))).status).toBe(200);
    expect(await within(60, async () => (await cluster()) === undefined)).toBe(true);
    expect(system.account.list()).toEqual([]);
  };
  const stop = async (): Promise<void> => {
    let isStopped = false;
    void system.stop().then(() => {
      isStopped = true;
    });
    await clock.run(() => isStopped);
    objects.close();
    account.close();
  };
  const operation = async (name: string) =>
    (await get('clusteroperations.capstan.dev', name))?.status as ClusterOperation['status'];
  return {
    within,
    isAvailable,
    operation,
    errors,
    formats: { before, now: async () => new Set(await marks()) },
    remove,
    stop,
  };
};

it('continues a creation that an earlier version began, and deletes the cluster', async () => {
  const { within, isAvailable, operation, errors, formats, remove, stop } = await startOn(
    'stored',
    Date.UTC(2026, 10, 26, 23, 2),
  );
  expect(formats.before).toEqual(new Set([1]));
  expect(await isAvailable()).toBe(false);
  expect(await within(60, isAvailable), errors.join('\n')).toBe(true);
  const isRecorded = async () => {
    return (await operation('quickstart-create-1'))?.phase === 'Succeeded';
  };
  expect(await within(5, isRecorded)).toBe(true);
  expect(await formats.now()).toEqual(new Set([2]));
  await remove();
  await stop();
});

it('continues an upgrade that an earlier version began', async () => {
  const { within, isAvailable, operation, errors, remove, stop } = await startOn('stored-upgrade', 1_795_734_220_000);
  expect(await operation('quickstart-upgrade-1')).toMatchObject({ phase: 'Running', step: 'ControlPlaneFirst' });
  const isRecorded = async () => (await operation('quickstart-upgrade-1'))?.phase === 'Succeeded';
  expect(await within(120, isRecorded), errors.join('\n')).toBe(true);
  expect((await operation('quickstart-upgrade-1'))?.steps?.map(({ verdict }) => verdict)).toEqual(
    upgradeSteps.map(() => 'Succeeded'),
  );
  expect(await isAvailable()).toBe(true);
  await remove();
  await stop();
});
