/** Kinds of users in the whole system: their objects are collected, and deleted with what they belong to. */
import { afterEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { definitionOf, definitions, gadgetOf, gadgets } from '../server/definition.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

const post = async (path: string, object: object) => {
  const { code, body } = await world.request('POST', path, object);
  expect(code, body.message).toBe(201);
  return body;
};
const codeOf = async (path: string) => (await world.request('GET', path)).code;
const named = `${definitions}/gadgets.shop.example`;
const reasonOf = async (type: string) => {
  const { status } = (await world.request('GET', named)).body as KubeObject<
    unknown,
    { conditions: { type: string; reason: string }[] }
  >;
  return status?.conditions.find((condition) => condition.type === type)?.reason;
};

const begin = async (finalizers: string[] = []) => {
  world = await createWorld();
  await post(definitions, definitionOf());
  const gadget = gadgetOf('a');
  return post(gadgets, { ...gadget, metadata: { ...gadget.metadata, finalizers } });
};
const configMap = (name: string, owner: KubeObject) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    ownerReferences: [
      { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid },
    ],
  },
});
const configMaps = '/api/v1/namespaces/default/configmaps';

describe('an object of a kind of users', () => {
  it('owns others, which are collected after it', async () => {
    const owner = await begin();
    await post(configMaps, configMap('kept', owner));
    await world.pass(1);
    expect(await codeOf(`${configMaps}/kept`)).toBe(200);
    await world.request('DELETE', `${gadgets}/a`);
    await world.pass(1);
    expect(await codeOf(`${configMaps}/kept`)).toBe(404);
  });

  it('is collected after its owner', async () => {
    await begin();
    const owner = await post(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } });
    const owned = configMap('b', owner).metadata;
    await post(gadgets, { ...gadgetOf('b'), metadata: owned });
    await world.request('DELETE', `${configMaps}/owner`);
    await world.pass(1);
    expect(await codeOf(`${gadgets}/b`)).toBe(404);
    expect(await codeOf(`${gadgets}/a`)).toBe(200);
  });

  it('is deleted with its namespace', async () => {
    await begin();
    await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'doomed' } });
    const path = '/apis/shop.example/v1/namespaces/doomed/gadgets';
    await post(path, gadgetOf('b'));
    await world.request('DELETE', '/api/v1/namespaces/doomed');
    await world.pass(1);
    expect(await codeOf('/api/v1/namespaces/doomed')).toBe(404);
    expect(await codeOf(`${path}/b`)).toBe(404);
  });
});

describe('the deletion of a definition', () => {
  it('deletes its objects, then the resource', async () => {
    await begin();
    const { body } = await world.request('DELETE', named);
    expect(body).toMatchObject({
      metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] },
      status: {
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending' }),
        ]),
      },
    });
    await world.pass(1);
    expect(await codeOf(named)).toBe(404);
    expect(await codeOf(gadgets)).toBe(404);
    await post(definitions, definitionOf());
    expect((await world.request('GET', gadgets)).body.items).toEqual([]);
  });

  it('waits for finalizers of its objects, and lets no new ones in', async () => {
    await begin(['shop.example/held']);
    await world.request('DELETE', named);
    await world.pass(1);
    expect(await reasonOf('Terminating')).toBe('InstanceDeletionInProgress');
    const refused = await world.request('POST', gadgets, gadgetOf('b'));
    expect(refused).toMatchObject({
      code: 403,
      body: {
        message:
          'gadgets.shop.example "b" is forbidden: create not allowed while custom resource definition is terminating',
      },
    });
    const changed = await world.request('PATCH', `${gadgets}/a`, { spec: { size: 3 } }, 'application/merge-patch+json');
    expect(changed.code).toBe(200);
    await world.request('PATCH', `${gadgets}/a`, { metadata: { finalizers: null } }, 'application/merge-patch+json');
    await world.pass(1);
    expect(await codeOf(named)).toBe(404);
  });

  it('frees its names for one that waits for them', async () => {
    await begin();
    await post(definitions, definitionOf({}, { plural: 'gizmos', singular: 'gadget', kind: 'Gizmo' }));
    const path = '/apis/shop.example/v1/namespaces/default/gizmos';
    expect(await codeOf(path)).toBe(404);
    await world.request('DELETE', named);
    await world.pass(2);
    expect(await codeOf(path)).toBe(200);
  });
});
