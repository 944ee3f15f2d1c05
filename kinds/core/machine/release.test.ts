import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Plan } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation } from '../../common/filled.ts';
import { isCleared } from '../contract/machine.ts';
import type { Target } from '../contract/target.ts';
import {
  ago,
  cluster,
  conditionsOf,
  config,
  controlPlaneMachine,
  host,
  kubeconfig,
  machine,
  node,
  part,
  run,
  snapshot,
  summaryOf,
  tidy,
} from './machine.fixture.ts';
import type { Machine, MachineStatus } from './schema.ts';

const operated = (target: Target, status?: object): KubeObject =>
  cluster({
    metadata: { annotations: { 'capstan.dev/operation': 'c-create-1', 'capstan.dev/target': target } },
    ...(status && { status }),
  });
/** Fails on any request to the workload cluster. */
const silence = new Proxy<Record<string, unknown>>(
  {},
  {
    get: (_, what) => {
      throw new Error(`asked the workload cluster to ${String(what)}`);
    },
  },
);
const act = (one: Machine, objects: KubeObject[], workload: Record<string, unknown> = silence): Plan<MachineStatus> =>
  run(one, objects, workload, undefined, { workflows: true });

const given = (of: { spec?: object; status?: object; metadata?: object } = {}) =>
  machine({ ...of, metadata: { ownerReferences: [], labels: {}, annotations: {}, ...of.metadata } });
/** The Machine as the reconcile loop stores it after a pass. */
const stored = (one: Machine, plan: Plan<MachineStatus>): Machine => ({
  ...mergePatch(one, plan.intent ?? {}),
  status: plan.status as Machine['status'],
});
/** The Machine with its host and Node, in a cluster whose target is Build. */
const built = (one: Machine): Machine => {
  const world = [operated('Build'), config, host, snapshot([tidy]), kubeconfig];
  return stored(one, act(one, world, { 'get Node': { metadata: { name: 'node-1' } } }));
};

const leaving = (one: Machine): Machine => mergePatch(one, { metadata: { deletionTimestamp: ago(60) } });

const gone = part('AWSMachine', { status: { ready: false } });
const forgotten = part('KubeadmConfig');

describe('a user-created Machine in a teardown', () => {
  it('records its defaulted fields only', () => {
    const one = built(given({ spec: { failureDomain: 'z' } }));
    expect(JSON.parse(one.metadata.annotations![filledAnnotation]!)).toEqual({
      bootstrap: { dataSecretName: 'm' },
      providerID: 'aws:///z/i-1',
    });
    expect(isCleared(one)).toBe(false);
  });
  it('of a MachineSet needs no such record', () => {
    expect(built(machine()).metadata.annotations).toBeUndefined();
  });

  it('keeps its status while its host exists, adopts nothing new, and reports why', () => {
    const one = built(given());
    const plan = act(one, [operated('Nothing'), config, host, snapshot([node()]), kubeconfig]);
    expect(stored(one, plan).spec).toEqual(one.spec);
    expect(plan.status).toMatchObject({ nodeRef: { name: 'node-1' }, phase: 'Running' });
    expect(plan.actions).toEqual([]);
    expect(conditionsOf(plan)).toMatchObject({
      InfrastructureReady: ['False', 'TornDown', 'Torn down by ClusterOperation c-create-1'],
      Ready: ['False', 'NotReady', expect.stringContaining('Torn down by ClusterOperation c-create-1')],
      Available: ['False', 'NotReady', ''],
    });
    const fresh = act(given(), [operated('Nothing'), config, host, snapshot([]), kubeconfig]);
    expect(fresh.intent?.spec).toBeUndefined();
  });

  it.each([
    { rule: 'whose host reports that it is gone', infra: [gone] },
    { rule: 'whose infrastructure object is gone', infra: [] },
    {
      rule: 'whose host has a user-provided identity and is gone',
      infra: [
        part('AWSMachine', {
          spec: { providerID: 'aws:///z/i-1' },
          status: { ready: false, conditions: [{ type: 'Ready', status: 'False', reason: 'TornDown' }] },
        }),
      ],
    },
  ])('$rule clears all defaulted fields, once', ({ infra }) => {
    const one = built(given({ spec: { failureDomain: 'z' } }));
    const world = [operated('Nothing'), forgotten, ...infra, snapshot([tidy]), kubeconfig];
    const next = stored(one, act(one, world));
    expect(next.spec).toEqual(given({ spec: { failureDomain: 'z' } }).spec);
    expect(next.metadata.annotations).toEqual({});
    expect(next.status).toMatchObject({ phase: 'Pending' });
    expect(Object.keys(next.status!).sort()).toEqual(['conditions', 'deprecated', 'lastUpdated', 'phase']);
    expect(isCleared(next)).toBe(true);
    expect(stored(next, act(next, world))).toEqual(next);
  });

  it('keeps user-provided bootstrap data', () => {
    const one = built(given({ spec: { bootstrap: { dataSecretName: 'mine' } } }));
    const next = stored(one, act(one, [operated('Nothing'), gone]));
    expect(next.spec!.bootstrap).toEqual({ dataSecretName: 'mine' });
    expect(next.spec!.providerID).toBeUndefined();
    expect(isCleared(next)).toBe(true);
  });

  it('starts over when the cluster is built again', () => {
    const one = built(given());
    const next = stored(one, act(one, [operated('Nothing'), forgotten, gone]));
    const waiting = act(next, [operated('Build', {}), forgotten, gone]);
    expect(waiting.status).toMatchObject({ phase: 'Pending' });
    expect(waiting.status).not.toHaveProperty('initialization');
    const other = part('AWSMachine', { spec: { providerID: 'aws:///z/i-2' }, status: { ready: true } });
    expect(act(next, [operated('Build', {}), config, other]).intent?.spec).toEqual({
      bootstrap: { dataSecretName: 'm' },
      providerID: 'aws:///z/i-2',
    });
  });
});

describe('a Machine under a target that is not Build', () => {
  it.each<{ rule: string; target: Target; machine: Machine; infra: KubeObject; clears: boolean }>([
    {
      rule: 'of a MachineSet is left to its set',
      target: 'Nothing',
      machine: built(machine()),
      infra: gone,
      clears: false,
    },
    { rule: 'clears nothing on Hold', target: 'Hold', machine: built(given()), infra: gone, clears: false },
    {
      rule: 'clears nothing in deletion',
      target: 'Nothing',
      machine: leaving(built(given())),
      infra: gone,
      clears: false,
    },
    {
      rule: 'clears nothing while its host exists',
      target: 'Nothing',
      machine: built(given()),
      infra: host,
      clears: false,
    },
    {
      rule: 'clears the fields of a host that is gone',
      target: 'Nothing',
      machine: built(given()),
      infra: gone,
      clears: true,
    },
  ])('$rule', ({ target, machine: one, infra, clears }) => {
    const workload = target === 'Nothing' ? silence : {};
    const next = stored(one, act(one, [operated(target), config, infra, snapshot([]), kubeconfig], workload));
    expect(next.spec?.providerID).toBe(clears ? undefined : 'aws:///z/i-1');
  });
  const going = part('AWSMachine', { spec: { providerID: 'aws:///z/i-1' }, status: { ready: false } });
  const failed = part('AWSMachine', {
    status: {
      ready: false,
      conditions: [{ type: 'Ready', status: 'False', severity: 'Error', reason: 'NoCapacity', message: 'none' }],
    },
  });
  it.each<{ rule: string; target: Target; infra: KubeObject; says: string[] }>([
    {
      rule: 'names the operation that it waits for',
      target: 'Wait',
      infra: gone,
      says: ['False', 'WaitingForOperation', 'Waiting for ClusterOperation c-create-1 to admit the cluster'],
    },
    {
      rule: 'names the operation that holds it',
      target: 'Hold',
      infra: gone,
      says: ['False', 'OnHold', 'Held by ClusterOperation c-create-1: nothing new is created'],
    },
    {
      rule: 'reports the state of an existing host on Hold',
      target: 'Hold',
      infra: going,
      says: ['False', 'NotReady', 'AWSMachine status.initialization.provisioned is false'],
    },
    {
      rule: 'reports on Hold why it got no host',
      target: 'Hold',
      infra: failed,
      says: ['False', 'NoCapacity', 'none'],
    },
  ])('$rule', ({ target, infra, says }) => {
    const plan = act(machine(), [operated(target), config, infra], {});
    expect(conditionsOf(plan).InfrastructureReady).toEqual(says);
  });
  it('adopts its parts on Hold as otherwise', () => {
    expect(act(given(), [operated('Hold'), config, host], {}).intent?.spec).toHaveProperty('providerID');
  });
  it('ignores the target without workflows', () => {
    const one = built(given());
    const plan = run(one, [operated('Nothing'), config, gone], {});
    expect(stored(one, plan).spec).toEqual(one.spec);
    expect(conditionsOf(plan).InfrastructureReady?.[1]).not.toBe('TornDown');
  });
});

describe('deletion in a teardown', () => {
  const doomed = (annotations: object = {}) =>
    machine({
      spec: { providerID: 'aws:///z/i-1', deletion: { nodeDeletionTimeoutSeconds: 0 } },
      status: { nodeRef: { name: 'node-1' } },
      metadata: { deletionTimestamp: ago(60), annotations },
    });
  const world = [operated('Nothing'), config, host, snapshot([tidy]), kubeconfig, controlPlaneMachine];
  const without = (...kinds: string[]) => world.filter(({ kind }) => !kinds.includes(kind));
  const cleanup = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup';

  it.each([
    {
      rule: 'drains nothing, waits for no volumes and sends no request to the workload cluster',
      machine: doomed(),
      does: ['delete AWSMachine'],
      reason: 'WaitingForInfrastructureDeletion',
    },
    {
      rule: 'ignores the hook of its control plane',
      machine: doomed({ [cleanup]: '' }),
      does: ['delete AWSMachine'],
      reason: 'WaitingForInfrastructureDeletion',
    },
    {
      rule: 'ignores the hook of its control plane without a Cluster',
      machine: doomed({ [cleanup]: '' }),
      objects: without('Cluster'),
      does: ['delete AWSMachine'],
      reason: 'WaitingForInfrastructureDeletion',
    },
    {
      rule: 'waits for other pre-drain hooks',
      machine: doomed({ 'pre-drain.delete.hook.machine.cluster.x-k8s.io/x': '' }),
      does: [],
      reason: 'WaitingForPreDrainHook',
    },
    {
      rule: 'waits for other pre-terminate hooks',
      machine: doomed({ 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/x': '', [cleanup]: '' }),
      does: [],
      reason: 'WaitingForPreTerminateHook',
    },
    {
      rule: 'then deletes the bootstrap config',
      machine: doomed(),
      objects: without('AWSMachine'),
      does: ['delete KubeadmConfig'],
      reason: 'WaitingForBootstrapDeletion',
    },
    {
      rule: 'finishes whatever happens to the node',
      machine: doomed(),
      objects: without('AWSMachine', 'KubeadmConfig'),
      does: [],
      reason: 'DeletionCompleted',
      finished: true,
    },
  ])('$rule', ({ machine: one, objects = world, does, reason, finished = false }) => {
    const plan = act(one, objects);
    expect((plan.actions ?? []).map(summaryOf)).toEqual(does);
    expect(conditionsOf(plan).Deleting?.[1]).toBe(reason);
    expect(plan.finished ?? false).toBe(finished);
  });

  it('is unchanged on Hold', () => {
    const plan = act(doomed({ [cleanup]: '' }), [operated('Hold'), ...without('Cluster')], {
      'get Node': { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' }, spec: { unschedulable: true } },
      'list Pod': { items: [] },
      'list DaemonSet': { items: [] },
      'list VolumeAttachment': { items: [] },
      'list PersistentVolume': { items: [] },
    });
    expect(conditionsOf(plan).Deleting?.[2]).toBe(`Waiting for pre-terminate hooks to succeed (hooks: ${cleanup})`);
  });
});
