/**
 * Workers that are younger than the snapshot: it has no Nodes of them, and their kubelets never register
 * again by themselves, so that they are replaced. Pure.
 */
import { conditionOf, isTrue } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { listOf } from '../../common/list-of.ts';
import { controllerOf } from '../../common/owners.ts';
import { amountOf } from '../../common/proportion.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { conditionsOf, isControlPlaneMachine } from '../shared/cause.ts';
import { stepOf } from '../shared/progress.ts';

/** Workers that were created after the snapshot was complete. */
export const youngerThan = (machines: readonly KubeObject[], completedAt: string | undefined): KubeObject[] =>
  machines.filter(
    (machine) =>
      !isControlPlaneMachine(machine) &&
      !isDeleting(machine) &&
      Date.parse(machine.metadata.creationTimestamp ?? '') > Date.parse(completedAt ?? ''),
  );

/** What a restore will do to them; undefined if there are none. */
export const replacementOf = (younger: readonly KubeObject[]): string | undefined => {
  if (younger.length === 0) return undefined;
  const names = listOf(younger.map(({ metadata }) => metadata.name).sort());
  const [are, them] = younger.length === 1 ? ['1 worker is', 'it'] : [`${younger.length} workers are`, 'them'];
  return `${are} younger than the snapshot and will be replaced at the end, in each pool as many at once as its maxUnavailable says and at least one, because the snapshot has no Nodes of ${them}: ${names}`;
};

/** The time in which the restored cluster has answered. */
export interface Serving {
  /** When the snapshot was complete, the restore stopped the members, and another could join. */
  completedAt?: string | undefined;
  stoppedAt?: string | undefined;
  servesSince?: string | undefined;
  /** Milliseconds. */
  now: number;
}

export const servingSince = (status: OperationStatus, now: number): Serving => ({
  completedAt: status.snapshot?.completedAt,
  stoppedAt: stepOf(status, 'StopMembers')?.started,
  servesSince: stepOf(status, 'Join')?.started,
  now,
});

/** Seconds. kubeadm gives the discovery and the TLS bootstrap five minutes each. */
const joinTimeout = 600;

/**
 * Their hosts tried to join while no API server answered, and do not try again. Hosts that start later
 * wait for the API server, and joined ones have a Node.
 */
const isStranded = ({ metadata, spec, status }: KubeObject, serving: Serving): boolean => {
  const { providerID } = (spec ?? {}) as { providerID?: string };
  const { nodeRef } = (status ?? {}) as { nodeRef?: object };
  const served = (serving.now - Date.parse(serving.servesSince ?? '')) / 1000;
  const created = Date.parse(metadata.creationTimestamp ?? '');
  return providerID !== undefined && !nodeRef && served >= joinTimeout && created < Date.parse(serving.stoppedAt ?? '');
};

/**
 * Workers whose Nodes the restored API server does not have, and younger ones that have not got any.
 */
export const lostIn = (machines: readonly KubeObject[], serving: Serving): KubeObject[] => {
  const younger = new Set(youngerThan(machines, serving.completedAt));
  return machines.filter(
    (machine) =>
      !isControlPlaneMachine(machine) &&
      (conditionOf(conditionsOf(machine), 'NodeReady')?.reason === 'NodeDeleted' ||
        (younger.has(machine) && isStranded(machine, serving))),
  );
};

/** Those, and the ones that may still join. */
export const unjoinedIn = (machines: readonly KubeObject[], serving: Serving): KubeObject[] =>
  lostIn(machines, { ...serving, now: Number.POSITIVE_INFINITY });

const isReplacement = ({ metadata }: KubeObject, since: string | undefined): boolean =>
  Date.parse(metadata.creationTimestamp ?? '') > Date.parse(since ?? '');

interface Pool {
  /** The MachineDeployment; absent for a MachineSet of its own. */
  object?: KubeObject;
  machines: readonly KubeObject[];
}

const mostAtOnce = ({ object, machines }: Pool): number => {
  const { replicas = machines.length, rollout } = (object?.spec ?? {}) as {
    replicas?: number;
    rollout?: { strategy?: { rollingUpdate?: { maxUnavailable?: number | string } } };
  };
  return Math.max(1, amountOf(rollout?.strategy?.rollingUpdate?.maxUnavailable, replicas, Math.floor, 0));
};

/**
 * The next ones to delete: what they run goes on until then. `since`: when the restore began; only
 * Machines that are younger count as replacements on their way.
 */
export const nextLost = (
  machines: readonly KubeObject[],
  since: string | undefined,
  rollouts: readonly { object: KubeObject; updated: readonly KubeObject[]; outdated: readonly KubeObject[] }[],
  serving: Serving,
): KubeObject[] => {
  const lost = new Set(lostIn(machines, serving).filter((machine) => controllerOf(machine)?.kind === 'MachineSet'));
  const pools = Map.groupBy(lost, (machine) => {
    const rollout = rollouts.find(({ updated, outdated }) => updated.includes(machine) || outdated.includes(machine));
    return rollout ?? controllerOf(machine)?.uid;
  });
  return [...pools].flatMap(([rollout, own]) => {
    const pool: Pool =
      typeof rollout === 'object'
        ? { object: rollout.object, machines: [...rollout.updated, ...rollout.outdated] }
        : { machines: machines.filter((machine) => controllerOf(machine)?.uid === rollout) };
    const isUnderway = (machine: KubeObject) =>
      isDeleting(machine) || (isReplacement(machine, since) && !isTrue(conditionsOf(machine), 'Available'));
    const left = Math.max(0, mostAtOnce(pool) - pool.machines.filter(isUnderway).length);
    return own
      .filter((machine) => !isDeleting(machine))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .slice(0, left);
  });
};
