import { describe, expect, it } from 'vitest';
import { systemClock } from '../../adapters/memory/clock.ts';
import { forbidden } from '../../machinery/api/errors.ts';
import type { Extension } from '../../machinery/server/index.ts';
import { clientOf, widget, widgets } from './client.ts';
import { createTestServer } from './world.ts';

const extended = async (extension: Extension) =>
  clientOf((await createTestServer(systemClock, { extensions: { 'widgets.example.com': extension } })).server);

describe('an extension of a kind', () => {
  it('changes or rejects objects before validation', async () => {
    const client = await extended({
      admit: (object, { operation }) => {
        if (object.metadata.name === 'refused')
          throw forbidden({ group: 'example.com', plural: 'widgets' }, 'refused', 'no');
        return { ...object, spec: { ...(object.spec as object), color: operation } };
      },
    });
    expect((await client.post(widgets, widget('a'))).body.spec).toMatchObject({ color: 'create' });
    expect((await client.patch(`${widgets}/a`, 'merge', { spec: { replicas: 3 } })).body.spec).toMatchObject({
      color: 'update',
    });
    expect((await client.post(widgets, widget('refused'))).body).toMatchObject({ code: 403, reason: 'Forbidden' });
  });

  it('creates nothing when its result has another type', async () => {
    const client = await extended({
      admit: (object) => {
        const { settings, ...spec } = object.spec as { settings?: object };
        return { ...object, spec: { ...spec, settings: { defaulted: true, ...settings } } };
      },
    });
    expect((await client.post(widgets, widget('a', { settings: { own: 1 } }))).body.spec).toMatchObject({
      settings: { defaulted: true, own: 1 },
    });
    for (const settings of ['text', ['list'], 7])
      expect((await client.post(widgets, widget('b', { settings }))).body).toMatchObject({
        code: 422,
        message: expect.stringContaining('spec.settings in body must be of type object'),
      });
  });

  it('reads what defaults, validation and warnings of the kind judge an object by', async () => {
    const asked: string[] = [];
    const client = await extended({
      related: async ({ metadata }, { operation, subresource = 'none' }) => {
        asked.push(`${operation} ${metadata.name} ${subresource}`);
        return [];
      },
    });
    await client.post(widgets, widget('a'));
    await client.patch(`${widgets}/a`, 'merge', { spec: { replicas: 3 } });
    await client.patch(`${widgets}/a/scale`, 'merge', { spec: { replicas: 4 } });
    await client.patch(`${widgets}/a/status`, 'merge', { status: { replicas: 3 } });
    expect(asked).toEqual(['create a none', 'update a none', 'update a scale']);
  });

  it('is notified only about stored changes', async () => {
    const heard: string[] = [];
    const client = await extended({ changed: (event, { metadata }) => void heard.push(`${event} ${metadata.name}`) });
    await client.post(widgets, widget('a'));
    await client.post(`${widgets}?dryRun=All`, widget('b'));
    await client.post(widgets, widget('a'));
    await client.patch(`${widgets}/a`, 'merge', {});
    await client.patch(`${widgets}/a`, 'merge', { spec: { replicas: 2 } });
    await client.delete(`${widgets}/a`);
    expect(heard).toEqual(['created a', 'updated a', 'deleted a']);
  });

  it('may set a grace period', async () => {
    const client = await extended({ graceSeconds: (_, requested) => requested ?? 30 });
    await client.post(widgets, widget('a'));
    const asked = Date.now();
    const first = (await client.delete(`${widgets}/a`)).body.metadata;
    expect(first.deletionGracePeriodSeconds).toBe(30);
    expect(Date.parse(first.deletionTimestamp!)).toBeGreaterThan(asked + 25_000);
    expect((await client.delete(`${widgets}/a`)).body.metadata).toEqual(first);
    expect(
      (await client.delete(`${widgets}/a`, { gracePeriodSeconds: 5 })).body.metadata.deletionGracePeriodSeconds,
    ).toBe(5);
    expect((await client.delete(`${widgets}/a`, { gracePeriodSeconds: 0 })).body).toMatchObject({ status: 'Success' });
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
  });

  it('adds subresources, which discovery lists', async () => {
    const client = await extended({
      subresources: {
        polish: {
          kind: 'Polish',
          group: 'care.example.com',
          version: 'v1',
          verbs: ['create'],
          handle: async (_, { name }, body) => ({
            apiVersion: 'care.example.com/v1',
            kind: 'Polish',
            metadata: { name },
            spec: body,
          }),
        },
      },
    });
    expect(await client.post(`${widgets}/a/polish`, { shine: 1 })).toMatchObject({
      status: 201,
      body: { kind: 'Polish', spec: { shine: 1 } },
    });
    expect((await client.get(`${widgets}/a/polish`)).status).toBe(405);
    const { body } = await client.get('/apis/example.com/v1');
    expect((body as unknown as { resources: object[] }).resources).toContainEqual(
      expect.objectContaining({ name: 'widgets/polish', kind: 'Polish', group: 'care.example.com' }),
    );
  });
});

it('explains a forbidden request', async () => {
  const { server } = await createTestServer(systemClock, {
    authorize: ({ verb, path }) =>
      verb === 'list' || path === '/metrics'
        ? { allowed: false, reason: 'only readers of one' }
        : { allowed: true, reason: '' },
  });
  const client = clientOf(server);
  const refused = await client.get(widgets);
  expect(refused.body).toMatchObject({
    code: 403,
    reason: 'Forbidden',
    details: { group: 'example.com', kind: 'widgets' },
    message:
      'widgets.example.com is forbidden: User "tester" cannot list resource "widgets" in API group "example.com" in the namespace "default": only readers of one',
  });
  expect((await client.get('/metrics')).status).toBe(403);
  expect((await client.post(widgets, widget('a'))).status).toBe(201);
  const review = await client.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    spec: { resourceAttributes: { verb: 'list' } },
  });
  expect(review.body.status).toEqual({ allowed: false, reason: 'only readers of one' });
});
