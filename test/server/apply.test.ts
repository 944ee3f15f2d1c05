/** Server-side apply through the API; machinery/apply is compared with upstream's own code. */
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../adapters/memory/clock.ts';
import { systemRandom } from '../../adapters/memory/random.ts';
import { machineDeployment } from '../../kinds/core/machine-deployment/index.ts';
import { namespace } from '../../kinds/kubernetes/namespace/index.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import { kindsOf } from '../../machinery/controller/kinds.ts';
import { createWriter, type ObjectWriter } from '../../machinery/controller/writer.ts';
import { ownedByController } from '../../machinery/server/owners.ts';
import { type Client, clientOf, configMap, configMaps, widget, widgets } from './client.ts';
import { widget as widgetKind } from './widget.ts';
import { createTestServer } from './world.ts';

/** Each look at the clock is a second later, as times have seconds. */
let now = Date.parse('2026-01-01T00:00:00Z');
const clock = { ...systemClock, now: () => now };
let client: Client;
let writer: ObjectWriter;
beforeEach(async () => {
  const { server, store } = await createTestServer(clock);
  client = clientOf(server);
  const kinds = kindsOf([widgetKind]);
  writer = createWriter({ store, kinds, clock, random: systemRandom, own: async () => ownedByController });
});

const by = (manager: string, more = '') => `?fieldManager=${manager}${more}`;
const applied = (name: string, manager: string, spec: object, more = '') =>
  client.apply(`${widgets}/${name}${by(manager, more)}`, widget(name, spec));
const ownersOf = async (name: string) => {
  const { body } = await client.get(`${widgets}/${name}`);
  const entries = (body.metadata.managedFields ?? []) as JsonObject[];
  return Object.fromEntries(
    entries.map(({ manager, operation, subresource, fieldsV1 }) => [
      `${manager} ${operation}${subresource ? ` ${subresource}` : ''}`,
      fieldsV1,
    ]),
  );
};

describe('an apply', () => {
  it('creates what does not exist, and owns what it says', async () => {
    const { status, body } = await applied('a', 'me', { size: 'large' });
    expect(status).toBe(201);
    expect(body.spec).toEqual({ size: 'large', replicas: 1 });
    expect(body.metadata.managedFields).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'example.com/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:size': {} } },
      },
    ]);
  });

  it('reads YAML', async () => {
    const text = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: { name: a }\nspec: { replicas: 3 }\n';
    expect((await client.apply(`${widgets}/a${by('me')}`, text)).body.spec).toEqual({ replicas: 3 });
  });

  it('that changes nothing writes nothing, however late', async () => {
    const first = await applied('a', 'me', { size: 'large' });
    now += 60_000;
    const { status, body } = await applied('a', 'me', { size: 'large' });
    expect(status).toBe(200);
    expect(body).toEqual(first.body);
  });

  it('removes what its manager does not say any more, and keeps what others own', async () => {
    await applied('a', 'me', { size: 'large', color: 'red', parts: [{ name: 'x' }, { name: 'y' }] });
    await applied('a', 'other', { parts: [{ name: 'y', weight: 2 }], aliases: ['b'] });
    const { body } = await applied('a', 'me', { size: 'large' });
    expect(body.spec).toEqual({ size: 'large', replicas: 1, parts: [{ name: 'y', weight: 2 }], aliases: ['b'] });
  });

  it('conflicts with the owner of a field that it would change', async () => {
    await applied('a', 'me', { size: 'large' });
    const { status, body } = await applied('a', 'other', { size: 'small' });
    expect(status).toBe(409);
    expect(body).toMatchObject({
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "me": .spec.size',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "me"', field: '.spec.size' }],
      },
    });
    expect((await client.get(`${widgets}/a`)).body.spec.size).toBe('large');
  });

  it('takes a field over by force, and shares one of equal value', async () => {
    await applied('a', 'me', { size: 'large', color: 'red' });
    const { body } = await applied('a', 'other', { size: 'small', color: 'red' }, '&force=true');
    expect(body.spec).toMatchObject({ size: 'small', color: 'red' });
    expect(await ownersOf('a')).toEqual({
      'me Apply': { 'f:spec': { 'f:color': {} } },
      'other Apply': { 'f:spec': { 'f:color': {}, 'f:size': {} } },
    });
  });

  it('owns nothing of the status, and one of the status nothing else', async () => {
    await client.apply(`${widgets}/a${by('me')}`, { ...widget('a', { size: 'large' }), status: { phase: 'X' } });
    const { body } = await client.apply(`${widgets}/a/status${by('me')}`, {
      ...widget('a', { size: 'small' }),
      status: { phase: 'Y' },
    });
    expect([body.spec, body.status]).toEqual([{ size: 'large', replicas: 1 }, { phase: 'Y' }]);
    expect(await ownersOf('a')).toEqual({
      'me Apply': { 'f:spec': { 'f:size': {} } },
      'me Apply status': { 'f:status': { 'f:phase': {} } },
    });
  });

  it('follows a field into another version', async () => {
    await applied('a', 'me', { replicas: 3 });
    const old = '/apis/example.com/v1beta1/namespaces/default/widgets/a';
    const config = { ...widget('a', { count: 5 }), apiVersion: 'example.com/v1beta1' };
    const { status, body } = await client.apply(`${old}${by('other')}`, config);
    expect([status, body.message]).toEqual([409, 'Apply failed with 1 conflict: conflict with "me": .spec.replicas']);
    expect((await client.apply(`${old}${by('me')}`, config)).body.spec).toEqual({ count: 5 });
    expect((await client.get(`${widgets}/a`)).body.spec).toEqual({ replicas: 5 });
  });

  it('gives what was there before to a manager of its own', async () => {
    await client.post(`${widgets}${by('me')}`, widget('a', { size: 'large' }));
    await client.patch(`${widgets}/a`, 'merge', { metadata: { managedFields: [] } });
    const { status, body } = await applied('a', 'other', { size: 'small' });
    expect([status, body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.size',
    ]);
  });

  it('is a dry run on request', async () => {
    const first = await applied('a', 'me', { size: 'large' }, '&dryRun=All');
    expect([first.status, first.body.metadata.resourceVersion]).toEqual([201, undefined]);
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
  });

  it('of a built-in kind merges maps', async () => {
    await client.apply(`${configMaps}/a${by('me')}`, { ...configMap('a'), data: { x: '1', y: '1' } });
    await client.apply(`${configMaps}/a${by('other')}`, { ...configMap('a'), data: { z: '2' } });
    const { body } = await client.apply(`${configMaps}/a${by('me')}`, { ...configMap('a'), data: { x: '1' } });
    expect(body.data).toEqual({ x: '1', z: '2' });
  });

  it.each([
    { rule: 'without a manager', query: '', code: 422, says: /fieldManager: Required value: is required for apply/ },
    { rule: 'of an unknown field', config: { spec: { zzz: 1 } }, code: 400, says: /\.spec\.zzz: field not declared/ },
    { rule: 'of a wrong type', config: { spec: 'x' }, code: 400, says: /\.spec: expected map, got/ },
    { rule: 'of a value that the schema refuses', config: { spec: { size: 'x' } }, code: 422, says: /spec\.size/ },
    { rule: 'of owners', config: { metadata: { name: 'a', managedFields: [{}] } }, code: 400, says: /must be nil/ },
    { rule: 'of another kind', config: { kind: 'Gadget' }, code: 400, says: /invalid object type/ },
    {
      rule: 'of another name',
      config: { metadata: { name: 'b' } },
      code: 400,
      says: /does not match the name on the URL/,
    },
    { rule: 'of no object', text: '- a', code: 400, says: /error decoding YAML/ },
    { rule: 'of broken YAML', text: 'a: [', code: 400, says: /error decoding YAML/ },
    { rule: 'of another uid', config: { metadata: { name: 'a', uid: 'u' } }, code: 409, says: /uid mismatch/ },
  ])('$rule is refused', async ({ query = by('me'), config = {}, text, code, says }) => {
    const { status, body } = await client.apply(`${widgets}/a${query}`, text ?? { ...widget('a'), ...config });
    expect([status, body.message]).toEqual([code, expect.stringMatching(says)]);
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
  });
});

it('that the defaults of a kind set back is no conflict', async () => {
  const { server } = await createTestServer(clock, { kinds: [namespace, machineDeployment] });
  const { post, apply } = clientOf(server);
  const pools = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinedeployments';
  // The defaults fill the selector, which is owned as a whole.
  const pool = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name: 'a', namespace: 'default' },
    spec: {
      clusterName: 'c',
      selector: {},
      template: {
        spec: {
          clusterName: 'c',
          bootstrap: { dataSecretName: 'd' },
          infrastructureRef: { apiGroup: 'example.com', kind: 'Widget', name: 'w' },
        },
      },
    },
  };
  const made = await post(`${pools}${by('one')}`, pool);
  expect(made.body.spec.selector).not.toEqual({});
  const { status, body } = await apply(`${pools}/a${by('two')}`, pool);
  expect([status, body.spec]).toEqual([200, made.body.spec]);
});

describe('other writes', () => {
  it('own what they change, under their own name or that of their program', async () => {
    await client.post(`${widgets}${by('maker')}`, widget('a', { size: 'large', color: 'red' }));
    await client.send(
      'PATCH',
      `${widgets}/a`,
      { spec: { color: 'blue' } },
      {
        'content-type': 'application/merge-patch+json',
        'user-agent': 'painter/v1 (linux)',
      },
    );
    expect(await ownersOf('a')).toEqual({
      'maker Update': { 'f:spec': { '.': {}, 'f:replicas': {}, 'f:size': {} } },
      'painter Update': { 'f:spec': { 'f:color': {} } },
    });
  });

  it('without a change move no time', async () => {
    const { body } = await client.post(`${widgets}${by('me')}`, widget('a'));
    now += 60_000;
    expect((await client.patch(`${widgets}/a${by('me')}`, 'merge', { spec: { replicas: 1 } })).body).toEqual(body);
  });

  it('that defaults undo take over nothing', async () => {
    await client.post(`${widgets}${by('maker')}`, widget('a', { replicas: 1 }));
    const before = (await client.get(`${widgets}/a`)).body;
    expect((await client.patch(`${widgets}/a${by('me')}`, 'merge', { spec: { replicas: null } })).body).toEqual(before);
  });

  it('through scale own the replicas, and an apply without them leaves them', async () => {
    await applied('a', 'me', { size: 'large', replicas: 2 });
    await client.patch(`${widgets}/a/scale${by('scaler')}`, 'merge', { spec: { replicas: 5 } });
    expect(Object.keys(await ownersOf('a'))).toEqual(['me Apply', 'scaler Update scale']);
    expect((await applied('a', 'me', { size: 'large', replicas: 2 })).status).toBe(409);
    expect((await applied('a', 'me', { size: 'large' })).body.spec.replicas).toBe(5);
  });

  it('cannot forge owners that cannot be read', async () => {
    await applied('a', 'me', { size: 'large' });
    const before = await ownersOf('a');
    await client.patch(`${widgets}/a`, 'merge', { metadata: { managedFields: [{ manager: 'x', operation: 'No' }] } });
    expect(await ownersOf('a')).toEqual(before);
  });
});

describe('a controller', () => {
  const key = { namespace: 'default', name: 'a' };
  const change = (spec: JsonObject) =>
    writer.update(widgetKind, key, (current) => ({ ...current, spec: { ...(current.spec as JsonObject), ...spec } }), {
      writer: 'test',
    });

  it('owns the applied field that it changes, which the next apply shows', async () => {
    await applied('a', 'me', { replicas: 2, size: 'large' });
    await change({ replicas: 5 });
    expect(await ownersOf('a')).toEqual({
      'me Apply': { 'f:spec': { 'f:size': {} } },
      'capstan Update': { 'f:spec': { 'f:replicas': {} } },
    });
    const { body } = await applied('a', 'me', { replicas: 2, size: 'large' });
    expect(body.message).toBe(
      'Apply failed with 1 conflict: conflict with "capstan" using example.com/v1: .spec.replicas',
    );
    expect((await applied('a', 'me', { size: 'large' })).body.spec.replicas).toBe(5);
  });

  it('owns nothing by a change of the status', async () => {
    await applied('a', 'me', { replicas: 2 });
    const before = await ownersOf('a');
    const options = { writer: 'test' };
    await writer.updateStatus(widgetKind, key, (current) => ({ ...current, status: { phase: 'X' } }), options);
    expect(await ownersOf('a')).toEqual(before);
  });

  it('tracks no object that no client tracks', async () => {
    await writer.create(widgetKind, { ...widget('a'), metadata: key }, { writer: 'test' });
    await change({ replicas: 5 });
    expect(await ownersOf('a')).toEqual({});
  });
});
