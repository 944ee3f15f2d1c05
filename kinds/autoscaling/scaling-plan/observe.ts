/**
 * Reads what a decision needs. The workload cluster is read when a decision is due, and only then:
 * nothing of its pods is stored, and a cluster without a pool is not read at all.
 */

import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { autoscale, boundsOf } from '../../common/autoscale/annotations.ts';
import {
  contradictionsOf,
  entryFor,
  type Unapplied,
  unappliedIn,
  withEntry,
} from '../../common/autoscale/plan-entry.ts';
import { isOwnedBy } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { regionOf } from '../../core/contract/cluster.ts';
import { type Secret, secretName, secretValue } from '../../core/contract/cluster-secrets.ts';
import { type Offer, observeOffer } from '../../core/contract/download.ts';
import { type MachineProvider, refusalIn, viewOf } from '../../core/contract/machine-provider.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { isApiServer, observeReporting, type Reporting } from '../../core/contract/push/reporting.ts';
import { follow, missingTemplates, readTemplates } from '../../core/contract/references.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import type { MachineSet } from '../../core/machine-set/index.ts';
import { askWorkload } from '../../ports/index.ts';
import type { WorkloadReads } from '../../ports/workload.ts';
import type { Pod, Quota } from '../plan/types.ts';
import { otherAutoscaler, type Traces } from '../snapshot/conflict.ts';
import { type ClusterObjects, podsOf } from '../snapshot/index.ts';
import type { Reports } from './interval.ts';
import { downloadOf } from './kept.ts';
import { type Hostless, isHostless, isPool, type PoolObjects } from './pools.ts';
import { type Priorities, prioritiesOf, priorityConfigMap } from './priorities.ts';
import { observeQuotas } from './quotas.ts';
import type { ScalingPlan } from './schema.ts';

export interface Observed {
  plan: ScalingPlan;
  cluster: Cluster | undefined;
  /** Undefined while they are unread. */
  pools: PoolObjects[] | undefined;
  /** Entries of the plan that have no effect. */
  unapplied?: readonly Unapplied[];
  /** All Machines of the cluster. */
  machines: readonly Machine[];
  /** Absent if no pool opted in, or if the cluster does not answer. */
  workload?: {
    kubeconfig: string;
    objects: ClusterObjects;
    pods: Pod[];
    /** Of pods without a node, by namespace and name. */
    uids: Readonly<Record<string, string>>;
    traces: Traces;
  };
  /** Absent where API servers cannot report. */
  reports?: Reports;
  /** Why the cluster is not read. */
  unreadable?: string;
  /** The prober does not reach the cluster either, and wakes the autoscaler when it does. */
  isUnreachable?: true;
  /** Read only if an expander needs them. */
  priorities?: Priorities;
  /** Limits that it shares with other clusters. */
  quotas?: Quota[];
  /** Present while the inputs of a decision are offered for download, or are to be. */
  offer?: Offer;
}

type Lister = (apiVersion: string, kind: string) => Read<WorkloadReads['list'][1]>;

/** Fields that a decision uses. Most of the bytes of Nodes and Pods are in others. */
export const only = [
  ...[
    'uid',
    'resourceVersion',
    'labels',
    'annotations',
    'ownerReferences',
    'creationTimestamp',
    'deletionTimestamp',
  ].map((field) => `metadata.${field}`),
  'spec',
  ...['allocatable', 'capacity', 'conditions', 'phase', 'nominatedNodeName', 'disruptionsAllowed'].map(
    (field) => `status.${field}`,
  ),
  // Of StorageClasses.
  'volumeBindingMode',
  'allowedTopologies',
  'provisioner',
];

const itemsOf = (read: Read<WorkloadReads['list'][1]>): KubeObject[] => found(read)?.items ?? [];
const reasonOf = (reads: readonly Read<unknown>[]): string | undefined =>
  reads.map((read) => (read.state === 'unreadable' ? read.reason : undefined)).find((reason) => reason !== undefined);

/** Most clusters have no pod with a volume that its decision depends on, so volumes are read apart. */
const observeVolumes = (pods: readonly Pod[], list: Lister) => {
  if (pods.every(({ claims }) => claims === undefined)) return [];
  return [
    list('v1', 'PersistentVolumeClaim'),
    list('v1', 'PersistentVolume'),
    list('storage.k8s.io/v1', 'StorageClass'),
    list('storage.k8s.io/v1', 'CSINode'),
  ];
};

const uidsOf = (pods: readonly KubeObject[]): Record<string, string> =>
  Object.fromEntries(
    pods.flatMap(({ metadata: { namespace, name, uid }, spec }) =>
      uid !== undefined && (spec as { nodeName?: string } | undefined)?.nodeName === undefined
        ? [[`${namespace ?? 'default'}/${name}`, uid] as const]
        : [],
    ),
  );

type FromWorkload = Pick<Observed, 'workload' | 'reports' | 'unreadable' | 'priorities'>;

const observeWorkload = (
  plan: ScalingPlan,
  kubeconfig: string,
  reporting: Reporting | undefined,
  read: Reader,
): FromWorkload => {
  const list: Lister = (apiVersion, kind) => askWorkload(read, 'list', { kubeconfig, apiVersion, kind, only });
  const get = (apiVersion: string, kind: string, name: string): Read<KubeObject> =>
    askWorkload(read, 'get', { kubeconfig, apiVersion, kind, namespace: otherAutoscaler.namespace, name });
  const reads = [
    list('v1', 'Node'),
    list('v1', 'Pod'),
    list('apps/v1', 'DaemonSet'),
    list('policy/v1', 'PodDisruptionBudget'),
    list('v1', 'Namespace'),
  ];
  const traces = {
    lease: get('coordination.k8s.io/v1', 'Lease', otherAutoscaler.lease),
    status: get('v1', 'ConfigMap', otherAutoscaler.status),
  };
  const priorities = plan.spec?.expanders?.includes('priority')
    ? get('v1', 'ConfigMap', priorityConfigMap.name)
    : undefined;
  // The report of this read proves that reports arrive.
  if (reporting) askWorkload(read, 'version', { kubeconfig });
  const [nodes, pods, daemonSets, budgets, namespaces] = reads.map(itemsOf);
  const all = podsOf(pods!);
  const volumeReads = observeVolumes(all, list);
  const [claims = [], volumes = [], classes = [], csiNodes = []] = volumeReads.map(itemsOf);
  const unreadable = reasonOf([
    ...reads,
    ...volumeReads,
    ...Object.values(traces),
    ...(priorities ? [priorities] : []),
  ]);
  if (unreadable !== undefined) return { unreadable };
  const objects: ClusterObjects = {
    nodes: nodes!,
    pods: [],
    daemonSets: daemonSets!,
    budgets: budgets!,
    namespaces: namespaces!,
    claims,
    volumes,
    classes,
    csiNodes,
  };
  const reports = reporting && { reports: { reporting, apiServers: pods!.filter(isApiServer) } };
  return {
    workload: { kubeconfig, objects, pods: all, uids: uidsOf(pods!), traces },
    ...reports,
    ...(priorities && { priorities: prioritiesOf(priorities) }),
  };
};

const observeHostless = (
  machines: readonly Machine[],
  read: Reader,
  providers: readonly MachineProvider[],
): Record<string, Hostless> => {
  const hosts = machines.filter(isHostless).map(({ metadata, spec }) => {
    const host = follow(read, metadata.namespace ?? '', spec!.infrastructureRef, 'InfrastructureMachine');
    return [metadata.name, found(host)] as const;
  });
  return Object.fromEntries(
    hosts.flatMap(([name, host]) => (host ? [[name, { host, refusal: refusalIn(host, providers) }]] : [])),
  );
};

const declared = (
  plan: ScalingPlan,
  deployment: MachineDeployment,
): Pick<PoolObjects, 'deployment' | 'contradicted'> => {
  const entry = entryFor(plan, deployment);
  const isContradicted = entry !== undefined && contradictionsOf(entry, deployment).length > 0;
  return { deployment: withEntry(deployment, entry), ...(isContradicted && { contradicted: true }) };
};

type FromManagement = Pick<Observed, 'pools' | 'unapplied' | 'machines'>;

const observePools = (
  plan: ScalingPlan,
  cluster: Cluster,
  read: Reader,
  providers: readonly MachineProvider[],
): FromManagement => {
  const { namespace = '', name } = cluster.metadata;
  const of = { namespace, cluster: name };
  const deployments = found(read.list('MachineDeployment', of));
  if (!deployments) return { pools: undefined, machines: [] };
  const unapplied = unappliedIn(plan, deployments);
  const pools = deployments
    .filter((one) => isOwnedBy(one, cluster))
    .map((one) => declared(plan, one))
    .filter(({ deployment }) => isPool(deployment));
  if (pools.length === 0) return { pools: [], unapplied, machines: [] };
  const machineSets = read.list('MachineSet', of);
  const machines = read.list('Machine', of);
  const { infrastructureRef } = cluster.spec ?? {};
  const infrastructure = infrastructureRef && follow(read, namespace, infrastructureRef, 'InfrastructureCluster');
  const region = infrastructure && regionOf(found(infrastructure));
  const templates = pools.map(({ deployment }) => readTemplates(read, namespace, deployment.spec!.template));
  if (machineSets.state !== 'found' || machines.state !== 'found') return { pools: undefined, machines: [] };
  const views = templates.map(({ infrastructure: template }) => {
    const object = found(template);
    return object && viewOf(object, providers);
  });
  const hostless = observeHostless(machines.value, read, providers);
  const poolObjects = (pool: (typeof pools)[number], at: number): PoolObjects => ({
    ...pool,
    cluster,
    machineSets: machineSets.value as MachineSet[],
    machines: machines.value,
    view: views[at],
    bootstrap: templates[at]!.bootstrap && found(templates[at]!.bootstrap),
    missing: missingTemplates(templates[at]!, pool.deployment.spec!.template),
    region,
    hostless,
  });
  return { pools: pools.map(poolObjects), unapplied, machines: machines.value };
};

const lacksMachines = ({ deployment }: PoolObjects): boolean => {
  const { metadata, spec, status } = deployment;
  const replicas = spec?.replicas ?? 1;
  const growsUnattended = [autoscale.schedule, autoscale.alarms, autoscale.headroom, autoscale.consolidate].some(
    (name) => metadata.annotations?.[name] !== undefined,
  );
  return growsUnattended || replicas !== (status?.replicas ?? 0) || replicas < (boundsOf(deployment)?.min ?? 0);
};

/** Quotas count all Machines of a namespace or the installation, which only a pool that grows needs to know. */
const mayGrow = ({ pools, machines, workload }: Observed): boolean =>
  pools!.some(lacksMachines) ||
  machines.some(isDeleting) ||
  (workload?.pods.some(({ node, unschedulable }) => node === undefined && unschedulable) ?? false);

export const observe = (
  plan: ScalingPlan,
  read: Reader,
  context: Context,
  providers: readonly MachineProvider[],
): Observed => {
  const observed = observeCluster(plan, read, context, providers);
  const offer = isDeleting(plan) ? undefined : observeOffer(downloadOf(plan, context.installation), read);
  return offer ? { ...observed, offer } : observed;
};

const observeCluster = (
  plan: ScalingPlan,
  read: Reader,
  context: Context,
  providers: readonly MachineProvider[],
): Observed => {
  const { namespace = '' } = plan.metadata;
  const name = plan.spec?.clusterName ?? '';
  const cluster = found(read.get('Cluster', { namespace, name }));
  if (!cluster || isDeleting(cluster) || isDeleting(plan) || context.withheld)
    return { plan, cluster, pools: undefined, machines: [] };
  const snapshot = read.get('WorkloadSnapshot', { namespace, name });
  const secret = read.get<Secret>('Secret', { namespace, name: secretName(name, 'kubeconfig') });
  const reporting = observeReporting({ namespace, cluster: name }, read, context);
  const { pools, ...others } = observePools(plan, cluster, read, providers);
  if (!pools || pools.length === 0) return { plan, cluster, pools, ...others };
  const kubeconfig = secretValue(found(secret), 'value');
  const { reachable, reason = 'it does not answer yet' } = found(snapshot)?.spec ?? {};
  if (!reachable || !kubeconfig) return { plan, cluster, pools, ...others, unreadable: reason, isUnreachable: true };
  const observed = { plan, cluster, pools, ...others, ...observeWorkload(plan, kubeconfig, reporting, read) };
  return mayGrow(observed) ? { ...observed, quotas: observeQuotas(plan, pools, read) } : observed;
};
