import { isTrue } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { isOwnedBy } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { type Secret, secretName, secretValue } from '../../core/contract/cluster-secrets.ts';
import type { AddOnTags, ControlPlaneProvider } from '../../core/contract/control-plane.ts';
import { etcdProof } from '../../core/contract/etcd-client.ts';
import type { Preflight } from '../../core/contract/infrastructure.ts';
import { controlPlaneQueries } from '../../core/contract/plain-control-plane.ts';
import { follow } from '../../core/contract/references.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import { askWorkload } from '../../ports/index.ts';
import type { DeprecatedApi, UnservedKind } from '../../ports/workload.ts';
import type { AddOns } from './checks/add-on-rollout.ts';
import type { EtcdFacts, Unreadable, WorkloadFacts } from './checks/facts.ts';
import { nodeNameOf } from './checks/pods.ts';
import type { UpgradeCheck } from './index.ts';
import { dueAt, type Need, needOf } from './need.ts';
import { type ListName, listNames, workloadLists } from './workload-lists.ts';

export interface Objects {
  controlPlane: KubeObject | undefined;
  machineDeployments: MachineDeployment[];
  machines: Machine[];
  drainRules: KubeObject[];
  kubeadmTemplates: KubeObject[];
}

export interface Observed {
  cluster: Cluster;
  /** The last check of this Cluster, or of a former one of its name. */
  check: Read<UpgradeCheck>;
  need: Need | undefined;
  /** Milliseconds since the epoch. */
  due: number | undefined;
  /** Read if a check is due. */
  objects?: Objects;
  workload?: WorkloadFacts | Unreadable;
  /** What the infrastructure said, if a user asks; absent if it did not answer. */
  infrastructure?: Preflight;
  /** In place of the workload's objects, if the step is about add-ons. */
  addOns?: AddOns | Unreadable;
  /** In place of them, if a rollback is decided. */
  unserved?: readonly UnservedKind[] | Unreadable;
}

const objectsOf = (cluster: Cluster, read: Reader): Objects => {
  const { namespace = '', name } = cluster.metadata;
  const where = { namespace, cluster: name };
  const { controlPlaneRef } = cluster.spec ?? {};
  return {
    controlPlane: controlPlaneRef && found(follow(read, namespace, controlPlaneRef, 'ControlPlane')),
    machineDeployments: found(read.list('MachineDeployment', where)) ?? [],
    machines: found(read.list('Machine', where)) ?? [],
    drainRules: found(read.list('MachineDrainRule', { namespace })) ?? [],
    kubeadmTemplates: found(read.list<KubeObject>('KubeadmConfigTemplate', { namespace })) ?? [],
  };
};

const reasonOf = (...reads: Read<unknown>[]): string | undefined =>
  reads.flatMap((read) => (read.state === 'unreadable' ? [read.reason] : []))[0];

const etcdOf = (
  kubeconfig: string,
  authority: Secret | undefined,
  nodes: readonly string[],
  read: Reader,
  now: number,
): EtcdFacts | undefined => {
  const proof = found(etcdProof(authority, 'capstan-upgrade-checks', read, now));
  if (!proof || nodes.length === 0) return undefined;
  const status = askWorkload(read, 'etcd', { kubeconfig, ...proof, nodes: [...nodes] });
  const reports = nodes.map((node) => {
    const report = askWorkload(read, 'etcdMember', { kubeconfig, ...proof, nodes: [node] });
    return { node, ...(found(report) ?? { unreadable: reasonOf(report) ?? 'no answer' }) };
  });
  return { status: found(status) ?? { unreadable: reasonOf(status) ?? 'no answer' }, reports };
};

const deprecatedApisOf = (kubeconfig: string, nodes: readonly string[], read: Reader): DeprecatedApi[] | Unreadable => {
  const answers = nodes.map((node) => askWorkload(read, 'deprecatedApis', { kubeconfig, node }));
  const unreadable = reasonOf(...answers);
  if (unreadable !== undefined) return { unreadable };
  const all = answers.flatMap((answer) => found(answer)?.apis ?? []);
  return [...new Map(all.map((api) => [JSON.stringify(api), api])).values()];
};

const workloadOf = (
  kubeconfig: string,
  authority: Secret | undefined,
  read: Reader,
  now: number,
): WorkloadFacts | Unreadable => {
  const reads = listNames.map(
    (name) => [name, askWorkload(read, 'list', { kubeconfig, ...workloadLists[name] })] as const,
  );
  const unreadable = reasonOf(...reads.map(([, list]) => list));
  if (unreadable !== undefined) return { unreadable };
  const lists = Object.fromEntries(reads.map(([name, list]) => [name, found(list)?.items ?? []])) as Record<
    ListName,
    KubeObject[]
  >;
  const nodes = lists.etcdPods.flatMap((pod) => nodeNameOf(pod) ?? []).toSorted();
  const etcd = etcdOf(kubeconfig, authority, nodes, read, now);
  return { ...lists, ...(etcd && { etcd }), deprecatedApis: deprecatedApisOf(kubeconfig, nodes, read) };
};

const inKubeSystem = { namespace: 'kube-system' };

const addOnsOf = (kubeconfig: string, tags: AddOnTags, read: Reader): AddOns | Unreadable => {
  const get = (kind: string, name: string) =>
    askWorkload(read, 'get', { kubeconfig, apiVersion: 'apps/v1', kind, ...inKubeSystem, name });
  const [kubeProxy, coreDns] = [get('DaemonSet', 'kube-proxy'), get('Deployment', 'coredns')];
  const pods = askWorkload(read, 'list', {
    kubeconfig,
    apiVersion: 'v1',
    kind: 'Pod',
    ...inKubeSystem,
    labelSelector: 'k8s-app=kube-proxy',
    only: ['spec.nodeName', 'spec.containers.name', 'spec.containers.image', 'status.conditions'],
  });
  const nodes = askWorkload(read, 'list', { kubeconfig, apiVersion: 'v1', kind: 'Node', only: ['status.conditions'] });
  const unreadable = reasonOf(kubeProxy, coreDns, pods, nodes);
  if (unreadable !== undefined) return { unreadable };
  return {
    tags,
    kubeProxy: found(kubeProxy),
    coreDns: found(coreDns),
    kubeProxyPods: found(pods)?.items ?? [],
    nodes: found(nodes)?.items ?? [],
  };
};

/** The Nodes of control-plane Machines, those that serve first. */
const apiServersOf = (machines: readonly Machine[]): string[] =>
  machines
    .toSorted(
      (a, b) => Number(isTrue(b.status?.conditions, 'Available')) - Number(isTrue(a.status?.conditions, 'Available')),
    )
    .flatMap(({ status }) => status?.nodeRef?.name ?? []);

const unservedOf = (
  kubeconfig: string,
  { controlPlane, machines }: Objects,
  read: Reader,
): readonly UnservedKind[] | Unreadable => {
  const { version } = (controlPlane?.spec ?? {}) as { version?: string };
  const members = machines.filter(({ metadata }) => metadata.labels?.[labels.controlPlane] !== undefined);
  const others = members.filter(({ spec }) => spec?.version !== version);
  if (others.length === 0) return [];
  const [newer] = apiServersOf(members.filter(({ spec }) => spec?.version === version));
  const [older] = apiServersOf(others);
  if (!newer || !older) return { unreadable: 'a control-plane Machine has no Node' };
  const answer = askWorkload(read, 'unservedObjects', { kubeconfig, older, newer });
  return found(answer)?.kinds ?? { unreadable: reasonOf(answer) ?? 'no answer' };
};

/** Null if no provider is served that could answer; undefined while there is no answer. */
const infrastructureAnswer = (cluster: Cluster, request: string, read: Reader): Preflight | null | undefined => {
  const { namespace = '', name } = cluster.metadata;
  const answer = found(read.get('InfrastructureCheck', { namespace, name }));
  return answer && isOwnedBy(answer, cluster) && answer.spec?.request === request ? answer.spec.preflight : undefined;
};

const withoutAccess: Unreadable = { unreadable: 'Its kubeconfig does not exist' };

export const observe = (
  cluster: Cluster,
  read: Reader,
  { now, config }: Context,
  controlPlanes: readonly ControlPlaneProvider[],
): Observed => {
  const { namespace = '', name, annotations = {} } = cluster.metadata;
  const named = annotations[operationAnnotations.operation];
  const operation =
    named !== undefined && config.workflows === true
      ? found(read.get('ClusterOperation', { namespace, name: named }))
      : undefined;
  const check = read.get('UpgradeCheck', { namespace, name });
  const need = needOf(cluster, operation, found(check));
  const due = need && dueAt(need, cluster, found(check), now);
  if (!need || due === undefined || due > now) return { cluster, check, need, due };
  const answer = need.for === 'request' ? infrastructureAnswer(cluster, need.request, read) : null;
  // It wakes this controller.
  if (answer === undefined) return { cluster, check, need, due };
  const secretOf = (purpose: 'kubeconfig' | 'etcd') =>
    found(read.get<Secret>('Secret', { namespace, name: secretName(name, purpose) }));
  const [kubeconfig, authority] = [secretValue(secretOf('kubeconfig'), 'value'), secretOf('etcd')];
  const objects = objectsOf(cluster, read);
  const { controlPlane } = objects;
  const queries = controlPlane && controlPlaneQueries(controlPlane, controlPlanes);
  if (need.for === 'operation' && need.step === 'AddOns') {
    const tags = (controlPlane && queries?.addOnTags(controlPlane)) ?? {};
    return {
      cluster,
      check,
      need,
      due,
      objects,
      addOns: kubeconfig ? addOnsOf(kubeconfig, tags, read) : withoutAccess,
    };
  }
  if (need.for === 'operation' && need.step === 'Decide') {
    const unserved = kubeconfig ? unservedOf(kubeconfig, objects, read) : withoutAccess;
    return { cluster, check, need, due, objects, unserved };
  }
  const managesEtcd = controlPlane !== undefined && queries?.managesEtcd(controlPlane) === true;
  const workload = kubeconfig ? workloadOf(kubeconfig, managesEtcd ? authority : undefined, read, now) : withoutAccess;
  return { cluster, check, need, due, objects, workload, ...(answer && { infrastructure: answer }) };
};
