/** Builds a cluster, an operation on it and its waiting tasks, with the differences of a test. */

import { mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Await, Context, Plan, Read } from '../../../machinery/api/reconcile.ts';
import type { Execution } from '../../../machinery/ports.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import { judged, refusal, region } from '../../infrastructure-aws/preflight/preflight.fixture.ts';
import { awsInfrastructure } from '../../infrastructure-aws/provider.ts';
import { apiVersionFor, referenceTo } from '../../references.fixture.ts';
import { createSteps } from '../create/steps.ts';
import { deleteSteps } from '../delete/steps.ts';
import { checkInterval } from '../shared/clock.ts';
import type { ClusterState } from '../shared/cluster-state.ts';
import type { Observed } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { ClusterOperation, OperationStatus } from './schema.ts';

export const found = <T>(value: T): Read<T> => ({ state: 'found', value });
export const absent: Read<never> = { state: 'absent' };
export const start = Date.parse('2026-01-01T00:00:00Z');
export const at = (seconds: number): string => `${new Date(start + seconds * 1000).toISOString().slice(0, 19)}Z`;

const ofTheCluster = ['AWSCluster', 'KubeadmControlPlane'];
/** An object of the cluster `demo`, with a merge patch applied. */
export const objectOf = (kind: string, name: string, change: object = {}): KubeObject =>
  mergePatch(
    {
      apiVersion: apiVersionFor(kind),
      kind,
      metadata: {
        name,
        namespace: 'default',
        uid: `uid-of-${name}`,
        resourceVersion: '7',
        creationTimestamp: at(-60),
        labels: { 'cluster.x-k8s.io/cluster-name': 'demo' },
        ...(ofTheCluster.includes(kind) && {
          ownerReferences: [
            { apiVersion: apiVersionFor('Cluster'), kind: 'Cluster', name: 'demo', uid: 'uid-of-demo' },
          ],
        }),
      },
    },
    change,
  ) as KubeObject;

export const conditionWith = (type: string, status: string, more: object = {}) => ({ type, status, ...more });
export const saying = (...conditions: object[]) => ({ status: { conditions } });

export const clusterOf = (change: object = {}): Cluster =>
  objectOf(
    'Cluster',
    'demo',
    mergePatch(
      {
        metadata: { annotations: { [operationAnnotations.operation]: 'demo-create-1' } },
        spec: {
          infrastructureRef: referenceTo('AWSCluster', 'demo'),
          controlPlaneRef: referenceTo('KubeadmControlPlane', 'demo-cp'),
        },
      },
      change as JsonObject,
    ) as object,
  ) as Cluster;
export const annotated = (annotations: Record<string, string>) => ({ metadata: { annotations } });
export const targeted = (target: string) => annotated({ [operationAnnotations.target]: target });
export const wasAvailable = annotated({ [operationAnnotations.wasAvailable]: 'true' });

export const operationOf = (status: OperationStatus | undefined, change: object = {}): ClusterOperation =>
  objectOf(
    'ClusterOperation',
    'demo-create-1',
    mergePatch(
      {
        metadata: {
          ownerReferences: [
            { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'demo', uid: 'uid-of-demo' },
          ],
        },
        spec: { clusterName: 'demo', type: 'create', fingerprint: '0123456789abcdef', attempt: 1, region },
        ...(status && { status: status as JsonObject }),
      } as JsonObject,
      change as JsonObject,
    ) as object,
  ) as ClusterOperation;
export const deletion = { metadata: { name: 'demo-delete-1' }, spec: { type: 'delete' } };

export const clusterStateOf = (cluster: Cluster, change: Partial<ClusterState> = {}): ClusterState => ({
  cluster,
  infrastructure: found(objectOf('AWSCluster', 'demo')),
  controlPlane: found(objectOf('KubeadmControlPlane', 'demo-cp', { spec: { replicas: 3 } })),
  machineDeployments: [],
  machineSets: [],
  machinePools: [],
  machines: [],
  kubeadmTemplates: [],
  rollouts: [],
  origin: undefined,
  snapshots: [],
  upgradeCheck: undefined,
  managesEtcd: true,
  etcdVersion: undefined,
  workload: undefined,
  hostsLeft: { state: 'unread' },
  keptDisks: undefined,
  stayingCopies: undefined,
  endedHosts: { state: 'unread' },
  infraMachines: [],
  provider: awsInfrastructure,
  foreign: [],
  resourceSets: [],
  binding: absent,
  remains: found([]),
  stranded: [],
  ...change,
});

export interface Stage {
  cluster?: object | null;
  status?: OperationStatus;
  operation?: object;
  clusterState?: Partial<ClusterState>;
  /** The waiting tasks; two of the same name have two tokens. */
  waiting?: (string | Partial<Await>)[];
  /** The result of the preflight. */
  preflight?: 'passes' | 'refuses' | 'misses' | 'unread';
  named?: ClusterOperation;
  execution?: Read<Execution>;
  /** Seconds since the operation began. */
  seconds?: number;
  context?: Partial<Context>;
}

export const awaitsOf = (waiting: Stage['waiting'] = []): Await[] =>
  waiting.map((one, i) => ({
    id: `await-${i}`,
    step: '',
    uid: 'uid-of-demo-create-1',
    ...(typeof one === 'string' ? { step: one } : one),
  }));

export const contextOf = ({ waiting, seconds = 0, context }: Stage): Context => ({
  now: start + seconds * 1000,
  random: { suffix: () => 'x', pick: ([first]) => first!, token: () => 't' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'here',
  config: { workflows: true },
  awaits: awaitsOf(waiting),
  ...context,
});

const preflights = {
  passes: judged(),
  refuses: judged({ changed: { awsCluster: { spec: { region: 'nowhere-1' } } } }),
  misses: judged({ answers: { GetInstanceProfile: () => refusal('NoSuchEntity') } }),
  unread: undefined,
};

/** Passes have checked the clock all the time. */
const inTime = ({ status, seconds = 0 }: Stage): OperationStatus | undefined =>
  status?.clock?.since && seconds >= checkInterval
    ? { ...status, clock: { ...status.clock, seen: at(seconds) } }
    : status;

export const observedOf = (stage: Stage): Observed => {
  const cluster = clusterOf(stage.cluster ?? {});
  return {
    operation: operationOf(inTime(stage), { metadata: { uid: 'uid-of-demo-create-1' }, ...stage.operation }),
    cluster: stage.cluster === null ? absent : found(cluster),
    named: stage.named && found(stage.named),
    clusterState: stage.cluster === null ? undefined : clusterStateOf(cluster, stage.clusterState),
    preflight: preflights[stage.preflight ?? 'passes'],
    execution: stage.execution,
  };
};

export interface Scored {
  plan: Plan<OperationStatus>;
  /** Each as `task: output` or `task: error`. */
  answers: string[];
  /** The new target of the Cluster, if it changes. */
  target: string | undefined;
  status: OperationStatus;
}

const targetIn = (actions: readonly Action[] = []): string | undefined => {
  const patch = actions.find((action) => action.do === 'patch' && action.kind === 'Cluster');
  return patch?.do === 'patch'
    ? (patch.patch.metadata?.annotations?.[operationAnnotations.target] ?? undefined)
    : undefined;
};

export const scored = (stage: Stage): Scored => {
  const context = contextOf(stage);
  const plan = reconcile(observedOf(stage), context);
  const stepOf = (id: string) => context.awaits.find((one) => one.id === id)?.step ?? id;
  return {
    plan,
    answers: (plan.answers ?? []).map(
      (answer) => `${stepOf(answer.to)}: ${'output' in answer ? JSON.stringify(answer.output) : answer.error}`,
    ),
    target: targetIn(plan.actions),
    status: (plan.status ?? stage.status ?? {}) as OperationStatus,
  };
};

/** A running create at a step; the steps before it succeeded. */
export const runningAt = (step: string, before: readonly string[], more: OperationStatus = {}): OperationStatus => ({
  phase: 'Running',
  step,
  execution: 'an-execution',
  started: at(0),
  clock: { since: at(0), seconds: 0 },
  steps: [
    ...before.map((name) => ({ name, started: at(0), ended: at(0), verdict: 'Succeeded' as const })),
    { name: step, started: at(0), verdict: 'Running' as const },
  ],
  ...more,
});

export const before = (step: string): string[] => {
  const steps: readonly string[] = step.startsWith('Delete') || step === 'Prove' ? deleteSteps : createSteps;
  return steps.slice(0, steps.indexOf(step));
};
export const running = (step: string, more: OperationStatus = {}) => runningAt(step, before(step), more);
export const policy = (onFailure: string, deadline = '1h') =>
  annotated({ 'capstan.dev/on-create-failure': onFailure, 'capstan.dev/create-deadline': deadline });
export const built = (onFailure = 'TearDown', deadline = '1h') => ({
  metadata: {
    annotations: { ...policy(onFailure, deadline).metadata.annotations, ...targeted('Build').metadata.annotations },
  },
});
export const failed: OperationStatus = {
  phase: 'Running',
  execution: 'an-execution',
  step: 'Network',
  started: at(0),
  clock: { since: at(0), seconds: 0 },
  steps: [
    { name: 'Preflight', started: at(0), ended: at(0), verdict: 'Succeeded' },
    {
      name: 'Network',
      started: at(0),
      ended: at(30),
      verdict: 'DeadlineExceeded',
      message: 'CreateVpc: VpcLimitExceeded: full',
    },
  ],
};
export const undoing: OperationStatus = {
  ...failed,
  step: 'TearDown',
  steps: [...failed.steps!, { name: 'TearDown', started: at(30), verdict: 'Running' }],
};
export const nothing = targeted('Nothing');
export const left = { remains: found(['EC2 instance i-1']) };
export const controlPlane = saying(conditionWith('ControlPlaneAvailable', 'True'));
