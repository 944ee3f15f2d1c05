/** Builds a Machine with its parts and its cluster, for table tests. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type Action,
  type Context,
  type Failure,
  type Plan,
  type Read,
  type Reader,
  typedReader,
} from '../../../machinery/api/reconcile.ts';
import { controlPlanes } from '../../control-planes.ts';
import type { WorkloadNode, WorkloadSnapshot } from '../../ports/workload.ts';
import { operatedPass } from '../contract/operated.fixture.ts';
import { machineController } from './controller.ts';
import type { Machine, MachineStatus } from './schema.ts';

export const now = Date.parse('2026-01-01T12:00:00Z');
export const core = 'cluster.x-k8s.io/v1beta2';
export const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString().replace('.000', '');

export const machine = (of: { spec?: object; status?: object; metadata?: object } = {}): Machine =>
  ({
    apiVersion: core,
    kind: 'Machine',
    ...of,
    metadata: {
      name: 'm',
      namespace: 'default',
      uid: 'm-uid',
      resourceVersion: '5',
      labels: { 'cluster.x-k8s.io/cluster-name': 'c', 'cluster.x-k8s.io/set-name': 'set' },
      ownerReferences: [{ apiVersion: core, kind: 'MachineSet', name: 'set', uid: 'set-uid', controller: true }],
      ...of.metadata,
    },
    spec: {
      clusterName: 'c',
      version: 'v1.35.0',
      bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name: 'm' } },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachine', name: 'm' },
      ...of.spec,
    },
  }) as unknown as Machine;

export const machineOwner = { apiVersion: core, kind: 'Machine', name: 'm', uid: 'm-uid', controller: true };
export const part = (kind: string, of: { status?: object; spec?: object; metadata?: object } = {}): KubeObject => ({
  apiVersion: `${kind === 'AWSMachine' ? 'infrastructure' : 'bootstrap'}.cluster.x-k8s.io/v1beta2`,
  kind,
  ...of,
  metadata: {
    name: 'm',
    namespace: 'default',
    uid: `${kind}-uid`,
    resourceVersion: '2',
    labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
    ownerReferences: [machineOwner],
    ...of.metadata,
  },
});
export const config = part('KubeadmConfig', {
  status: { initialization: { dataSecretCreated: true }, dataSecretName: 'm' },
});
export const host = part('AWSMachine', {
  spec: { providerID: 'aws:///z/i-1' },
  status: {
    ready: true,
    addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    conditions: [{ type: 'Ready', status: 'True' }],
  },
});
export const cluster = (of: { metadata?: object; status?: object } = {}): KubeObject => ({
  apiVersion: core,
  kind: 'Cluster',
  metadata: { name: 'c', namespace: 'default', uid: 'c-uid', ...of.metadata },
  spec: {},
  status: { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true }, ...of.status },
});
export const healthy = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'False' }));
export const node = (of: Partial<WorkloadNode> = {}): WorkloadNode => ({
  name: 'node-1',
  uid: 'n',
  providerID: 'aws:///z/i-1',
  labels: {},
  annotations: {},
  taints: [],
  unschedulable: false,
  conditions: [{ type: 'Ready', status: 'True' }, ...healthy],
  nodeInfo: { kubeletVersion: 'v1.35.0' },
  addresses: [],
  volumesAttached: [],
  ...of,
});
export const snapshot = (nodes: WorkloadNode[], of: Partial<WorkloadSnapshot> = {}): KubeObject => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'WorkloadSnapshot',
  metadata: {
    name: 'c',
    namespace: 'default',
    ownerReferences: [{ apiVersion: core, kind: 'Cluster', name: 'c', uid: 'c-uid' }],
  },
  spec: {
    reachable: true,
    failures: 0,
    reachableSince: ago(600),
    initialized: true,
    nodes,
    controlPlanePods: [],
    ...of,
  },
});
export const kubeconfig: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'c-kubeconfig', namespace: 'default' },
  data: { value: Buffer.from('kubeconfig').toString('base64') },
};
export const controlPlaneMachine: KubeObject = {
  ...machine(),
  metadata: { name: 'cp', namespace: 'default', uid: 'cp', labels: { 'cluster.x-k8s.io/control-plane': '' } },
};

/** A Reader over these objects; `workload` answers by operation and kind. */
const readerOf = (objects: KubeObject[], workload: Record<string, unknown>): Reader => {
  const found = <T>(value: unknown): Read<T> =>
    value === undefined ? { state: 'absent' } : { state: 'found', value: value as T };
  return typedReader({
    get: (kind, { name }) => found(objects.find((o) => o.kind === kind && o.metadata.name === name)),
    list: (kind) => found(objects.filter((o) => o.kind === kind)),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'found', value: [] }),
    ask: (_, operation, input) => {
      const answer = workload[`${operation} ${(input as { kind: string }).kind}`];
      return answer instanceof Error ? { state: 'unreadable', reason: answer.message } : found(answer);
    },
  });
};
export const run = (
  one: Machine,
  objects: KubeObject[],
  workload: Record<string, unknown> = {},
  { lastFailure, attempts = 0 }: { lastFailure?: Failure; attempts?: number } = {},
  settings: Context['config'] = {},
): Plan<MachineStatus> => {
  const context: Context = {
    now,
    random: { suffix: () => 'x', pick: (from) => from[0]!, token: () => 't' },
    lastFailure,
    attempts,
    installation: 'test',
    config: settings,
    awaits: [],
  };
  const cluster = objects.find(({ kind, metadata }) => kind === 'Cluster' && metadata.name === one.spec?.clusterName);
  return operatedPass(
    machineController({ controlPlanes }),
    one,
    readerOf([one, ...objects], workload),
    cluster,
    context,
  );
};
export const summaryOf = (action: Action): string => {
  switch (action.do) {
    case 'create':
      return `create ${action.object.kind}`;
    case 'call': {
      const { kind, name, pod } = action.input as { kind?: string; name?: string; pod?: string };
      return `${action.operation} ${kind ?? 'Pod'} ${name ?? pod}`;
    }
    default:
      return `${action.do} ${action.kind}`;
  }
};
export const conditionsOf = ({ status }: Plan<MachineStatus>) =>
  Object.fromEntries((status?.conditions ?? []).map((c) => [c.type, [c.status, c.reason, c.message ?? '']]));
/** A Node that already has what a Machine writes. */
export const written = {
  'cluster.x-k8s.io/cluster-name': 'c',
  'cluster.x-k8s.io/cluster-namespace': 'default',
  'cluster.x-k8s.io/machine': 'm',
  'cluster.x-k8s.io/owner-kind': 'MachineSet',
  'cluster.x-k8s.io/owner-name': 'set',
  'cluster.x-k8s.io/labels-from-machine': '',
  'cluster.x-k8s.io/annotations-from-machine': '',
  'cluster.x-k8s.io/taints-from-machine': '',
};
export const tidy = node({ annotations: written });
