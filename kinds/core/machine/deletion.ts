/**
 * The steps of a Machine's deletion: hooks, drain, volumes, hooks, preservation, infrastructure,
 * bootstrap config, Node. Each step waits for the previous one. Steps on the Node are skipped if no workload
 * cluster remains. Pure.
 */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { controllerOf } from '../../common/owners.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import type { Cluster } from '../cluster/schema.ts';
import { etcdCleanupHook, excludeDrain, excludeVolumes, hooks } from '../contract/hooks.ts';
import { providerIdOf } from '../contract/machine.ts';
import { isDeleting } from '../contract/machines.ts';
import { preservedUntil } from '../shared/preservation.ts';
import { hostTimeLeft } from './interruption.ts';
import { nodesOf } from './node.ts';
import type { Machine, MachineStatus } from './schema.ts';

export interface DeletionFacts {
  machine: Machine;
  cluster: Read<Cluster>;
  /** Undefined if the Cluster has no controlPlaneRef. */
  controlPlane: Read<KubeObject> | undefined;
  /** All Machines of the cluster, or enough of them to show that its control plane stays. */
  machines: Read<Machine[]>;
  infraMachine: Read<KubeObject>;
  bootstrapConfig: Read<KubeObject> | undefined;
  snapshot: WorkloadSnapshot | undefined;
  /** The cluster is torn down, so no part of it is worth a step of its own. */
  isTornDown: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The Node's name: from nodeRef, or found by provider ID. */
export const nodeNameOf = ({ machine, infraMachine, snapshot }: DeletionFacts): string | undefined => {
  if (machine.status?.nodeRef) return machine.status.nodeRef.name;
  const infraId = infraMachine.state === 'found' ? providerIdOf(infraMachine.value) : undefined;
  return nodesOf(snapshot, machine.spec?.providerID ?? infraId)[0]?.name;
};

/** A Node that joined after the last probe has the name of its host. */
const hostNameOf = ({ machine }: DeletionFacts): string | undefined =>
  machine.status?.addresses?.find(({ type }) => type === 'InternalDNS')?.address;

const isExternallyManaged = (controlPlane: KubeObject): boolean =>
  (controlPlane.status as { externalManagedControlPlane?: boolean } | undefined)?.externalManagedControlPlane === true;

export const staysOfControlPlane = (machine: Machine): boolean =>
  machine.metadata.labels?.[labels.controlPlane] !== undefined && !isDeleting(machine);

/** Whether to drain and delete the Node; undefined while that is unknown. */
export const isNodeDeletionAllowed = (facts: DeletionFacts, name = nodeNameOf(facts)): boolean | undefined => {
  const { cluster, controlPlane, machines } = facts;
  if (cluster.state === 'absent') return false;
  if (cluster.state !== 'found') return undefined;
  if (isDeleting(cluster.value) || name === undefined) return false;
  if (controlPlane?.state === 'found') {
    if (isDeleting(controlPlane.value)) return false;
    if (isExternallyManaged(controlPlane.value)) return true;
  } else if (controlPlane && controlPlane.state !== 'absent') return undefined;
  if (machines.state !== 'found') return undefined;
  return machines.value.some(staysOfControlPlane);
};

// The etcd cleanup hook does not hold a Machine if etcd is going away with the cluster: the cluster
// is torn down, or it is being deleted and its control plane is already gone. In the latter case a
// stalled worker may have created the Machine after the control plane was deleted, and no
// controller would remove the hook.
const hooksOf = ({ machine, isTornDown, cluster, controlPlane }: DeletionFacts, prefix: string): string[] => {
  const isGoing = cluster.state === 'found' && isDeleting(cluster.value);
  const isLeftBehind = isGoing && controlPlane?.state === 'absent' && !controllerOf(machine);
  const isForNothing = isTornDown || cluster.state === 'absent' || isLeftBehind;
  return Object.keys(machine.metadata.annotations ?? {})
    .filter((key) => key.startsWith(prefix) && !(isForNothing && key === etcdCleanupHook))
    .sort();
};

const elapsed = (started: string | undefined, seconds: number | undefined, now: number): boolean =>
  started !== undefined && seconds !== undefined && seconds > 0 && now - Date.parse(started) >= seconds * 1000;

/**
 * Drain and volume detach are skipped once termination has begun or the host is gone. A host that
 * its provider takes away is gone at its deadline, however long a user lets a drain take.
 */
const isHostGoing = (facts: DeletionFacts): boolean => hostTimeLeft(facts) === 0 || isTerminating(facts);

const isTerminating = ({ machine, infraMachine }: DeletionFacts): boolean =>
  machine.status?.deletion?.waitForPreTerminateHookStartTime !== undefined ||
  infraMachine.state === 'absent' ||
  (infraMachine.state === 'found' && isDeleting(infraMachine.value));

export const isDrainDue = (facts: DeletionFacts): boolean => {
  const { metadata, spec, status } = facts.machine;
  return (
    metadata.annotations?.[excludeDrain] === undefined &&
    !isHostGoing(facts) &&
    !elapsed(status?.deletion?.nodeDrainStartTime, spec?.deletion?.nodeDrainTimeoutSeconds, facts.now)
  );
};
export const isVolumeWaitDue = (facts: DeletionFacts): boolean => {
  const { metadata, spec, status } = facts.machine;
  return (
    metadata.annotations?.[excludeVolumes] === undefined &&
    !isHostGoing(facts) &&
    !elapsed(
      status?.deletion?.waitForNodeVolumeDetachStartTime,
      spec?.deletion?.nodeVolumeDetachTimeoutSeconds,
      facts.now,
    )
  );
};

/**
 * The current step, decided without an answer from the workload cluster; undefined while a fact is
 * unknown.
 */
export type Step =
  | { at: 'pre-drain'; hooks: string[] }
  /** Drain, then volumes: both need answers from the workload cluster. */
  | { at: 'node'; node: string }
  | { at: 'pre-terminate'; hooks: string[] }
  /** Its host is kept until then, in milliseconds, out of service. */
  | { at: 'preserved'; until: number }
  | { at: 'infrastructure' }
  | { at: 'bootstrap' }
  /** Deletes the Node object, if there is one. */
  | { at: 'end'; node: string | undefined };

export const stepOf = (facts: DeletionFacts): Step | undefined => {
  const { isTornDown } = facts;
  const allowed = isTornDown ? false : isNodeDeletionAllowed(facts);
  if (allowed === undefined) return undefined;
  const node = allowed ? nodeNameOf(facts) : undefined;
  const before = isTornDown || node !== undefined ? hooksOf(facts, hooks.preDrain) : [];
  if (before.length > 0) return { at: 'pre-drain', hooks: before };
  if (node !== undefined && (isDrainDue(facts) || isVolumeWaitDue(facts))) return { at: 'node', node };
  return afterNode(facts, node);
};

/** A host may have joined just before it was deleted, when the prober had not seen its Node yet. */
const unseenNodeOf = (facts: DeletionFacts): string | undefined => {
  const name = hostNameOf(facts);
  return !facts.isTornDown && isNodeDeletionAllowed(facts, name) ? name : undefined;
};

/** A preserved Machine is not kept longer than its cluster or its host. */
const keptUntil = ({ machine, cluster, infraMachine, isTornDown, now }: DeletionFacts): number | undefined => {
  const until = preservedUntil(machine);
  const isClusterGoing = isTornDown || cluster.state !== 'found' || isDeleting(cluster.value);
  const isHostThere = infraMachine.state === 'found' && !isDeleting(infraMachine.value);
  return until !== undefined && until > now && !isClusterGoing && isHostThere ? until : undefined;
};

/** The steps after the Node is drained, or if it is not to be drained. */
export const afterNode = (facts: DeletionFacts, node: string | undefined): Step => {
  const { infraMachine, bootstrapConfig } = facts;
  const before = hooksOf(facts, hooks.preTerminate);
  if (before.length > 0) return { at: 'pre-terminate', hooks: before };
  const until = keptUntil(facts);
  if (until !== undefined) return { at: 'preserved', until };
  // Only a definite absence starts the next step.
  if (infraMachine.state !== 'absent') return { at: 'infrastructure' };
  if (bootstrapConfig && bootstrapConfig.state !== 'absent') return { at: 'bootstrap' };
  return { at: 'end', node: node ?? unseenNodeOf(facts) };
};

type Times = NonNullable<MachineStatus['deletion']>;
/** When a wait began; keeps the recorded time if there is one. */
export const startedAt = (machine: Machine, what: keyof Times, now: number): { time: string; note: Times } => {
  const before = machine.status?.deletion ?? {};
  const time = before[what] ?? timestamp(now);
  return { time, note: { ...before, [what]: time } };
};

/** Whether the Node deletion timeout has passed; 0 means no timeout. */
export const isNodeDeletionOver = ({ machine, now }: DeletionFacts): boolean =>
  elapsed(machine.metadata.deletionTimestamp, machine.spec?.deletion?.nodeDeletionTimeoutSeconds, now);
