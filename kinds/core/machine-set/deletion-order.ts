/** Which Machines to delete first when scaling down. Pure; `now` in milliseconds. */
import { annotations } from '../../common/labels.ts';
import { isDeleting, machineIsNot } from '../contract/machines.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineSetSpec } from './schema.ts';

type Order = NonNullable<NonNullable<MachineSetSpec['deletion']>['order']>;

const tenDays = 864_000;
const better = 50;
/** Order Random: Machines that are not Available go before the others. */
const could = { wait: 30, work: 20 };

const isHealthy = (machine: Machine): boolean =>
  machine.status?.nodeRef !== undefined &&
  !machineIsNot(machine, 'NodeHealthy') &&
  !machineIsNot(machine, 'HealthCheckSucceeded');

const oldness = ({ metadata }: Machine, now: number): number => {
  const age = (now - Date.parse(metadata.creationTimestamp ?? '')) / 1000;
  return age >= 0 ? better * (1 - Math.exp(-age / tenDays)) : 0;
};

const priority = (machine: Machine, order: Order, now: number): number => {
  if (isDeleting(machine)) return 100;
  if (machine.metadata.annotations?.[annotations.deleteMachine] !== undefined) return 80;
  if (!isHealthy(machine)) return better;
  switch (order) {
    case 'Random':
      return machineIsNot(machine, 'Available') ? could.wait : could.work;
    case 'Newest':
      return better - oldness(machine, now);
    case 'Oldest':
      return oldness(machine, now);
    default:
      throw new Error(`unknown order ${order satisfies never}`);
  }
};

/** The first `count` Machines to delete, including those already in deletion. */
export const toDelete = (machines: readonly Machine[], count: number, order: Order, now: number): Machine[] =>
  machines
    .map((machine) => ({ machine, rank: priority(machine, order, now) }))
    .sort((a, b) => b.rank - a.rank || (a.machine.metadata.name < b.machine.metadata.name ? -1 : 1))
    .slice(0, Math.max(0, count))
    .map(({ machine }) => machine);
