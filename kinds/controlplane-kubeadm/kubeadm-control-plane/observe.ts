import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { observeCertificates, withReplacedAuthority } from '../../bootstrap-kubeadm/kubeadm-config/certificates.ts';
import type { KubeadmConfig } from '../../bootstrap-kubeadm/kubeadm-config/index.ts';
import { lockName } from '../../bootstrap-kubeadm/kubeadm-config/init-lock.ts';
import { labels } from '../../common/labels.ts';
import { controllerOf, isControlledBy, isOwnedBy, ownersOf } from '../../common/owners.ts';
import { templatedKind } from '../../core/contract/clone.ts';
import { type Secret, secretName } from '../../core/contract/cluster-secrets.ts';
import { isProvisioned } from '../../core/contract/cluster-status.ts';
import { etcdProof } from '../../core/contract/etcd-client.ts';
import { finalSnapshotName, isFinalWanted } from '../../core/contract/final-snapshot.ts';
import { hostEndOf } from '../../core/contract/host-health.ts';
import { observeQuotas } from '../../core/contract/machine-quota.ts';
import { isDeleting, isToBeRemediated } from '../../core/contract/machines.ts';
import { withReferenced } from '../../core/contract/parts.ts';
import { follow } from '../../core/contract/references.ts';
import { asRestored, restoringOf } from '../../core/contract/restore.ts';
import { admissionOf } from '../../core/contract/rollout.ts';
import { awaitsOperation } from '../../core/contract/scope.ts';
import { snapshotOf } from '../../core/contract/workload-snapshot.ts';
import type { Machine } from '../../core/machine/schema.ts';
import { askWorkload } from '../../ports/index.ts';
import type { EtcdAccess, WorkloadSnapshot } from '../../ports/workload.ts';
import { followsCoreDns } from './addons.ts';
import {
  accessOf,
  type ControlPlane,
  desiredReplicas,
  isGoing,
  isInitialized,
  isUpToDate,
  type Live,
  type Member,
  managesEtcd,
  needsRollout,
  nodeOf,
} from './control-plane.ts';
import { creationOf } from './creation.ts';
import { hasUnknownMembers } from './etcd.ts';
import type { KubeadmControlPlane } from './index.ts';
import { isNoted } from './kubeadm-config-note.ts';
import { askAdministrator } from './kubeconfig-secret.ts';
import { controlPlaneMachineConditions } from './machine-conditions.ts';
import { annotations } from './names.ts';
import { workingTowards } from './previous-revision.ts';
import { observeRestored, restoreMessage } from './restore.ts';
import { bindingsFor } from './rollout.ts';
import { isRemediating } from './scale.ts';
import { outOfDateReasons, rolloutRevision } from './up-to-date.ts';

type Observing = Omit<ControlPlane, 'live' | 'quotas'>;

const ofControlPlane = { matchExpressions: [{ key: labels.controlPlane, operator: 'Exists' }] };
const ofWorkers = { matchExpressions: [{ key: labels.controlPlane, operator: 'DoesNotExist' }] };

interface Parts {
  infraMachines: KubeObject[];
  configs: KubeadmConfig[];
  workload: WorkloadSnapshot | undefined;
}

const memberOf = (machine: Machine, kcp: KubeadmControlPlane, parts: Parts, now: number): Member => {
  const named = <T extends KubeObject>(objects: T[], name: string | undefined) =>
    objects.find(({ metadata }) => metadata.name === name);
  const infraMachine = named(parts.infraMachines, machine.spec?.infrastructureRef.name);
  const config = named(parts.configs, machine.spec?.bootstrap.configRef?.name);
  const facts = { machine, controlPlane: kcp, infraMachine, bootstrapConfig: config, now };
  const outOfDate = outOfDateReasons(facts);
  return {
    machine,
    infraMachine,
    config,
    conditions: controlPlaneMachineConditions({ ...facts, snapshot: parts.workload }),
    outOfDate,
    isAskedFor: outOfDate.length === 0,
  };
};

/** Whether this pass may change etcd's members, or must know them. */
const concernsEtcd = (observing: Observing): boolean => {
  const { members } = observing;
  if (members.some(isGoing)) return true;
  // Nothing adds or removes Machines.
  if (observing.withheld) return false;
  return (
    members.length > desiredReplicas(observing) ||
    needsRollout(observing) ||
    isRemediating(observing) ||
    members.some(({ machine }) => isToBeRemediated(machine)) ||
    hasUnknownMembers(observing)
  );
};

const observeEtcd = (observing: Observing, kubeconfig: string, read: Reader, now: number): Live['etcd'] => {
  const { kcp, certificates, workload, members } = observing;
  if (!managesEtcd({ kcp }) || isDeleting(kcp) || !concernsEtcd(observing)) return undefined;
  const proof = found(etcdProof(found(certificates.secrets.etcd), 'capstan-control-plane', read, now));
  if (!proof) return undefined;
  // Nodes that probably answer come first: each of them can report all members.
  const pods = workload?.controlPlanePods.filter(({ component }) => component === 'etcd') ?? [];
  const leaving = new Set(members.filter(isGoing).map(nodeOf));
  const nodes = pods
    .toSorted((a, b) => Number(leaving.has(a.node)) - Number(leaving.has(b.node)) || Number(b.ready) - Number(a.ready))
    .map(({ node }) => node);
  const access: EtcdAccess = { kubeconfig, ...proof, nodes };
  return { access, status: askWorkload(read, 'etcd', access) };
};

const inKubeSystem = (kubeconfig: string, apiVersion: string, kind: string, name: string) => ({
  kubeconfig,
  apiVersion,
  kind,
  namespace: 'kube-system',
  name,
});

const observeAddons = (observing: Observing, kubeconfig: string, read: Reader): Partial<Live> => {
  const settled = observing.members.length === desiredReplicas(observing) && observing.members.every(isUpToDate);
  if (!settled || observing.members.some(isGoing)) return {};
  return {
    kubeProxy: askWorkload(read, 'get', inKubeSystem(kubeconfig, 'apps/v1', 'DaemonSet', 'kube-proxy')),
    ...(followsCoreDns(observing) && {
      kubeadmConfig: askWorkload(read, 'get', inKubeSystem(kubeconfig, 'v1', 'ConfigMap', 'kubeadm-config')),
      coreDns: askWorkload(read, 'get', inKubeSystem(kubeconfig, 'apps/v1', 'Deployment', 'coredns')),
      coreDnsConfig: askWorkload(read, 'get', inKubeSystem(kubeconfig, 'v1', 'ConfigMap', 'coredns')),
    }),
  };
};

const observeRollout = (observing: Observing, kubeconfig: string, read: Reader): Partial<Live> => {
  const changes = needsRollout(observing) || isNoted(observing);
  const joins = observing.members.length < desiredReplicas(observing);
  if (!changes && !joins) return {};
  const kubeadmConfig = askWorkload(read, 'get', inKubeSystem(kubeconfig, 'v1', 'ConfigMap', 'kubeadm-config'));
  if (!changes) return { kubeadmConfig };
  const { version = '' } = observing.kcp.spec ?? {};
  return {
    kubeadmConfig,
    bindings: bindingsFor(version).map(({ apiVersion, kind, metadata: { name } }) =>
      askWorkload(read, 'get', { kubeconfig, apiVersion, kind, name }),
    ),
  };
};

/** Machines are to be created, deleted or replaced, and other steps wait. */
const isOnTheWay = (observing: Observing): boolean =>
  observing.members.length !== desiredReplicas(observing) || needsRollout(observing);

/**
 * Reads expiries only in passes that reach noteExpiries: not while Machines are created or
 * replaced.
 */
const observeExpiries = (observing: Observing, kubeconfig: string, read: Reader): Live['expiries'] => {
  const { members, withheld } = observing;
  const expiries: Live['expiries'] = new Map();
  if (!withheld && isOnTheWay(observing)) return expiries;
  for (const member of members) {
    const { machine, config } = member;
    const node = nodeOf(member);
    const isKnown = config?.metadata.annotations?.[annotations.certificatesExpiry] !== undefined;
    if (!config || isKnown || !node || isGoing(member)) continue;
    expiries.set(machine.metadata.name, askWorkload(read, 'servingCertificate', { kubeconfig, node }));
  }
  return expiries;
};

const observeLive = (observing: Observing, read: Reader, { now }: Context): Live => {
  const { kcp, withheld, workload } = observing;
  const kubeconfig = accessOf(observing);
  const isEnding = isDeleting(kcp) || withheld?.releases;
  if (!kubeconfig || !isInitialized(observing) || !workload?.reachable || isEnding) return { expiries: new Map() };
  const etcd = observeEtcd(observing, kubeconfig, read, now);
  const restored = observeRestored(observing, kubeconfig, read, now);
  return {
    ...(restored && { restored }),
    ...(etcd && { etcd }),
    ...(!withheld && observeRollout(observing, kubeconfig, read)),
    ...(!withheld && observeAddons(observing, kubeconfig, read)),
    expiries: observeExpiries(observing, kubeconfig, read),
  };
};

/** Parts that a stalled worker created again after their Machine was gone. */
const orphanedPartsOf = (
  kcp: KubeadmControlPlane,
  machines: readonly Machine[],
  parts: readonly KubeObject[],
): KubeObject[] => {
  const names = new Set([
    creationOf(kcp)?.name,
    ...machines.flatMap(({ spec }) => [spec?.infrastructureRef.name, spec?.bootstrap.configRef?.name]),
  ]);
  return parts.filter(
    (part) =>
      isOwnedBy(part, kcp) &&
      !ownersOf(part).some(({ kind }) => kind === 'Machine') &&
      !isDeleting(part) &&
      !names.has(part.metadata.name),
  );
};

/**
 * A control plane Machine without its label is listed as a worker, and must not be waited for as
 * one.
 */
const withoutOwn = (workers: Read<Machine[]>, kcp: KubeadmControlPlane): Read<Machine[]> =>
  workers.state === 'found'
    ? { state: 'found', value: workers.value.filter((machine) => !isControlledBy(machine, kcp)) }
    : workers;

/** Undefined in a namespace that is being deleted, where no operation can create it. */
const observeFinal = (read: Reader, cluster: KubeObject): Read<KubeObject> | undefined => {
  const { namespace = '' } = cluster.metadata;
  const snapshot = read.get<KubeObject>('EtcdSnapshot', { namespace, name: finalSnapshotName(cluster) });
  if (snapshot.state !== 'absent') return snapshot;
  const space = found(read.get<KubeObject>('Namespace', { namespace: '', name: namespace }));
  return space && isDeleting(space) ? undefined : snapshot;
};

export interface Observed {
  /** Undefined until the Cluster that owns the control plane is known. */
  controlPlane: ControlPlane | undefined;
  /**
   * The control plane is being deleted before a Cluster owned it, or after its Cluster is gone, and
   * has no Machines.
   */
  isUnowned?: boolean;
}

/** The owning Cluster. During deletion, the label stands in for a removed owner reference. */
export const clusterNameOf = (kcp: KubeadmControlPlane): string | undefined =>
  ownersOf(kcp).find(({ kind }) => kind === 'Cluster')?.name ??
  (isDeleting(kcp) ? kcp.metadata.labels?.[labels.cluster] : undefined);

export const observe = (kcp: KubeadmControlPlane, read: Reader, context: Context): Observed => {
  const { namespace = '', uid } = kcp.metadata;
  const name = clusterNameOf(kcp);
  const reference = kcp.spec?.machineTemplate.spec.infrastructureRef;
  if (!name) return { controlPlane: undefined, isUnowned: isDeleting(kcp) };
  if (!reference) return { controlPlane: undefined };
  const of = { namespace, cluster: name };
  const clusterRead = read.get('Cluster', { namespace, name });
  const template = follow(read, namespace, reference, 'InfrastructureMachineTemplate');
  // Lists the Machines that it controls whatever their labels: otherwise it would create a
  // replacement for each.
  const machines = read.list('Machine', {
    ...of,
    labels: ofControlPlane,
    ...(uid !== undefined && { orOwner: uid }),
  });
  const own = (found(machines) ?? []).filter((machine) => isControlledBy(machine, kcp));
  const configs = withReferenced(
    read,
    read.list('KubeadmConfig', { ...of, labels: ofControlPlane }),
    own,
    ({ spec }) => spec?.bootstrap.configRef,
  );
  const infraMachines = withReferenced(
    read,
    read.list(templatedKind(reference.kind), { ...of, labels: ofControlPlane }),
    own,
    ({ spec }) => spec?.infrastructureRef,
  );
  const kubeconfig = read.get<Secret>('Secret', { namespace, name: secretName(name, 'kubeconfig') });
  const cluster = found(clusterRead);
  const { withheld } = context;
  const isTornDown = withheld?.releases === true && !isDeleting(kcp);
  const workers = isDeleting(kcp) || isTornDown ? read.list('Machine', { ...of, labels: ofWorkers }) : undefined;
  const workload = snapshotOf(read, { namespace, name }, cluster);
  const present = observeCertificates(read, {
    ...of,
    configuration: kcp.spec?.kubeadmConfigSpec?.clusterConfiguration,
    generate:
      cluster !== undefined && !withheld && isProvisioned(cluster) && !isInitialized({ kcp }) && !isDeleting(kcp),
    now: context.now,
  });
  const certificates = withReplacedAuthority(present, found(kubeconfig));
  // An unreadable list is not an empty one.
  if (machines.state !== 'found') return { controlPlane: undefined };
  if (!cluster) {
    const isLeft = isDeleting(kcp) && clusterRead.state === 'absent';
    return { controlPlane: undefined, isUnowned: isLeft && !machines.value.some((one) => isControlledBy(one, kcp)) };
  }
  const parts = { infraMachines: found(infraMachines) ?? [], configs: found(configs) ?? [], workload };
  const all = machines.value;
  // Nothing can be created before that, so the wait for the infrastructure is the reason, with or
  // without an operation.
  const isAwaited = (!withheld || awaitsOperation(withheld)) && !isProvisioned(cluster) && !isDeleting(kcp);
  // An existing kubeconfig is renewed; a missing one is created only when that may be.
  const mayHaveAdministrator =
    certificates.faults.ca === undefined && (!withheld || (!withheld.releases && kubeconfig.state === 'found'));
  const admission = admissionOf(cluster, kcp, rolloutRevision(kcp), context.config);
  const restore = isDeleting(kcp) || withheld ? undefined : restoringOf(cluster, kcp);
  const admitted = restore ? asRestored(cluster, kcp) : kcp;
  const members = own.map((machine) => memberOf(machine, admitted, parts, context.now));
  const working = workingTowards({ kcp: admitted, members }, admission, context.now);
  const { name: templateName } = working.kcp.spec!.machineTemplate.spec.infrastructureRef;
  const observing: Observing = {
    ...working,
    admission,
    cluster,
    template: templateName === reference.name ? template : read.get(reference.kind, { namespace, name: templateName }),
    foreign: all.filter((machine) => controllerOf(machine) !== undefined && !isControlledBy(machine, kcp)),
    orphans: all.filter((machine) => controllerOf(machine) === undefined && !isDeleting(machine)),
    orphanedParts: orphanedPartsOf(kcp, all, [...parts.infraMachines, ...parts.configs]),
    certificates,
    kubeconfig,
    administrator:
      isDeleting(kcp) || !mayHaveAdministrator
        ? undefined
        : askAdministrator(read, { kcp, cluster, kubeconfig, ca: certificates.secrets.ca }, context.now),
    workload,
    workers: workers && withoutOwn(workers, kcp),
    finalSnapshot: isDeleting(kcp) && isFinalWanted(cluster, context.config) ? observeFinal(read, cluster) : undefined,
    snapshots:
      !workload?.reachable && working.members.some(({ machine }) => hostEndOf(machine) !== undefined)
        ? read.list('EtcdSnapshot', { namespace, cluster: cluster.metadata.name })
        : undefined,
    withheld,
    restore,
    why: isAwaited
      ? 'Waiting for Cluster infrastructure to be ready'
      : (withheld?.message ?? (restore ? restoreMessage(restore) : '')),
    remains: isTornDown
      ? { parts: [infraMachines, configs], lock: read.get('ConfigMap', { namespace, name: lockName(name) }) }
      : undefined,
  };
  const quotas = !withheld && !isDeleting(kcp) && isOnTheWay(observing) ? observeQuotas(read, kcp) : [];
  return { controlPlane: { ...observing, quotas, live: observeLive(observing, read, context) } };
};
