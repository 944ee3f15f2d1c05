import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Context, Read } from '../../machinery/api/reconcile.ts';
import type { WorkloadSnapshot } from '../ports/workload.ts';
import type { ClusterObject, Observed } from './observe.ts';
import { reconcile } from './reconcile.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const context: Context = {
  now,
  random: { suffix: () => 'aaaaa', pick: (from) => from[0]!, token: () => 't' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'i',
  config: {},
  awaits: [],
};

const at = '2026-01-01T00:00:00Z';
const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c', uid: 'cu' };
const labels = { 'cluster.x-k8s.io/cluster-name': 'c' };
const endpoint = { host: 'lb.example', port: 6443 };

const cluster = (over: Partial<ClusterObject> = {}, deleting = false): ClusterObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'c', namespace: 'ns', uid: 'cu', ...(deleting && { deletionTimestamp: at }) },
  spec: {
    infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name: 'c' },
    controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'c-cp' },
  },
  ...over,
});
const part = (
  kind: string,
  name: string,
  rest: Partial<KubeObject> = {},
  meta: Partial<KubeObject['metadata']> = {},
): KubeObject => ({
  apiVersion: 'x/v1',
  kind,
  metadata: {
    name,
    namespace: 'ns',
    uid: `${kind}-${name}`,
    resourceVersion: '5',
    ownerReferences: [owner],
    labels,
    ...meta,
  },
  ...rest,
});
const ready = [{ type: 'Ready', status: 'True', reason: 'Ready' }];
const available = [{ type: 'Available', status: 'True', reason: 'Available' }];
const awsCluster = (over: Partial<KubeObject> = {}, meta = {}) =>
  part(
    'AWSCluster',
    'c',
    {
      spec: { controlPlaneEndpoint: endpoint },
      status: { ready: true, conditions: ready, failureDomains: { b: { controlPlane: true }, a: {} } },
      ...over,
    },
    meta,
  );
const controlPlane = (over: Partial<KubeObject> = {}, meta = {}) =>
  part(
    'KubeadmControlPlane',
    'c-cp',
    {
      spec: { replicas: 1 },
      status: {
        initialization: { controlPlaneInitialized: true },
        conditions: available,
        replicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
        upToDateReplicas: 1,
      },
      ...over,
    },
    meta,
  );
const deployment = part('MachineDeployment', 'md', {
  spec: { replicas: 2 },
  status: { replicas: 2, readyReplicas: 2, availableReplicas: 2, upToDateReplicas: 2, conditions: available },
});
const machine = (name: string, plane = false) =>
  part(
    'Machine',
    name,
    { status: { conditions: [...ready, { type: 'UpToDate', status: 'True', reason: 'UpToDate' }] } },
    {
      labels: { ...labels, ...(plane && { 'cluster.x-k8s.io/control-plane': '' }) },
      ownerReferences: [{ ...owner, kind: 'MachineSet', uid: 'ms', controller: true }],
    },
  );
const snapshot = (seen: Partial<WorkloadSnapshot>): WorkloadSnapshot => ({
  reachable: true,
  failures: 0,
  initialized: true,
  nodes: [],
  controlPlanePods: [],
  ...seen,
});

const is = <T>(value: T): Read<T> => ({ state: 'found', value });
const observed = (over: Partial<Observed> = {}): Observed => ({
  cluster: cluster(),
  infrastructure: is(awsCluster()),
  controlPlane: is(controlPlane()),
  machineDeployments: is([deployment]),
  machineSets: is([]),
  machines: is([machine('m1'), machine('m2'), machine('cp', true)]),
  snapshot: snapshot({ reachableSince: at }),
  target: 'Build',
  operation: undefined,
  ...over,
});

const gone = { state: 'absent' } as const;
const plan = (over: Partial<Observed> = {}) => reconcile(observed(over), context);
const condition = (over: Partial<Observed>, type: string) =>
  (
    plan(over).status?.conditions as unknown as { type: string; status: string; reason: string; message: string }[]
  ).find((c) => c.type === type)!;
const does = (over: Partial<Observed>) =>
  (plan(over).actions ?? []).map((a) => (a.do === 'patch' || a.do === 'delete' ? `${a.do} ${a.kind}/${a.name}` : a.do));

describe('Cluster', () => {
  it('is Available when every part is', () => {
    expect(condition({}, 'Available')).toMatchObject({ status: 'True', reason: 'Available' });
    expect(plan().status).toMatchObject({
      phase: 'Provisioned',
      initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
      failureDomains: [{ name: 'a' }, { name: 'b', controlPlane: true }],
      controlPlane: { desiredReplicas: 1, availableReplicas: 1 },
      workers: { desiredReplicas: 2, upToDateReplicas: 2 },
    });
  });

  it('takes the endpoint over once, from whichever part knows it', () => {
    const notYet = { controlPlane: gone };
    expect(plan(notYet).intent).toEqual({
      spec: { controlPlaneEndpoint: endpoint },
      metadata: { annotations: { 'capstan.dev/filled': JSON.stringify({ controlPlaneEndpoint: endpoint }) } },
    });
    const given = { ...notYet, cluster: cluster({ spec: { controlPlaneEndpoint: { host: 'mine', port: 1 } } }) };
    expect(plan(given).intent).toBeUndefined();
    expect(plan({ ...notYet, infrastructure: is(awsCluster({ spec: {} })) }).intent).toBeUndefined();
  });

  it.each<{ rule: string; given: Partial<Observed>; does: string[] }>([
    { rule: 'leaves parts alone that it owns', given: {}, does: [] },
    {
      rule: 'owns a part that it does not own yet',
      given: { infrastructure: is(awsCluster({}, { ownerReferences: [] })) },
      does: ['patch AWSCluster/c'],
    },
    {
      rule: 'labels a part',
      given: { controlPlane: is(controlPlane({}, { labels: {} })) },
      does: ['patch KubeadmControlPlane/c-cp'],
    },
    {
      rule: 'does not touch a part that is being deleted',
      given: { infrastructure: is(awsCluster({}, { ownerReferences: [], deletionTimestamp: at })) },
      does: [],
    },
    { rule: 'waits for a part that does not exist', given: { infrastructure: { state: 'absent' } }, does: [] },
  ])('$rule', ({ given, does: wanted }) => expect(does(given)).toEqual(wanted));

  const ending = cluster({}, true);
  it.each<{ rule: string; given: Partial<Observed>; does: string[]; reason: string; finished: boolean }>([
    {
      rule: 'deletes workers first',
      given: {},
      does: ['delete MachineDeployment/md'],
      reason: 'WaitingForWorkersDeletion',
      finished: false,
    },
    {
      rule: 'waits for the last worker, whoever owns it',
      given: { machineDeployments: is([]) },
      does: [],
      reason: 'WaitingForWorkersDeletion',
      finished: false,
    },
    {
      rule: 'then deletes the control plane',
      given: { machineDeployments: is([]), machines: is([machine('cp', true)]) },
      does: ['delete KubeadmControlPlane/c-cp'],
      reason: 'WaitingForControlPlaneDeletion',
      finished: false,
    },
    {
      rule: 'then the infrastructure',
      given: { machineDeployments: is([]), machines: is([]), controlPlane: gone },
      does: ['delete AWSCluster/c'],
      reason: 'WaitingForInfrastructureDeletion',
      finished: false,
    },
    {
      rule: 'then lets go',
      given: { machineDeployments: is([]), machines: is([]), controlPlane: gone, infrastructure: gone },
      does: [],
      reason: 'DeletionCompleted',
      finished: true,
    },
    {
      rule: 'never takes unreadable for gone',
      given: {
        machineDeployments: is([]),
        machines: is([]),
        controlPlane: { state: 'unreadable', reason: 'throttled' },
      },
      does: [],
      reason: 'InternalError',
      finished: false,
    },
    {
      rule: 'never takes an unreadable list for an empty one',
      given: { machines: { state: 'unreadable', reason: 'throttled' } },
      does: [],
      reason: 'InternalError',
      finished: false,
    },
    {
      rule: 'deletes control-plane machines itself when no object stands for the control plane',
      given: {
        controlPlane: undefined,
        machineDeployments: is([]),
        machines: is([
          { ...machine('cp', true), metadata: { ...machine('cp', true).metadata, ownerReferences: [owner] } },
        ]),
      },
      does: ['delete Machine/cp'],
      reason: 'WaitingForWorkersDeletion',
      finished: false,
    },
  ])('deletion: $rule', ({ given, does: wanted, reason, finished }) => {
    const over = { cluster: ending, ...given };
    expect(does(over)).toEqual(wanted);
    expect(condition(over, 'Deleting')).toMatchObject({ status: 'True', reason });
    expect(plan(over).finished ?? false).toBe(finished);
  });

  it.each<{ rule: string; given: Partial<Observed>; type: string; wanted: object }>([
    {
      rule: 'InfrastructureReady names what does not exist',
      given: { infrastructure: gone },
      type: 'InfrastructureReady',
      wanted: { status: 'False', reason: 'ObjectDoesNotExist', message: 'AWSCluster does not exist' },
    },
    {
      rule: 'a provisioned infrastructure that vanished is an error',
      given: {
        infrastructure: gone,
        cluster: cluster({ status: { initialization: { infrastructureProvisioned: true } } }),
      },
      type: 'InfrastructureReady',
      wanted: { status: 'False', reason: 'ObjectDeleted' },
    },
    {
      rule: 'no probe yet',
      given: { snapshot: undefined },
      type: 'RemoteConnectionProbe',
      wanted: { status: 'False', reason: 'ProbeFailed' },
    },
    {
      rule: 'a single failed probe is no outage',
      given: { snapshot: snapshot({ failures: 1, unreachableSince: '2026-01-01T00:09:50Z' }) },
      type: 'RemoteConnectionProbe',
      wanted: { status: 'True' },
    },
    {
      rule: 'five failed probes are',
      given: { snapshot: snapshot({ failures: 5, reachable: false, unreachableSince: at }) },
      type: 'RemoteConnectionProbe',
      wanted: { status: 'False', reason: 'ProbeFailed' },
    },
    {
      rule: 'no workers are available workers',
      given: { machineDeployments: is([]) },
      type: 'WorkersAvailable',
      wanted: { status: 'True', reason: 'NoWorkers' },
    },
    {
      rule: 'a topology is reported as not acted on',
      given: { cluster: cluster({ spec: { topology: { classRef: { name: 'k' }, version: 'v1.35.0' } } }) },
      type: 'TopologyReconciled',
      wanted: {
        status: 'False',
        message: 'spec.topology: Managed topologies: accepted and stored, but not acted on',
      },
    },
    { rule: 'nothing is deleting', given: {}, type: 'Deleting', wanted: { status: 'False', reason: 'NotDeleting' } },
  ])('$rule', ({ given, type, wanted }) => expect(condition(given, type)).toMatchObject(wanted));

  it('never takes a latch back', () => {
    const latched = cluster({
      status: { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } },
    });
    const status = plan({ cluster: latched, infrastructure: gone, controlPlane: gone }).status;
    expect(status).toMatchObject({
      initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
    });
  });

  it('tells each transition once', () => {
    expect(plan().events?.map((e) => e.reason)).toEqual([
      'Provisioned',
      'InfrastructureReady',
      'ControlPlaneInitialized',
    ]);
    const settled = cluster({
      status: {
        phase: 'Provisioned',
        initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
      },
    });
    expect(plan({ cluster: { ...settled, spec: { ...settled.spec, controlPlaneEndpoint: endpoint } } }).events).toEqual(
      [],
    );
  });
});
