/** Whether a set can create Machines, or its version keeps it from that until a user acts. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';

/**
 * Of a MachineSet or MachineDeployment, only while it is False: it can neither grow nor replace Machines,
 * and time alone changes nothing.
 */
export const canCreateMachines = 'CanCreateMachines';

/** How to give a set or deployment another version. */
export const setVersion = ({ kind, metadata }: KubeObject, version: string): string =>
  `kubectl patch ${kind.toLowerCase()} ${metadata.name} -n ${metadata.namespace ?? ''} --type merge -p '${JSON.stringify({ spec: { template: { spec: { version } } } })}'`;
