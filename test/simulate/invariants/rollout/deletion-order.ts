import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { Condition } from '../../../../machinery/api/object.ts';
import { isEnding } from '../deletion.ts';
import { takenOver } from '../grace.ts';
import type { Rule } from '../rule.ts';

/** How long a condition must have lasted so that an undisturbed controller knows it. */
const moment = 30_000;
/** The longest time between deletions that one decision makes. */
const atOnce = 5000;
const conditionOf = ({ status }: Machine, type: string) =>
  (status?.conditions as Condition[] | undefined)?.find((one) => one.type === type);
const isMarked = ({ metadata }: Machine) => metadata.annotations?.['cluster.x-k8s.io/delete-machine'] !== undefined;
const setOf = ({ metadata }: Machine) => metadata.labels?.['cluster.x-k8s.io/set-name'] ?? '';

export const deletionOrder: Rule = ({ world, has }, broken) => {
  const { mirror, clock } = world;
  /** By set: the healthy machine deleted last. */
  const gone = new Map<string, { name: string; at: number }>();
  const isLongAgo = (time = '') => {
    const isHeldUp = has('worker.frozen') || has('worker.slow') || has('worker.crashed');
    return clock.now() - Date.parse(time) > (isHeldUp ? takenOver(has) : moment);
  };
  /** Whether the machine has been Ready for so long that the controller knows. */
  const hasWorked = (machine: Machine) => {
    const { status, lastTransitionTime } = conditionOf(machine, 'Ready') ?? {};
    return status === 'True' && isLongAgo(lastTransitionTime);
  };
  const isSick = (machine: Machine) => {
    const { status, lastTransitionTime } = conditionOf(machine, 'NodeHealthy') ?? {};
    return status === 'False' && isLongAgo(lastTransitionTime);
  };
  /** By set: when its deletion order last changed. */
  const ordered = new Map<string, number>();
  const noteOrder = (set: MachineSet, before: MachineSet | undefined) => {
    if (set.spec?.deletion?.order !== before?.spec?.deletion?.order) ordered.set(set.metadata.uid!, clock.now());
  };
  /** Checks the order among healthy machines. */
  const expectOrder = ({ metadata, spec }: MachineSet, machine: Machine, staying: readonly Machine[]) => {
    const order = spec?.deletion?.order;
    const since = ordered.get(metadata.uid!) ?? Number.NEGATIVE_INFINITY;
    if ((order !== 'Oldest' && order !== 'Newest') || clock.now() - since <= takenOver(has)) return;
    const ageOf = (one: Machine) => clock.now() - Date.parse(one.metadata.creationTimestamp!);
    const isRather = (one: Machine) => (order === 'Oldest' ? ageOf(one) > ageOf(machine) : ageOf(one) < ageOf(machine));
    const other = staying.find(isRather);
    if (other)
      throw broken(`${machine.metadata.name} is deleted although ${other.metadata.name} comes first in order ${order}`);
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (object?.kind === 'MachineSet') noteOrder(object as MachineSet, before as MachineSet | undefined);
      if (object?.kind !== 'Machine' || writer !== 'machine-set' || has('worker.late')) return;
      if (!object.metadata.deletionTimestamp || before?.metadata.deletionTimestamp) return;
      const machine = before as Machine;
      const { name, namespace = '' } = machine.metadata;
      const set = mirror.get<MachineSet>('MachineSet', namespace, setOf(machine));
      if (!set || set.metadata.deletionTimestamp) return;
      if (isEnding(mirror, namespace, machine.spec?.clusterName ?? '')) return;
      const staying = mirror
        .all<Machine>('Machine')
        .filter((one) => setOf(one) === set.metadata.name && !one.metadata.deletionTimestamp);
      if (![machine, ...staying].some((one) => isMarked(one) || !hasWorked(one))) expectOrder(set, machine, staying);
      if (hasWorked(machine) && !isMarked(machine)) gone.set(set.metadata.uid!, { name, at: clock.now() });
      // The unhealthy machines may be deleted next.
      if (staying.length > (set.spec?.replicas ?? 0)) return;
      const worker = gone.get(set.metadata.uid!);
      if (!worker || clock.now() - worker.at > atOnce) return;
      const idle = staying.find(({ metadata, status }) => !status?.nodeRef && isLongAgo(metadata.creationTimestamp));
      const other = idle ?? staying.find(isSick);
      const why = idle ? 'has no Node' : 'is unhealthy';
      if (other)
        throw broken(`${worker.name}, which is healthy, is deleted before ${other.metadata.name}, which ${why}`);
    },
  };
};
