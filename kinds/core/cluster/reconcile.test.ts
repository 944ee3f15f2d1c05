import { describe, expect, it } from 'vitest';
import { causeRules } from '../../cause-rules.ts';
import {
  at,
  awsCluster,
  cluster,
  condition,
  controlPlane,
  does,
  endpoint,
  gone,
  is,
  machine,
  newMachine,
  orphan,
  plan,
  snapshot,
} from './cluster.fixture.ts';
import { clusterController } from './controller.ts';
import type { Observed } from './observe.ts';

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

  it('requeues for the time when a Machine without an UpToDate condition starts to count', () => {
    const looksIn = (given: Parameters<typeof newMachine>[1]) =>
      plan({ machines: is([newMachine('m', given)]) }).requeueAfter;
    expect(looksIn({ age: 4 })).toBe(7);
    expect(looksIn({ age: 11 })).toBeUndefined();
    // The owners of these Machines set UpToDate.
    expect(looksIn({ plane: true, of: { 'cluster.x-k8s.io/control-plane-name': 'cp' } })).toBeUndefined();
    expect(looksIn({ of: { 'cluster.x-k8s.io/deployment-name': 'md' } })).toBeUndefined();
    // It is counted by its pool.
    expect(looksIn({ age: 4, of: { 'cluster.x-k8s.io/pool-name': 'p' } })).toBeUndefined();
  });

  it('copies the endpoint once, from whichever part has it', () => {
    const notYet = { controlPlane: gone };
    expect(plan(notYet).intent).toEqual({
      spec: { controlPlaneEndpoint: endpoint },
      metadata: { annotations: { 'capstan.dev/filled': JSON.stringify({ controlPlaneEndpoint: endpoint }) } },
    });
    const given = { ...notYet, cluster: cluster({ spec: { controlPlaneEndpoint: { host: 'mine', port: 1 } } }) };
    expect(plan(given).intent).toBeUndefined();
    expect(plan({ ...notYet, infrastructure: is(awsCluster({ spec: {} })) }).intent).toBeUndefined();
  });

  it('waits for its topology to name its parts', () => {
    const spec = { topology: { classRef: { name: 'any' }, version: 'v1.35.0' } };
    const given = { cluster: cluster({ spec, status: {} }), infrastructure: undefined, controlPlane: undefined };
    const waiting = {
      status: 'False',
      reason: 'ObjectDoesNotExist',
      message: 'Waiting for cluster topology to be reconciled',
    };
    expect(condition(given, 'InfrastructureReady')).toMatchObject(waiting);
    expect(condition(given, 'ControlPlaneAvailable')).toMatchObject(waiting);
    expect(condition(given, 'ControlPlaneInitialized')).toMatchObject({ ...waiting, status: 'Unknown' });
    expect(plan(given).status?.initialization).toBeUndefined();
  });

  it('has the finalizer of the operation controller where workflows are on', () => {
    expect(clusterController({ causeRules }).keptFor?.({ workflows: true })).toEqual(['capstan.dev/operations']);
    expect(clusterController({ causeRules }).keptFor?.({})).toEqual([]);
  });

  it.each<{ rule: string; given: Partial<Observed>; does: string[] }>([
    { rule: 'leaves owned parts unchanged', given: {}, does: [] },
    {
      rule: 'becomes the owner of a part',
      given: { infrastructure: is(awsCluster({}, { ownerReferences: [] })) },
      does: ['patch AWSCluster/c'],
    },
    {
      rule: 'labels a part',
      given: { controlPlane: is(controlPlane({}, { labels: {} })) },
      does: ['patch KubeadmControlPlane/c-cp'],
    },
    {
      rule: 'leaves a part in deletion alone',
      given: { infrastructure: is(awsCluster({}, { ownerReferences: [], deletionTimestamp: at })) },
      does: [],
    },
    { rule: 'waits for a missing part', given: { infrastructure: { state: 'absent' } }, does: [] },
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
      rule: 'waits for the last worker, whatever its owner',
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
      rule: 'then removes the finalizer',
      given: { machineDeployments: is([]), machines: is([]), controlPlane: gone, infrastructure: gone },
      does: [],
      reason: 'DeletionCompleted',
      finished: true,
    },
    {
      rule: 'never treats an unreadable part as absent',
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
      rule: 'never treats an unreadable list as empty',
      given: { machines: { state: 'unreadable', reason: 'throttled' } },
      does: [],
      reason: 'InternalError',
      finished: false,
    },
    {
      rule: 'deletes control plane Machines itself when no control plane object exists',
      given: { controlPlane: undefined, machineDeployments: is([]), machines: is([orphan('cp', true)]) },
      does: ['delete Machine/cp'],
      reason: 'WaitingForControlPlaneDeletion',
      finished: false,
    },
    {
      rule: 'deletes Machines that their control plane left behind, before the infrastructure',
      given: { controlPlane: gone, machineDeployments: is([]), machines: is([orphan('cp', true)]) },
      does: ['delete Machine/cp'],
      reason: 'WaitingForControlPlaneDeletion',
      finished: false,
    },
    {
      rule: 'waits for Machines whose control plane is gone and which will be garbage collected',
      given: { controlPlane: gone, machineDeployments: is([]), machines: is([machine('cp', true)]) },
      does: [],
      reason: 'WaitingForControlPlaneDeletion',
      finished: false,
    },
    {
      rule: 'deletes Machines that their MachineSet left behind',
      given: { machineDeployments: is([]), machines: is([orphan('w'), machine('cp', true)]) },
      does: ['delete Machine/w'],
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
      rule: 'is unaffected by a new Machine without conditions',
      given: { machines: is([machine('m1'), newMachine('m2', { age: 10 }), machine('cp', true)]) },
      type: 'WorkerMachinesUpToDate',
      wanted: { status: 'True', reason: 'UpToDate' },
    },
    {
      rule: 'is unaffected by a new control plane Machine',
      given: { machines: is([newMachine('cp', { plane: true })]) },
      type: 'ControlPlaneMachinesUpToDate',
      wanted: { status: 'True', reason: 'NoReplicas' },
    },
    {
      rule: 'is Unknown for a Machine that stays without conditions',
      given: { machines: is([machine('m1'), newMachine('m2', { age: 11 }), machine('cp', true)]) },
      type: 'WorkerMachinesUpToDate',
      wanted: { status: 'Unknown', reason: 'UpToDateUnknown' },
    },
    {
      rule: 'is unaffected by a Machine of a pool, which counts its Nodes itself',
      given: {
        machines: is([
          machine('m1'),
          newMachine('m2', { age: 11, of: { 'cluster.x-k8s.io/pool-name': 'p' } }),
          machine('cp', true),
        ]),
      },
      type: 'WorkerMachinesUpToDate',
      wanted: { status: 'True', reason: 'UpToDate' },
    },
    {
      rule: 'names missing infrastructure',
      given: { infrastructure: gone },
      type: 'InfrastructureReady',
      wanted: { status: 'False', reason: 'ObjectDoesNotExist', message: 'AWSCluster does not exist' },
    },
    {
      rule: 'is an error for a provisioned infrastructure that disappeared',
      given: {
        infrastructure: gone,
        cluster: cluster({ status: { initialization: { infrastructureProvisioned: true } } }),
      },
      type: 'InfrastructureReady',
      wanted: { status: 'False', reason: 'ObjectDeleted' },
    },
    {
      rule: 'is False for an infrastructure that has not reported before it is provisioned',
      given: { infrastructure: is(awsCluster({ status: {} })) },
      type: 'InfrastructureReady',
      wanted: { status: 'False', reason: 'NotReady', message: 'AWSCluster status.initialization is not complete' },
    },
    {
      rule: 'waits for the first probe',
      given: { snapshot: undefined },
      type: 'RemoteConnectionProbe',
      wanted: { status: 'False', reason: 'ProbeFailed' },
    },
    {
      rule: 'tolerates a single failed probe',
      given: { snapshot: snapshot({ failures: 1, unreachableSince: '2026-01-01T00:09:50Z' }) },
      type: 'RemoteConnectionProbe',
      wanted: { status: 'True' },
    },
    {
      rule: 'reports probes that have failed for a minute',
      given: {
        snapshot: snapshot({ failures: 1, reachable: false, unreachableSince: '2026-01-01T00:09:00Z' }),
      },
      type: 'RemoteConnectionProbe',
      wanted: { status: 'False', reason: 'ProbeFailed' },
    },
    {
      rule: 'reports five failed probes',
      given: { snapshot: snapshot({ failures: 5, reachable: false, unreachableSince: at, reason: 'refused' }) },
      type: 'RemoteConnectionProbe',
      wanted: { status: 'False', reason: 'ProbeFailed', message: `Remote connection down since ${at}: refused` },
    },
    {
      rule: 'is True without workers',
      given: { machineDeployments: is([]) },
      type: 'WorkersAvailable',
      wanted: { status: 'True', reason: 'NoWorkers' },
    },
    {
      rule: 'reports what the topology controller found',
      given: {
        cluster: cluster({
          spec: { topology: { classRef: { name: 'c' }, version: 'v1.35.0' } },
          metadata: {
            name: 'c',
            annotations: { 'capstan.dev/topology': '{"reason":"ReconcileFailed","message":"a template is missing"}' },
          },
        }),
      },
      type: 'TopologyReconciled',
      wanted: { status: 'False', reason: 'ReconcileFailed', message: 'a template is missing' },
    },
    {
      rule: 'is False without a deletion',
      given: {},
      type: 'Deleting',
      wanted: { status: 'False', reason: 'NotDeleting' },
    },
  ])('$rule', ({ given, type, wanted }) => expect(condition(given, type)).toMatchObject(wanted));

  it('never resets a latch', () => {
    const latched = cluster({
      status: { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } },
    });
    const status = plan({ cluster: latched, infrastructure: gone, controlPlane: gone }).status;
    expect(status).toMatchObject({
      initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
    });
  });

  it.each<{ rule: string; plane: Observed['controlPlane']; counts: boolean }>([
    { rule: 'does not count once it is gone', plane: gone, counts: false },
    {
      rule: 'keeps its last count while it is unreadable',
      plane: { state: 'unreadable', reason: 'throttled' },
      counts: true,
    },
  ])('a control plane $rule', ({ plane, counts }) => {
    const counted = cluster({ status: { controlPlane: { desiredReplicas: 1, replicas: 1 } } as object });
    const status = plan({ cluster: counted, controlPlane: plane }).status ?? {};
    expect('controlPlane' in status).toBe(counts);
  });

  it('is Available only once all readiness gates are True, and keeps the conditions of other writers', () => {
    const approved = 'example.com/Approved';
    const gated = (status?: 'True' | 'False') =>
      cluster({
        spec: { availabilityGates: [{ conditionType: approved }] },
        status: status ? { conditions: [{ type: approved, status, reason: 'Asked', lastTransitionTime: at }] } : {},
      });
    expect(condition({ cluster: gated() }, 'Available')?.status).toBe('Unknown');
    expect(condition({ cluster: gated('False') }, 'Available')?.status).toBe('False');
    expect(condition({ cluster: gated('True') }, 'Available')?.status).toBe('True');
    expect(condition({ cluster: gated('True') }, approved)).toMatchObject({ status: 'True', reason: 'Asked' });
  });

  it.each([
    { reason: 'ClusterUpgrading', status: 'True' },
    { reason: 'MachineDeploymentsUpgradeDeferred', status: 'True' },
    { reason: 'ReconcileFailed', status: 'False' },
    { reason: 'ClusterClassNotReconciled', status: 'False' },
  ])('is $status by its topology that is $reason', ({ reason, status }) => {
    const annotations = { 'capstan.dev/topology': JSON.stringify({ reason, message: 'why' }) };
    const topology = { classRef: { name: 'c' }, version: 'v1.35.0' };
    const given = cluster({ spec: { topology }, metadata: { name: 'c', annotations } });
    expect(condition({ cluster: given }, 'Available')?.status).toBe(status);
  });

  it('reports each transition once', () => {
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
