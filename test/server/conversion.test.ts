/** Kinds of users whose webhook converts between versions. */
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../adapters/memory/clock.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { CallWebhook } from '../../machinery/api/webhook.ts';
import { type Client, clientOf } from './client.ts';
import { definitionOf, definitions, gadgetOf, gadgets, versionOf } from './definition.ts';
import { createTestServer } from './world.ts';

const old = '/apis/shop.example/v1beta1/namespaces/default/gadgets';
const size = { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } };
const text = { type: 'object', properties: { sizeText: { type: 'string' } } };
const webhook = {
  strategy: 'Webhook' as const,
  webhook: { clientConfig: { url: 'https://convert.example/convert' }, conversionReviewVersions: ['v1'] },
};
const definition = (storage = 'v1') =>
  definitionOf({
    conversion: webhook,
    versions: [
      versionOf(size, { storage: storage === 'v1' }),
      versionOf(text, { name: 'v1beta1', storage: storage === 'v1beta1' }),
    ],
  });

interface Review {
  request: { uid: string; desiredAPIVersion: string; objects: KubeObject[] };
}
const converted = (object: KubeObject, apiVersion: string): KubeObject => {
  const { size: n, sizeText } = object.spec as { size?: number; sizeText?: string };
  const spec = apiVersion.endsWith('v1') ? { size: Number(sizeText) } : { sizeText: String(n) };
  return { ...object, apiVersion, spec };
};
const answering =
  (change: (objects: KubeObject[]) => KubeObject[] = (objects) => objects, result: object = { status: 'Success' }) =>
  async (_: unknown, body: unknown) => {
    const { request } = body as Review;
    const objects = change(request.objects.map((object) => converted(object, request.desiredAPIVersion)));
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid: request.uid, result, convertedObjects: objects },
    };
  };

const begin = async (call: CallWebhook): Promise<Client> => {
  const client = clientOf((await createTestServer(systemClock, { callWebhook: call })).server);
  expect((await client.post(definitions, definition())).status).toBe(201);
  return client;
};

describe('a webhook of a definition', () => {
  it('converts what is read, listed, watched and written in another version', async () => {
    const client = await begin(answering());
    await client.post(gadgets, gadgetOf('a', { size: 3 }));
    const got = await client.get(`${old}/a`);
    expect(got.body).toMatchObject({ apiVersion: 'shop.example/v1beta1', spec: { sizeText: '3' } });
    expect((await client.get(old)).body.items).toMatchObject([{ spec: { sizeText: '3' } }]);
    const watch = await client.watch(`${old}?watch=true`);
    expect((await watch.next())?.object.spec).toEqual({ sizeText: '3' });
    await client.patch(`${old}/a`, 'merge', { spec: { sizeText: '5' } });
    expect((await watch.next())?.object.spec).toEqual({ sizeText: '5' });
    watch.stop();
    expect((await client.get(`${gadgets}/a`)).body).toMatchObject({ apiVersion: 'shop.example/v1', spec: { size: 5 } });
    const made = await client.post(old, { ...gadgetOf('b', { sizeText: '7' }), apiVersion: 'shop.example/v1beta1' });
    expect(made.body).toMatchObject({ apiVersion: 'shop.example/v1beta1', spec: { sizeText: '7' } });
    expect((await client.get(`${gadgets}/b`)).body.spec).toEqual({ size: 7 });
  });

  it('is called once for each state', async () => {
    let calls = 0;
    const answer = answering();
    const client = await begin(async (target, body) => {
      calls++;
      return answer(target, body);
    });
    await client.post(gadgets, gadgetOf('a', { size: 3 }));
    for (let i = 0; i < 3; i++) await client.get(`${old}/a`);
    await client.get(old);
    expect(calls).toBe(1);
  });

  it('may change labels and annotations, and no other metadata', async () => {
    const client = await begin(
      answering((objects) =>
        objects.map((object) => ({
          ...object,
          metadata: {
            ...object.metadata,
            labels: { by: 'webhook' },
            finalizers: ['a.example/x'],
            resourceVersion: '1',
          },
        })),
      ),
    );
    const { body: made } = await client.post(gadgets, gadgetOf('a', { size: 3 }));
    const { metadata } = (await client.get(`${old}/a`)).body;
    expect(metadata).toMatchObject({ labels: { by: 'webhook' }, resourceVersion: made.metadata.resourceVersion });
    expect(metadata.finalizers).toBeUndefined();
  });

  it.each([
    {
      rule: 'fails',
      call: answering(undefined, { status: 'Failure', message: 'no such thing' }),
      says: 'conversion webhook for shop.example/v1, Kind=Gadget failed: no such thing',
    },
    {
      rule: 'cannot be reached',
      call: async () => Promise.reject(new Error('connection refused')),
      says: 'conversion webhook for shop.example/v1, Kind=Gadget failed: connection refused',
    },
    {
      rule: 'loses objects',
      call: answering(() => []),
      says: 'conversion webhook for shop.example/v1, Kind=Gadget returned 0 objects, expected 1',
    },
    {
      rule: 'renames objects',
      call: answering((objects) =>
        objects.map((object) => ({ ...object, metadata: { ...object.metadata, name: 'x' } })),
      ),
      says: 'returned invalid converted object at index 0: must have the same name: a != x',
    },
    {
      rule: 'leaves the version',
      call: answering((objects) => objects.map((object) => ({ ...object, apiVersion: 'shop.example/v9' }))),
      says: 'invalid groupVersion (expected shop.example/v1beta1, received shop.example/v9)',
    },
  ])('that $rule fails requests for other versions, and no others', async ({ call, says }) => {
    const client = await begin(call as CallWebhook);
    await client.post(gadgets, gadgetOf('a', { size: 3 }));
    const { body } = await client.get(`${old}/a`);
    expect(body).toMatchObject({ code: 500 });
    expect(body.message).toContain(says);
    expect((await client.get(`${gadgets}/a`)).status).toBe(200);
    expect((await client.delete(`${gadgets}/a`)).status).toBe(200);
  });

  it('converts what was stored before the storage version changed, until a write stores it anew', async () => {
    const sent: string[] = [];
    const answer = answering();
    const client = await begin(async (config, body) => {
      sent.push((body as Review).request.desiredAPIVersion);
      return answer(config, body);
    });
    await client.post(gadgets, gadgetOf('a', { size: 3 }));
    const { body: changed } = await client.patch(`${definitions}/gadgets.shop.example`, 'merge', {
      spec: definition('v1beta1').spec,
    });
    expect(changed.status).toMatchObject({ storedVersions: ['v1', 'v1beta1'] });
    expect((await client.get(`${old}/a`)).body.spec).toEqual({ sizeText: '3' });
    expect((await client.get(`${gadgets}/a`)).body.spec).toEqual({ size: 3 });
    // A write that changes nothing stores the object in the new storage version.
    const { body: before } = await client.get(`${gadgets}/a`);
    const { body: after } = await client.patch(`${gadgets}/a`, 'merge', {});
    expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
    expect(after.spec).toEqual({ size: 3 });
    expect(after.metadata.generation).toBe(1);
    sent.length = 0;
    expect((await client.get(`${old}/a`)).body.spec).toEqual({ sizeText: '3' });
    expect(sent).toEqual([]);
  });
});
