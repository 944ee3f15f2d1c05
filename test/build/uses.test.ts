/** Each function with clients that are as restricted as its role: the role suffices for its work. */
import { describe, expect, it } from 'vitest';
import type { FunctionName } from '../../cdk/names.ts';
import { uses } from '../../cdk/permissions/uses.ts';
import { createGuarding } from '../../lambdas/runtime/guarding.ts';
import { createOperating } from '../../lambdas/runtime/operating.ts';
import { createReceiving } from '../../lambdas/runtime/receiving.ts';
import { createServing } from '../../lambdas/runtime/serving.ts';
import { createSweeping } from '../../lambdas/runtime/sweeping.ts';
import { createWaking } from '../../lambdas/runtime/waking.ts';
import { createWorld } from '../../lambdas/world.fixture.ts';
import type { Keys, Table } from '../../machinery/ports.ts';
import { composeFoundation, type Foundation } from '../../runtime/foundation.ts';

const refuse = (what: string) => () => Promise.reject(new Error(`the role may not ${what}`));
const tableFor = (name: string, inner: Table, use: 'read' | 'write' | undefined): Table => ({
  get: use ? inner.get : refuse(`read ${name}`),
  query: use ? inner.query : refuse(`read ${name}`),
  write: use === 'write' ? inner.write : refuse(`write ${name}`),
  transact: use === 'write' ? inner.transact : refuse(`write ${name}`),
});
const isIn = (partitions: readonly string[], pk: string): boolean =>
  partitions.some((one) => (one.endsWith('*') ? pk.startsWith(one.slice(0, -1)) : pk === one));
/** Reads and updates only single items of the partitions that the role names. */
const partitionsFor = (inner: Table, looksUp: readonly string[], requests: readonly string[]): Table => ({
  get: (key, options) => (isIn(looksUp, key.pk) ? inner.get(key, options) : refuse(`read the partition ${key.pk}`)()),
  query: refuse('query'),
  write: (write) =>
    'update' in write && isIn(requests, write.update.pk) ? inner.write(write) : refuse('write this partition')(),
  transact: refuse('write together'),
});
const keysFor = (inner: Keys, use: 'read' | 'write' | undefined): Keys => ({
  unwrap: use ? inner.unwrap : refuse('open data keys'),
  dataKey: use === 'write' ? inner.dataKey : refuse('make data keys'),
});

const world = createWorld();
const { foundation: all } = world;
const foundationFor = (fn: FunctionName): Foundation => {
  const { objects, work, secrets, wakes = [] } = uses[fn];
  return composeFoundation({
    ...all,
    objects: tableFor('objects', all.objects, objects),
    work: tableFor('work items', all.work, work),
    keys: keysFor(all.keys, secrets),
    queueOf: (worker, slow) =>
      wakes.includes(worker) ? all.queueOf(worker, slow) : { send: refuse(`wake ${worker} workers`) },
  });
};

const fetched = async (fn: 'api' | 'watch', method: string, path: string, body?: object) => {
  const user = { username: 'me', groups: ['system:masters'] };
  const { server } = createServing(foundationFor(fn), { authenticate: () => user, authorize: () => undefined });
  const headers = { 'content-type': 'application/json' };
  const { status } = await server.fetch(
    new Request(`https://capstan${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }),
  );
  return status;
};
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: { value: 'x' } };
const machine = { namespace: 'default', name: 'one', uid: 'u' };
const machines = 'awsmachines.infrastructure.cluster.x-k8s.io';
const operation = { namespace: 'default', name: 'o', uid: 'u' };
const nothing = { enable: async () => {}, disable: async () => {}, keep: async () => {} };
const switches = { mappings: nothing, schedules: nothing, slow: nothing };

/** In this order: later tests find what earlier ones created. */
describe('a function stays within its role', () => {
  it('api: writes Secrets, and enqueues nothing', async () => {
    expect(await fetched('api', 'POST', '/api/v1/namespaces/default/secrets', secret)).toBe(201);
    expect(await fetched('api', 'DELETE', '/api/v1/namespaces/default/secrets/a')).toBe(200);
    expect(await fetched('api', 'POST', '/api/v1/namespaces/default/secrets', secret)).toBe(201);
  });

  it('watch: reads Secrets', async () => {
    expect(await fetched('watch', 'GET', '/api/v1/namespaces/default/secrets')).toBe(200);
    expect(await fetched('watch', 'GET', '/api/v1/namespaces/default/secrets/a')).toBe(200);
  });

  it('operate and executions: access no object', async () => {
    await createOperating(foundationFor('operate'), switches).operate({ task: 'Network', token: 't', operation });
    await createOperating(foundationFor('executions'), switches).ended(operation);
  });

  it('instances: finds the AWSMachine of an instance, and changes none', async () => {
    const apiVersion = 'infrastructure.cluster.x-k8s.io/v1beta2';
    const object = { apiVersion, kind: 'AWSMachine', metadata: machine, spec: { instanceID: 'i-1' } };
    await all.store.commit(machines, machine, () => ({ do: 'put', object }));
    world.sent.length = 0;
    await createWaking(foundationFor('instances')).wake({ region: 'eu-central-1', instanceId: 'i-1' });
    expect(world.sent).toHaveLength(1);
  });

  it('audit-webhook: verifies the token of a cluster and wakes its controllers, without its Secret', async () => {
    const { looksUp = [], requests = [] } = uses['audit-webhook'];
    const receiving = createReceiving({
      objects: partitionsFor(all.objects, looksUp, []),
      work: partitionsFor(all.work, [], requests),
      queue: foundationFor('audit-webhook').queueOf('workload', false),
      clock: all.clock,
      random: all.random,
      log: all.log,
    });
    const token = { namespace: 'default', name: 'c-audit-webhook' };
    const metadata = { ...token, uid: 't' };
    const data = { token: Buffer.from('a-token').toString('base64') };
    const object = { apiVersion: 'v1', kind: 'Secret', type: 'cluster.x-k8s.io/secret', metadata, data };
    await all.store.commit('secrets', token, () => ({ do: 'put', object }));
    world.sent.length = 0;
    const node = { verb: 'delete', objectRef: { resource: 'nodes' } };
    const pod = {
      verb: 'patch',
      user: { username: 'system:kube-scheduler' },
      objectRef: { resource: 'pods', subresource: 'status' },
    };
    const version = { verb: 'get', user: { username: 'kubernetes-admin' }, requestURI: '/version' };
    const items = [node, pod, version].map((event) => ({
      ...event,
      stage: 'ResponseComplete',
      responseStatus: { code: 200 },
    }));
    const posted = async (sent: typeof items) => {
      const { status } = await receiving.fetch(
        new Request('https://capstan/capstan.dev/audit/default/c', {
          method: 'POST',
          headers: { authorization: 'Bearer a-token' },
          body: JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: sent }),
        }),
      );
      return status;
    };
    expect(await posted(items.slice(2))).toBe(200);
    expect(await posted(items)).toBe(200);
    expect(world.sent.map(({ key }) => (key as { controller: string }).controller).sort()).toEqual([
      'autoscaler',
      'workload-prober',
    ]);
  });

  it('sweep: resyncs everything, Secrets included', async () => {
    const sweeping = createSweeping(foundationFor('sweep'), switches);
    await sweeping.resync();
    await sweeping.sweep();
  });

  it('guard: reads the remaining objects, and writes nothing', async () => {
    const { objects, work } = foundationFor('guard');
    const { clock, log } = all;
    const read = async () => undefined;
    const marker = { read, furthest: read, write: refuse('write the mark') };
    const doors = {
      installation: 'here',
      objects,
      work,
      marker,
      removeMark: async () => {},
      statusOf: async () => '',
      clock,
      log,
    };
    expect(await createGuarding(doors).refusal('a-stack')).toContain('AWSMachine');
  });
});
