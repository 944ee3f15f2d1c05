import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../adapters/memory/clock.ts';
import { clientOf, widget as make, widgets } from './client.ts';
import { widget } from './widget.ts';
import { createTestServer } from './world.ts';

const protectedWidget = (name: string) => make(name, {}, { labels: { keep: 'yes' } });
const refused = (name: string) => ({
  kind: 'Status',
  status: 'Failure',
  code: 403,
  reason: 'Forbidden',
  message: `widgets.example.com "${name}" is forbidden: keep it`,
  details: { group: 'example.com', kind: 'widgets', name },
});

let client: ReturnType<typeof clientOf>;
beforeEach(async () => {
  const { server, registry } = await createTestServer(systemClock);
  registry.add({
    ...widget,
    refuseDelete: ({ metadata }) => (metadata.labels?.keep === 'yes' ? 'keep it' : undefined),
  });
  client = clientOf(server);
});

describe('an object with deletion protection', () => {
  it('is kept, whichever way it is deleted', async () => {
    await client.post(widgets, protectedWidget('a'));
    const before = await client.get(`${widgets}/a`);
    for (const query of ['', '?dryRun=All', '?propagationPolicy=Foreground', '?gracePeriodSeconds=0'])
      expect((await client.delete(`${widgets}/a${query}`)).body, query).toMatchObject(refused('a'));
    expect((await client.get(`${widgets}/a`)).body).toEqual(before.body);
  });

  it('is deleted once it is unprotected', async () => {
    await client.post(widgets, protectedWidget('a'));
    await client.patch(`${widgets}/a`, 'merge', { metadata: { labels: { keep: null } } });
    expect((await client.delete(`${widgets}/a`)).status).toBe(200);
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
  });

  it('is checked after the preconditions', async () => {
    await client.post(widgets, protectedWidget('a'));
    expect((await client.delete(`${widgets}/a`, { preconditions: { uid: 'x' } })).status).toBe(409);
    expect((await client.delete(`${widgets}/b`)).status).toBe(404);
  });

  it('continues a deletion that was already running', async () => {
    await client.post(widgets, make('a', {}, { finalizers: ['example.com/one'] }));
    await client.delete(`${widgets}/a`);
    await client.patch(`${widgets}/a`, 'merge', { metadata: { labels: { keep: 'yes' } } });
    expect((await client.delete(`${widgets}/a`)).status).toBe(200);
    await client.patch(`${widgets}/a`, 'merge', { metadata: { finalizers: null } });
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
  });

  // As upstream: not atomic, in order, and the first refusal is the response.
  it('stops a deletecollection', async () => {
    await client.post(widgets, make('a'));
    await client.post(widgets, protectedWidget('b'));
    await client.post(widgets, make('c'));
    expect((await client.delete(`${widgets}?dryRun=All`)).body).toMatchObject(refused('b'));
    expect((await client.get(widgets)).body.items).toHaveLength(3);
    expect((await client.delete(widgets)).body).toMatchObject(refused('b'));
    expect((await client.get(widgets)).body.items.map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
  });
});

describe('the namespace of protected objects', () => {
  const namespaces = '/api/v1/namespaces';
  const inside = '/apis/example.com/v1/namespaces/n/widgets';
  beforeEach(() => client.post(namespaces, { metadata: { name: 'n' } }));

  it('is refused before anything is marked, with their names', async () => {
    await client.post(inside, protectedWidget('a'));
    await client.post(inside, make('b'));
    for (const query of ['', '?dryRun=All', '?propagationPolicy=Foreground'])
      expect((await client.delete(`${namespaces}/n${query}`)).body, query).toMatchObject({
        code: 403,
        reason: 'Forbidden',
        message: 'namespaces "n" is forbidden: it contains widgets.example.com "a", which may not be deleted: keep it',
        details: {
          name: 'n',
          kind: 'namespaces',
          causes: [{ reason: 'Protected', message: 'keep it', field: 'widgets.example.com "a"' }],
        },
      });
    const { body } = await client.get(`${namespaces}/n`);
    expect(body.metadata.deletionTimestamp).toBeUndefined();
    expect(body.status).toEqual({ phase: 'Active' });
  });

  it('lists the first five of many', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await client.post(inside, protectedWidget(name));
    const { body } = await client.delete(`${namespaces}/n`);
    expect(body.message).toContain('widgets.example.com "d", widgets.example.com "e" and 2 more, which');
    expect(body.details.causes).toHaveLength(5);
  });

  it('is deleted without them, regardless of other namespaces', async () => {
    await client.post(widgets, protectedWidget('a'));
    await client.post(inside, make('b'));
    expect((await client.delete(`${namespaces}/n`)).body.status).toEqual({ phase: 'Terminating' });
  });

  it('continues its deletion when an object in it is protected later', async () => {
    await client.post(inside, make('a', {}, { finalizers: ['example.com/one'] }));
    await client.delete(`${namespaces}/n`);
    await client.patch(`${inside}/a`, 'merge', { metadata: { labels: { keep: 'yes' } } });
    expect((await client.delete(`${namespaces}/n`)).body.status).toEqual({ phase: 'Terminating' });
  });
});
