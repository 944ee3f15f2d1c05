/** Real directories and a real port: the control plane acts only when the objects and the account match. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { accountPath } from '../cli/account.ts';
import { createMissing, objectsIn } from '../cli/apply.ts';
import { type ApiClient, openClient } from '../cli/client.ts';
import { listResources } from '../cli/cloud.ts';
import { thaw } from '../cli/installation.ts';
import { kubeconfigOf } from './credentials.ts';
import { type Local, startLocal } from './start.ts';

const root = mkdtempSync(join(tmpdir(), 'capstan-frozen-'));
const at = (name: string) => join(root, name);
const copy = (from: string, to: string) => cpSync(at(from), at(to), { recursive: true });

let local: Local | undefined;
let client: ApiClient;
const start = async (name: string) => {
  local = await startLocal({ data: at(name), port: 0, speed: 1000, workflows: false });
  client = openClient(kubeconfigOf(at(name)));
};
const stop = async () => {
  await local?.close();
  local = undefined;
};

const until = async (what: string, done: () => Promise<boolean>) => {
  for (let tries = 0; tries < 600; tries++) {
    if (await done()) return;
    await wait(50);
  }
  throw new Error(`it took too long until ${what}`);
};
const has = async (type: string) => (await listResources(client)).some((one) => one.type === type);
const mutations = async () => {
  const { items } = await client.json<{ items: { action: string; mutating: boolean; calls: number }[] }>(
    'GET',
    `${accountPath}/calls`,
  );
  return items.filter(({ mutating }) => mutating).map(({ action, calls }) => `${action} ${calls}`);
};

/** `early` has a network; `late` continued from it until it had an instance; `other` is another installation. */
beforeAll(async () => {
  for (const [name, type] of [
    ['early', 'vpc'],
    ['late', 'instance'],
  ] as const) {
    if (name === 'late') copy('early', 'late');
    await start(name);
    await createMissing(client, objectsIn(join(import.meta.dirname, '..', 'examples', 'quickstart.yaml')));
    await until(`there is ${type}`, () => has(type));
    await stop();
  }
  await start('other');
  await stop();
}, 60_000);
afterEach(stop);
afterAll(() => rmSync(root, { recursive: true, force: true }));

it.each([
  { what: 'older objects', objects: 'early', account: 'late', reason: 'ObjectsOlder' },
  { what: 'no objects', objects: undefined, account: 'late', reason: 'ObjectsLost' },
  { what: 'another account', objects: 'late', account: 'other', reason: 'AccountDiffers' },
])('$what: makes no mutating call until a user lifts the freeze', async (given) => {
  const name = given.reason;
  copy('late', name);
  for (const part of ['objects', 'account'] as const) {
    rmSync(join(at(name), part), { recursive: true });
    if (given[part]) copy(`${given[part]}/${part}`, `${name}/${part}`);
  }
  await start(name);
  expect(local?.freeze()?.reason).toBe(given.reason);
  const before = await mutations();
  await wait(1500);
  expect(await mutations()).toEqual(before);
  await stop();

  await start(name);
  expect(await thaw(client)).toContain('is lifted');
  expect(local?.freeze()).toBeUndefined();
  if (given.objects === 'early') await until('work goes on', async () => `${await mutations()}` !== `${before}`);
  await stop();
  await start(name);
  expect(local?.freeze()).toBeUndefined();
});

it('acts at once when they match', async () => {
  await start('late');
  expect(local?.freeze()).toBeUndefined();
  expect(await thaw(client)).toBe('The installation is not frozen.');
});
