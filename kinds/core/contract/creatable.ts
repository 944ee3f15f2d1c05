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

/** What a refusal compares, in Cluster API's words. */
export const versionsCompared = (machineSet: string, controlPlane: string): string => {
  const [mine, others] = [machineSet, controlPlane].map((version) => version.replace(/^v/, ''));
  return `MachineSet version (${mine}) and ControlPlane version (${others})`;
};

/** The version of the control plane that such a refusal names. */
export const controlPlaneVersionIn = (refusal: string | undefined): string | undefined => {
  const [, version] = /ControlPlane version \(([^)]+)\)/.exec(refusal ?? '') ?? [];
  return version && `v${version}`;
};
