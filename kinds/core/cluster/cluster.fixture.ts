/**
 * Builds an Available cluster with one control plane Machine and two workers, for tests to vary.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Read } from '../../../machinery/api/reconcile.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import { operatedPlan } from '../contract/operated.fixture.ts';
import { withheldBy } from '../contract/scope.ts';
import type { Target } from '../contract/target.ts';
import { clusterController } from './controller.ts';
import type { Observed } from './observe.ts';
import type { Cluster } from './schema.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
export const context: Context = {
  now,
  random: { suffix: () => 'aaaaa', pick: (from) => from[0]!, token: () => 't' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'i',
  config: {},
  awaits: [],
};

export const at = '2026-01-01T00:00:00Z';
export const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c', uid: 'cu' };
const labels = { 'cluster.x-k8s.io/cluster-name': 'c' };
export const endpoint = { host: 'lb.example', port: 6443 };

export const cluster = (over: Partial<Cluster> = {}, deleting = false): Cluster => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'c', namespace: 'ns', uid: 'cu', ...(deleting && { deletionTimestamp: at }) },
  spec: {
    infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name: 'c' },
    controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'c-cp' },
  },
  ...over,
});
/** A Cluster that names an operation. */
export const named = (annotations: Record<string, string> = {}, over: Partial<Cluster> = {}): Cluster => {
  const one = cluster(over);
  return {
    ...one,
    metadata: { ...one.metadata, annotations: { 'capstan.dev/operation': 'c-create-1', ...annotations } },
  };
};
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
export const awsCluster = (over: Partial<KubeObject> = {}, meta = {}) =>
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
export const controlPlane = (over: Partial<KubeObject> = {}, meta = {}) =>
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
export const machine = (name: string, plane = false) =>
  part(
    'Machine',
    name,
    { status: { conditions: [...ready, { type: 'UpToDate', status: 'True', reason: 'UpToDate' }] } },
    {
      labels: { ...labels, ...(plane && { 'cluster.x-k8s.io/control-plane': '' }) },
      ownerReferences: [{ ...owner, kind: 'MachineSet', uid: 'ms', controller: true }],
    },
  );
/** A new Machine without conditions. */
export const newMachine = (name: string, { plane = false, age = 0, of = {} } = {}): KubeObject => {
  const { metadata, status: _, ...rest } = machine(name, plane);
  const creationTimestamp = new Date(context.now - age * 1000).toISOString();
  return { ...rest, metadata: { ...metadata, creationTimestamp, labels: { ...metadata.labels, ...of } } };
};
/** A Machine that a MachineSet or a control plane created and later released. */
export const orphan = (name: string, plane = false): KubeObject => {
  const { metadata, ...rest } = machine(name, plane);
  const maker = plane ? 'cluster.x-k8s.io/control-plane-name' : 'cluster.x-k8s.io/set-name';
  return { ...rest, metadata: { ...metadata, ownerReferences: [], labels: { ...metadata.labels, [maker]: 'm' } } };
};
export const snapshot = (seen: Partial<WorkloadSnapshot>): WorkloadSnapshot => ({
  reachable: true,
  failures: 0,
  initialized: true,
  nodes: [],
  controlPlanePods: [],
  ...seen,
});

export const is = <T>(value: T): Read<T> => ({ state: 'found', value });
const observed = (over: Partial<Observed> = {}): Observed => ({
  cluster: cluster(),
  infrastructure: is(awsCluster()),
  controlPlane: is(controlPlane()),
  machineDeployments: is([deployment]),
  machineSets: is([]),
  machinePools: is([]),
  machines: is([machine('m1'), machine('m2'), machine('cp', true)]),
  snapshot: snapshot({ reachableSince: at }),
  withheld: undefined,
  operation: undefined,
  ...over,
});

export const gone = { state: 'absent' } as const;
/** As the loop sees a Cluster with this target. */
export const under = (target: Target, of: Cluster = cluster()): Pick<Observed, 'withheld'> => {
  const annotations = { ...of.metadata.annotations, 'capstan.dev/target': target };
  const targeted = { ...of, metadata: { ...of.metadata, annotations } };
  return { withheld: withheldBy(targeted, targeted, { workflows: true }) };
};
export const plan = (over: Partial<Observed> = {}, config = context.config) => {
  const seen = observed(over);
  const within = { ...context, config, ...(seen.withheld && { withheld: seen.withheld }) };
  return operatedPlan(clusterController({ causeRules: [] }), seen.cluster, seen, within, (fresh) => ({
    ...seen,
    cluster: fresh,
  }));
};
export const condition = (over: Partial<Observed>, type: string) => {
  const found = plan(over).status!.conditions!.find((one) => one.type === type)!;
  return { ...found, message: found.message ?? '' };
};
export const does = (over: Partial<Observed>) =>
  (plan(over).actions ?? []).map((a) => (a.do === 'patch' || a.do === 'delete' ? `${a.do} ${a.kind}/${a.name}` : a.do));
