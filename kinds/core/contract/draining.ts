/** Machines in deletion whose hosts still run, for a long time perhaps: a budget or a hook holds them. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { Machine } from '../machine/schema.ts';
import { isDeleting } from './machines.ts';

/** On a Machine in deletion: its MachineSet creates another beside it. Reserved for controllers. */
export const besideAnnotation = 'capstan.dev/replaced-while-draining';

export const isReplacedBeside = (machine: Machine): boolean =>
  isDeleting(machine) && machine.metadata.annotations?.[besideAnnotation] === 'true';

/** Steps of a deletion before that of the host. */
const before: ReadonlySet<string> = new Set([
  'Deleting',
  'WaitingForPreDrainHook',
  'DrainingNode',
  'WaitingForVolumeDetach',
  'WaitingForPreTerminateHook',
]);

export const isDraining = (machine: Machine): boolean =>
  isDeleting(machine) && before.has(conditionOf(machine.status?.conditions, 'Deleting')?.reason ?? '');
