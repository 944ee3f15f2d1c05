/** Each function under its role: the role suffices for its work. */

import { describe, expect, it } from 'vitest';
import type { FunctionName } from '../../cdk/names.ts';
import { uses } from '../../cdk/permissions/uses.ts';
import { interruptionAnnotation } from '../../kinds/core/contract/interruption.ts';
import { createDispatching } from '../../lambdas/runtime/dispatching.ts';
import { createGuarding } from '../../lambdas/runtime/guarding.ts';
import { createOperating } from '../../lambdas/runtime/operating.ts';
import { createReceiving } from '../../lambdas/runtime/receiving.ts';
import { createServing } from '../../lambdas/runtime/serving.ts';
import { createSweeping } from '../../lambdas/runtime/sweeping.ts';
import { createWaking } from '../../lambdas/runtime/waking.ts';
import { createWorld } from '../../lambdas/world.fixture.ts';
import { noRestrictions } from '../../machinery/server/index.ts';
import type { LogEntry } from '../../machinery/store/index.ts';
import { composeFoundation, type Foundation } from '../../runtime/foundation.ts';
import type { InstanceNotice } from '../../runtime/wake.ts';
import { keysUnderRole, type Role, tableUnderRole } from './roles.fixture.ts';

const refuse = (what: string) => () => Promise.reject(new Error(`the role may not ${what}`));
const roleOf = (fn: FunctionName): Role => ({
  of: () => fn,
  denied: (what) => {
    throw new Error(what);
  },
});

const world = createWorld();
const { foundation: all } = world;
const foundationFor = (fn: FunctionName): Foundation => {
  const { wakes = [] } = uses[fn];
  const role = roleOf(fn);
  return composeFoundation({
    ...all,
    objects: tableUnderRole(role, 'objects', all.objects),
    work: tableUnderRole(role, 'work', all.work),
    keys: keysUnderRole(role, all.keys),
    queueOf: (worker, slow) =>
      wakes.includes(worker) ? all.queueOf(worker, slow) : { send: refuse(`wake ${worker} workers`) },
  });
};

const fetched = async (fn: 'api' | 'watch', method: string, path: string, body?: object) => {
  const user = { username: 'me', groups: ['system:masters'] };
  const { server } = createServing(foundationFor(fn), { authenticate: () => user, rightsOf: () => noRestrictions });
  const headers = { 'content-type': 'application/json' };
  const { status } = await server.fetch(
    new Request(`https://capstan${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }),
  );
  return status;
};
const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
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

  it('watch: creates the first objects of an installation and lists, but decrypts no Secret', async () => {
    expect(await fetched('watch', 'GET', '/api/v1/namespaces')).toBe(200);
    expect(await fetched('watch', 'GET', '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters')).toBe(200);
    expect(await fetched('watch', 'GET', '/api/v1/namespaces/default/secrets')).toBe(500);
    expect(await fetched('watch', 'POST', configMaps, configMap)).toBe(500);
  });

  it('api: lists and reads Secrets', async () => {
    expect(await fetched('api', 'GET', '/api/v1/namespaces/default/secrets')).toBe(200);
    expect(await fetched('api', 'GET', '/api/v1/namespaces/default/secrets/a')).toBe(200);
  });

  it('dispatch: decrypts no Secret', async () => {
    const owner = { apiVersion: 'v1', kind: 'Secret', name: 'a', uid: 'u' };
    const entries: LogEntry[] = (['ADDED', 'MODIFIED', 'DELETED'] as const).map((event, n) => ({
      type: 'secrets',
      position: n + 1,
      event,
      namespace: 'default',
      name: 'a',
      uid: 'u',
      owners: [owner],
      ownersBefore: event === 'ADDED' ? [] : [owner],
    }));
    const dispatching = createDispatching(foundationFor('dispatch'), switches);
    for (const entry of entries) await dispatching.dispatch(entry);
    await dispatching.note(entries);
  });

  it('operate and executions: access no object', async () => {
    await createOperating(foundationFor('operate'), switches).operate({ task: 'Network', token: 't', operation });
    await createOperating(foundationFor('executions'), switches).ended(operation);
  });

  it('instances: finds the AWSMachine of an instance, and changes no other object', async () => {
    const apiVersion = 'infrastructure.cluster.x-k8s.io/v1beta2';
    const object = {
      apiVersion,
      kind: 'AWSMachine',
      metadata: machine,
      spec: { instanceID: 'i-1', providerID: 'aws:///a/i-1' },
    };
    await all.store.commit(machines, machine, () => ({ do: 'put', object }));
    world.sent.length = 0;
    await createWaking(foundationFor('instances')).wake({ region: 'eu-central-1', instanceId: 'i-1' });
    expect(world.sent).toHaveLength(1);
    const notice: InstanceNotice = { reason: 'SpotInterruption', at: all.clock.now() };
    await createWaking(foundationFor('instances')).wake({ region: 'eu-central-1', instanceId: 'i-1', notice });
    expect((await all.store.get(machines, machine))?.metadata.annotations).toHaveProperty(interruptionAnnotation);
    const { store } = foundationFor('instances');
    const claim = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default', uid: 'x' } };
    await expect(
      store.commit('configmaps', { namespace: 'default', name: 'x' }, () => ({ do: 'put', object: claim })),
    ).rejects.toThrow('the role of instances does not allow');
  });

  it('audit-webhook: verifies the token of a cluster and wakes its controllers, without its Secret', async () => {
    const role = roleOf('audit-webhook');
    const receiving = createReceiving({
      objects: tableUnderRole(role, 'objects', all.objects),
      work: tableUnderRole(role, 'work', all.work),
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
    // Its wake-up is deferred.
    const ended = {
      verb: 'delete',
      user: { username: 'system:node:a', groups: ['system:nodes'] },
      objectRef: { resource: 'pods' },
    };
    const items = [node, pod, version, ended].map((event) => ({
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
    expect(await posted(items.slice(2, 3))).toBe(200);
    expect(await posted(items.slice(0, 3))).toBe(200);
    expect(world.sent.map(({ key }) => (key as { controller: string }).controller).sort()).toEqual([
      'autoscaler',
      'workload-prober',
    ]);
    expect(await posted(items.slice(3))).toBe(200);
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
    const ports = {
      installation: 'here',
      objects,
      work,
      marker,
      removeMark: async () => {},
      statusOf: async () => '',
      clock,
      log,
    };
    expect(await createGuarding(ports).refusal('a-stack')).toContain('AWSMachine');
  });
});
