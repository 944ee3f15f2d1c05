/** An upgrade of the cluster `demo`: a control plane `cp` and the MachineDeployments `a` and `b`. */

import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { kubeadmControlPlanes } from '../../controlplane-kubeadm/kubeadm-control-plane/provider.ts';
import { rolloutRevision } from '../../core/contract/deployment.ts';
import type { Preflight } from '../../core/contract/infrastructure.ts';
import type { ObjectTargets } from '../../core/contract/object-targets.ts';
import type { Verdict } from '../../core/contract/operation.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import { referenceTo } from '../../references.fixture.ts';
import {
  absent,
  at,
  clusterOf,
  clusterStateOf,
  found,
  objectOf,
  operationOf,
  start,
} from '../cluster-operation/operation.fixture.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { rolloutsOf } from '../shared/rollouts.ts';
import { type OperationScope, scopeOf } from '../shared/scope.ts';
import type { UpgradeCheckStatus } from '../upgrade-check/index.ts';
import { type UpgradeStep, upgradeSteps } from './step-names.ts';

/** Machines of an object: old, booting (new and not available) and new ones; `going`: old ones in deletion. */
export interface Counts {
  old?: number;
  booting?: number;
  fresh?: number;
  going?: number;
  /** Of another version than their spec. */
  wrong?: number;
}

export interface UpgradeState {
  cp?: Counts;
  a?: Counts;
  b?: Counts;
  annotations?: Record<string, string>;
  targets?: ObjectTargets;
  status?: OperationStatus;
  spec?: object;
  /** The version that the specs ask for. */
  to?: string;
  changed?: { cp?: object; a?: object; b?: object };
  isAvailable?: boolean;
  seconds?: number;
  namedOther?: boolean;
  /** By default a fresh snapshot exists. */
  snapshots?: KubeObject[];
  managesEtcd?: boolean;
  /** What was found inside the cluster for the running step; by default nothing, and null: no answer yet. */
  check?: UpgradeCheckStatus | null;
  /** What the infrastructure says about the new Machines. */
  preflight?: Preflight;
}

export const from = 'v1.35.0';
const owner = (object: KubeObject) => [
  {
    apiVersion: object.apiVersion,
    kind: object.kind,
    name: object.metadata.name,
    uid: object.metadata.uid!,
    controller: true,
  },
];
const condition = (type: string, status: string, reason = type) => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: at(-60),
});

const machinesOf = (
  of: KubeObject,
  prefix: string,
  { old = 0, booting = 0, fresh = 0, going = 0, wrong = 0 }: Counts,
  to: string,
  sets?: { before: KubeObject; now: KubeObject },
) => {
  const isControlPlane = sets === undefined;
  const machine = (kind: string, i: number, isNew: boolean, isAvailable: boolean, more: object = {}) =>
    objectOf('Machine', `${prefix}-${kind}-${i}`, {
      metadata: {
        labels: isControlPlane ? { 'cluster.x-k8s.io/control-plane': '' } : {},
        ownerReferences: owner(sets ? (isNew ? sets.now : sets.before) : of),
        ...(kind === 'going' && { deletionTimestamp: at(-5) }),
      },
      spec: { version: isNew ? to : from },
      status: {
        conditions: [
          kind === 'wrong'
            ? condition('UpToDate', 'False', 'Updating')
            : condition('UpToDate', isNew ? 'True' : 'False', isNew ? 'UpToDate' : 'NotUpToDate'),
          condition('Available', isAvailable ? 'True' : 'False'),
          condition('Ready', isAvailable ? 'True' : 'False'),
        ],
      },
      ...more,
    });
  const times = (n: number, make: (i: number) => KubeObject) => Array.from({ length: n }, (_, i) => make(i));
  return [
    ...times(old, (i) => machine('old', i, false, true)),
    ...times(going, (i) => machine('going', i, false, false)),
    ...times(booting, (i) => machine('booting', i, true, false)),
    ...times(wrong, (i) => machine('wrong', i, true, true)),
    ...times(fresh, (i) => machine('fresh', i, true, true)),
  ];
};

const template = (version: string) => ({
  spec: {
    clusterName: 'demo',
    version,
    bootstrap: { configRef: referenceTo('KubeadmConfigTemplate', 'w') },
    infrastructureRef: referenceTo('AWSMachineTemplate', 'w'),
  },
});

const deploymentOf = (name: string, to: string, change: object = {}) =>
  objectOf('MachineDeployment', name, {
    spec: { clusterName: 'demo', replicas: 2, template: template(to) },
    ...change,
  });

export const objectsOf = ({ cp = { old: 3 }, a = { old: 2 }, b, to = 'v1.36.0', changed = {} }: UpgradeState) => {
  const upToDate = cp.fresh ?? 0;
  const booting = cp.booting ?? 0;
  const controlPlane = objectOf('KubeadmControlPlane', 'cp', {
    metadata: { generation: 2 },
    spec: { replicas: 3, version: to },
    status: {
      observedGeneration: 2,
      upToDateReplicas: upToDate + booting,
      ...{ conditions: [condition('Available', 'True')] },
    },
    ...changed.cp,
  });
  const workersOf = (name: 'a' | 'b', counts: Counts | undefined) => {
    if (!counts) return { deployments: [], sets: [], machines: [] };
    const deployment = deploymentOf(name, to, changed[name]);
    const set = (suffix: string, version: string) =>
      objectOf('MachineSet', `${name}-${suffix}`, {
        metadata: { ownerReferences: owner(deployment) },
        spec: { clusterName: 'demo', replicas: 1, template: template(version) },
      });
    const sets = { before: set('before', from), now: set('now', to) };
    const isBegun = (counts.booting ?? 0) + (counts.fresh ?? 0) + (counts.wrong ?? 0) > 0;
    return {
      deployments: [deployment],
      sets: [sets.before, ...(isBegun ? [sets.now] : [])],
      machines: machinesOf(deployment, name, counts, to, sets),
    };
  };
  const [first, second] = [workersOf('a', a), workersOf('b', b)];
  return {
    controlPlane,
    machineDeployments: [...first.deployments, ...second.deployments],
    machineSets: [...first.sets, ...second.sets],
    machines: [...machinesOf(controlPlane, 'cp', cp, to), ...first.machines, ...second.machines],
  };
};

/** As a MachineDeployment or control plane of the state has it. */
export const revisionIn = (objects: ReturnType<typeof objectsOf>, name: string): string => {
  const deployment = objects.machineDeployments.find(({ metadata }) => metadata.name === name);
  return deployment
    ? rolloutRevision(deployment as MachineDeployment)
    : kubeadmControlPlanes.rolloutRevision(objects.controlPlane);
};

/** Entries with the revision of their object filled in. */
export const targetsFor = (state: UpgradeState, targets: ObjectTargets = {}): ObjectTargets => {
  const objects = objectsOf(state);
  return Object.fromEntries(
    Object.entries(targets).map(([key, target]) => [
      key,
      { revision: revisionIn(objects, key.split('/')[1] ?? ''), ...target },
    ]),
  );
};

/** Ended after that many seconds. */
export const snapshotNamed = (
  name: string,
  phase?: string,
  seconds = 0,
  { etcdVersion, kubernetesVersion = from }: { etcdVersion?: string; kubernetesVersion?: string } = {},
): KubeObject =>
  objectOf('EtcdSnapshot', name, {
    status: {
      kubernetesVersion,
      ...(etcdVersion && { etcdVersion }),
      ...(phase && { phase }),
      ...(phase === 'Succeeded' && { completedAt: at(seconds) }),
      ...(phase === 'Failed' && { failedAt: at(seconds) }),
      conditions: [{ ...condition('Ready', phase === 'Succeeded' ? 'True' : 'False'), message: 'etcd says no' }],
    },
  });

/** It answers the running step. */
const checkFor = (status: OperationStatus | undefined, of: UpgradeCheckStatus = {}): KubeObject => {
  const step = status?.step === 'AddOns' ? 'AddOns' : 'Preflight';
  const answer = { operation: 'demo-upgrade-1', step, result: 'Passing', findings: [], lastRefresh: at(1e6) };
  return objectOf('UpgradeCheck', 'demo', { status: { ...answer, ...of } });
};

export const scopeFor = (state: UpgradeState): OperationScope => {
  const { annotations = {}, targets, status, spec = {}, isAvailable = true, seconds = 0 } = state;
  const objects = objectsOf(state);
  const now = start + seconds * 1000;
  const cluster = clusterOf({
    metadata: {
      annotations: {
        [operationAnnotations.operation]: state.namedOther ? 'demo-upgrade-2' : 'demo-upgrade-1',
        [operationAnnotations.wasAvailable]: 'true',
        ...(targets && { [operationAnnotations.objectTargets]: JSON.stringify(targetsFor(state, targets)) }),
        ...annotations,
      },
    },
    spec: { controlPlaneRef: referenceTo('KubeadmControlPlane', 'cp') },
    status: { conditions: [condition('Available', isAvailable ? 'True' : 'False')] },
  });
  // The operation began with the objects as they were before the change.
  const began = objectsOf({ ...state, changed: {} });
  const operation = operationOf(status, {
    metadata: { name: 'demo-upgrade-1' },
    spec: {
      type: 'upgrade',
      objects: [began.controlPlane, ...began.machineDeployments].map(({ kind, metadata: { name } }) => ({
        kind,
        name,
        revision: revisionIn(began, name),
        from,
      })),
      ...spec,
    },
  });
  const clusterState = clusterStateOf(cluster, {
    controlPlane: found(objects.controlPlane),
    infrastructure: absent,
    machineDeployments: objects.machineDeployments,
    machineSets: objects.machineSets,
    machines: objects.machines,
    snapshots: state.snapshots ?? [snapshotNamed('other', 'Succeeded', 1e9)],
    managesEtcd: state.managesEtcd ?? true,
    upgradeCheck: state.check === null ? undefined : checkFor(status, state.check),
    rollouts: rolloutsOf({ ...objects, controlPlanes: [kubeadmControlPlanes], now }),
  });
  const random = { suffix: () => 'x', pick: <T>([first]: readonly T[]) => first!, token: () => 't' };
  return scopeOf(operation, operation.spec!, { clusterState, preflight: state.preflight }, { now, random });
};

/** Running at a step since the start; the steps before it succeeded. */
export const runningAt = (
  name: UpgradeStep,
  more: OperationStatus = {},
  verdict: Verdict = 'Running',
): OperationStatus => ({
  phase: 'Running',
  step: name,
  execution: 'e',
  started: at(0),
  clock: { since: at(0), seconds: 0 },
  steps: [
    ...upgradeSteps.slice(0, upgradeSteps.indexOf(name)).map((step) => ({
      name: step,
      started: at(0),
      ended: at(0),
      verdict: 'Succeeded' as const,
    })),
    { name, started: at(0), verdict },
  ],
  ...more,
});

/** The new targets in short, such as `MachineDeployment/a: Build 1`; undefined if they stay. */
export const targetsIn = (actions: readonly Action[] = []): Record<string, string> | undefined => {
  const patch = actions.find((action) => action.do === 'patch' && action.kind === 'Cluster');
  if (patch?.do !== 'patch') return undefined;
  const text = patch.patch.metadata?.annotations?.[operationAnnotations.objectTargets];
  const targets = JSON.parse(text ?? '{}') as ObjectTargets;
  return Object.fromEntries(
    Object.entries(targets).map(([key, { target, most, held }]) => [
      key.split('/')[1]!,
      [target, most, held && 'held'].filter((part) => part !== undefined).join(' '),
    ]),
  );
};
