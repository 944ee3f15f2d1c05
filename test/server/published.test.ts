/** Objects that a server publishes without storing them. */
import { beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../adapters/memory/clock.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { published } from '../../machinery/server/published.ts';
import { clientOf, widget, widgets } from './client.ts';
import { createTestServer } from './world.ts';

const created = Date.UTC(2026, 0, 1);
const shown = ['a', 'b'].map((name, i): KubeObject => ({ ...widget(name, { replicas: i }, { namespace: 'default' }) }));
const started = async (of = shown) => {
  const extensions = { 'widgets.example.com': published(async () => of, created) };
  return clientOf((await createTestServer(systemClock, { extensions })).server);
};

let client: Awaited<ReturnType<typeof started>>;
beforeEach(async () => {
  client = await started();
});

it('can be read individually and listed by namespace', async () => {
  const { body } = await client.get(`${widgets}/b`);
  expect(body).toMatchObject({ spec: { replicas: 1 }, metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } });
  expect((await client.get(`${widgets}/c`)).status).toBe(404);
  const names = async (path: string) => (await client.get(path)).body.items.map(({ metadata }) => metadata.name);
  expect(await names(widgets)).toEqual(['a', 'b']);
  expect(await names('/apis/example.com/v1/widgets')).toEqual(['a', 'b']);
  expect(await names('/apis/example.com/v1/namespaces/other/widgets')).toEqual([]);
  expect((await client.get('/apis/example.com/v1/namespaces/other/widgets/a')).status).toBe(404);
});

it('are equal for every process, with unique UIDs', async () => {
  const uidsOf = async ({ get }: typeof client) => (await get(widgets)).body.items.map(({ metadata }) => metadata.uid);
  const uids = await uidsOf(client);
  expect(new Set(uids).size).toBe(2);
  for (const uid of uids) expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(await uidsOf(await started())).toEqual(uids);
});

it('cannot be changed', async () => {
  const before = (await client.get(widgets)).body;
  const answers = [
    await client.post(widgets, widget('c')),
    await client.patch(`${widgets}/a`, 'merge', { spec: { replicas: 3 } }),
    await client.delete(`${widgets}/a`),
  ];
  for (const { status, body } of answers) expect({ status, body }).toMatchObject({ status: 503, body: { code: 503 } });
  expect((await client.get(widgets)).body).toEqual(before);
});

it('can be watched, and never change', async () => {
  const { metadata } = (await client.get(widgets)).body;
  const watch = await client.watch(
    `${widgets}?watch=true&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=1`,
  );
  expect(watch.status).toBe(200);
  expect(await watch.next()).toBeUndefined();
  const all = await client.watch(`${widgets}?watch=true`);
  expect([await all.next(), await all.next()].map((event) => `${event?.type} ${event?.object.metadata.name}`)).toEqual([
    'ADDED a',
    'ADDED b',
  ]);
  all.stop();
});

it('expire the resourceVersion of another release only, so that its watchers list again', async () => {
  const changed = shown.map((one) => ({ ...one, spec: { replicas: 7 } }));
  const versionOf = async ({ get }: typeof client) => (await get(widgets)).body.metadata.resourceVersion;
  const [before, other] = [await versionOf(client), await started(changed)];
  expect(await versionOf(await started())).toBe(before);
  for (const [since, server] of [
    [before, other],
    [await versionOf(other), client],
  ] as const) {
    const watch = await server.watch(`${widgets}?watch=true&resourceVersion=${since}`);
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  }
});
