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
import { conditionsOf, isControlPlaneMachine } from '../shared/cause.ts';

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

/** Workers whose Nodes the restored API server does not have. */
export const lostIn = (machines: readonly KubeObject[]): KubeObject[] =>
  machines.filter(
    (machine) =>
      !isControlPlaneMachine(machine) && conditionOf(conditionsOf(machine), 'NodeReady')?.reason === 'NodeDeleted',
  );

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
): KubeObject[] => {
  const lost = new Set(lostIn(machines).filter((machine) => controllerOf(machine)?.kind === 'MachineSet'));
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
