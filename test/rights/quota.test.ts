/** ResourceQuotas by count, for what clients create. */
import { beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { consequenceOf } from '../../machinery/controller/ports.ts';
import { createQuotaController, quotaRequests } from '../../machinery/quota/controller.ts';
import type { LogEntry } from '../../machinery/store/index.ts';
import { createRightsWorld, type RightsWorld } from './world.ts';

const namespace = '/api/v1/namespaces/default';
const quotas = `${namespace}/resourcequotas`;
const configMaps = `${namespace}/configmaps`;
const machines = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines';

const quotaOf = (hard: object, name = 'team', more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name },
  spec: { hard, ...more },
});
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

let world: RightsWorld;
beforeEach(async () => {
  world = createRightsWorld();
  await world.root.get('/api/v1/namespaces');
});

const used = async (name = 'team') => (await world.root.get(`${quotas}/${name}`)).body.status;
const create = async (name: string, path = configMaps) => (await world.root.post(path, configMap(name))).status;
/** A pass of the controller. */
const count = (name = 'team') => {
  const { store, quotas: known } = world.foundation;
  const controller = createQuotaController({ store, quotas: known.known });
  const key = { controller: 'resource-quota', type: 'resourcequotas', namespace: 'default', name };
  return controller.run(key, {} as never);
};

it('refuses the next object in the words of Kubernetes, also in another process', async () => {
  await world.root.post(quotas, quotaOf({ 'count/configmaps': 2, secrets: '5' }));
  expect([await create('a'), await create('b')]).toEqual([201, 201]);
  const message =
    'configmaps "c" is forbidden: exceeded quota: team, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2';
  expect((await world.root.post(configMaps, configMap('c'))).body).toMatchObject({
    code: 403,
    reason: 'Forbidden',
    message,
  });
  const there = world.elsewhere('root+system:masters');
  expect((await there.post(configMaps, configMap('c'))).body).toMatchObject({ code: 403, message });
  expect((await there.apply(`${configMaps}/c?fieldManager=x`, configMap('c'))).body).toMatchObject({
    code: 403,
    message,
  });
  expect((await world.root.post('/api/v1/namespaces/kube-system/configmaps', configMap('c'))).status).toBe(201);
});

it('counts what existed before, and again when objects are gone', async () => {
  await create('a');
  await world.root.post(quotas, quotaOf({ 'count/configmaps': '3' }));
  await create('b');
  expect(await used()).toEqual({ hard: { 'count/configmaps': '3' }, used: { 'count/configmaps': '2' } });
  await world.root.delete(`${configMaps}/a`);
  await count();
  expect(await used()).toMatchObject({ used: { 'count/configmaps': '1' } });
});

it('charges nothing for a dry run and for an object that is not created', async () => {
  await world.root.post(quotas, quotaOf({ 'count/configmaps': '2' }));
  await create('a');
  expect(await create('a')).toBe(409);
  expect(await create('b', `${configMaps}?dryRun=All`)).toBe(201);
  expect(await used()).toMatchObject({ used: { 'count/configmaps': '1' } });
  await create('b');
  expect(await create('c', `${configMaps}?dryRun=All`)).toBe(403);
});

it('charges all quotas of the namespace or none', async () => {
  await world.root.post(quotas, quotaOf({ 'count/configmaps': '2' }, 'wide'));
  await world.root.post(quotas, quotaOf({ configmaps: '1' }, 'narrow'));
  await create('a');
  expect(await create('b')).toBe(403);
  expect(await used('wide')).toMatchObject({ used: { 'count/configmaps': '1' } });
});

it('admits exactly the limit of requests that come together', async () => {
  await world.root.post(quotas, quotaOf({ 'count/configmaps': '3' }));
  const there = world.elsewhere('root+system:masters');
  const asked = Array.from({ length: 8 }, (_, i) =>
    (i % 2 ? there : world.root).post(configMaps, configMap(`together-${i}`)),
  );
  const answered = Promise.all(asked);
  await world.clock.advance(10_000);
  const statuses = (await answered).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(3);
});

it('limits Machines by count', async () => {
  await world.root.post(quotas, quotaOf({ 'count/machines.cluster.x-k8s.io': '0' }));
  const machine = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name: 'm' },
    spec: {
      clusterName: 'c',
      bootstrap: { dataSecretName: 'x' },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachine', name: 'm' },
    },
  };
  expect((await world.root.post(machines, machine)).body).toMatchObject({
    code: 403,
    message: expect.stringContaining(
      'exceeded quota: team, requested: count/machines.cluster.x-k8s.io=1, used: count/machines.cluster.x-k8s.io=0, limited: count/machines.cluster.x-k8s.io=0',
    ),
  });
});

it('holds controllers, too, by what exists and in the same words', async () => {
  const { writer, kinds } = world.foundation;
  const kind = kinds.find('', 'ConfigMap')!;
  const by = { writer: 'pool' };
  const inDefault = (name: string) => ({ ...configMap(name), metadata: { namespace: 'default', name } });
  const errorOf = (write: Promise<unknown>) =>
    write.then(
      () => undefined,
      (error: Error & { code: number }) => error,
    );
  await create('a');
  await world.root.post(quotas, quotaOf({ 'count/configmaps': '2' }));
  expect(await errorOf(writer.create(kind, inDefault('b'), by))).toBeUndefined();
  for (const write of [
    () => writer.create(kind, inDefault('c'), by),
    () => writer.apply(kind, inDefault('c'), { ...by, manager: 'pool' }),
  ]) {
    const error = await errorOf(write());
    expect(error).toMatchObject({
      code: 403,
      message:
        'configmaps "c" is forbidden: exceeded quota: team, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2',
    });
    expect(consequenceOf(error)).toBe('retry');
  }
  // What exists is known to exist, and may change.
  expect((await errorOf(writer.create(kind, inDefault('b'), by)))?.code).toBe(409);
  expect(await errorOf(writer.apply(kind, inDefault('b'), { ...by, manager: 'pool' }))).toBeUndefined();
  const change = (one: KubeObject) => ({ ...one, data: { n: '1' } });
  expect(await errorOf(writer.update(kind, { namespace: 'default', name: 'b' }, change, by))).toBeUndefined();
  await world.root.delete(`${configMaps}/a`);
  expect(await errorOf(writer.create(kind, inDefault('c'), by))).toBeUndefined();
});

it('never holds back records of what happens', async () => {
  const { writer, kinds } = world.foundation;
  await world.root.post(quotas, quotaOf({ 'count/events': '0' }));
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', name: 'seen' },
    involvedObject: { kind: 'ConfigMap', namespace: 'default', name: 'a' },
    reason: 'Seen',
    type: 'Normal',
  };
  expect(await writer.create(kinds.find('', 'Event')!, event, { writer: 'pool' })).toMatchObject({ reason: 'Seen' });
});

it('leaves out quotas of pods', async () => {
  await world.root.post(quotas, quotaOf({ configmaps: '0', 'requests.cpu': '4' }, 'pods', { scopes: ['BestEffort'] }));
  expect(await create('a')).toBe(201);
});

it.each([
  { of: 'pods', hard: { pods: '5', 'requests.cpu': '1' }, more: {}, used: { pods: '0', 'requests.cpu': '0' } },
  {
    of: 'some pods',
    hard: { pods: '5', 'limits.memory': '1Gi' },
    more: { scopes: ['Terminating'] },
    used: { pods: '0', 'limits.memory': '0' },
  },
  {
    of: 'other objects as well',
    hard: { configmaps: '5', persistentvolumeclaims: '1', 'count/jobs.batch': '2' },
    more: {},
    used: { configmaps: '0', persistentvolumeclaims: '0', 'count/jobs.batch': '0' },
  },
])('a quota of $of says that nothing uses what Capstan has none of', async ({ hard, more, used: expected }) => {
  await world.root.post(quotas, quotaOf(hard, 'team', more));
  await count();
  expect(await used()).toEqual({ hard, used: expected });
  await create('a');
  expect(await used()).toEqual({ hard, used: { ...expected, ...('configmaps' in hard && { configmaps: '1' }) } });
});

it.each([
  [
    { 'count/configmaps': '-1' },
    'spec.hard[count/configmaps]: Invalid value: "-1": must be greater than or equal to 0',
  ],
  [{ 'count/configmaps': '1500m' }, 'spec.hard[count/configmaps]: Invalid value: "1500m": must be an integer'],
  [{ nonsense: '1' }, 'spec.hard[nonsense]: Invalid value: "nonsense": must be a standard resource for quota'],
])('%j is refused', async (hard, message) => {
  expect((await world.root.post(quotas, quotaOf(hard))).body).toMatchObject({
    code: 422,
    message: expect.stringContaining(message),
  });
});

it('is counted when a controller creates an object or one is deleted, and by no other change', async () => {
  await world.root.post(quotas, quotaOf({ 'count/configmaps': '3' }));
  const request = quotaRequests({ quotas: world.foundation.quotas.known });
  const entry = (type: string, event: string, more: object = {}) =>
    ({ type, event, namespace: 'default', name: 'a', ...more }) as LogEntry;
  const key = { controller: 'resource-quota', type: 'resourcequotas', namespace: 'default', name: 'team' };
  for (const event of ['ADDED', 'DELETED'])
    expect(await request(entry('configmaps', event))).toEqual([{ key, urgent: true, after: 1 }]);
  expect(await request(entry('configmaps', 'MODIFIED'))).toEqual([]);
  expect(await request(entry('secrets', 'DELETED'))).toEqual([]);
  expect(await request(entry('resourcequotas', 'ADDED', { name: 'team' }))).toEqual([{ key, urgent: true }]);
  expect(await request(entry('resourcequotas', 'MODIFIED', { writer: 'resource-quota' }))).toEqual([]);
});
