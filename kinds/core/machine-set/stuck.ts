/** Reports that a set's version keeps it from creating Machines. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type ConditionDraft, found } from '../../../machinery/api/reconcile.ts';
import { canCreateMachines, setVersion } from '../contract/creatable.ts';
import type { Observed } from './observe.ts';
import { lastingFault } from './preflight.ts';

const versionOf = ({ spec }: KubeObject): string => (spec as { version?: string } | undefined)?.version ?? '';

export const stuck = (observed: Observed): ConditionDraft[] => {
  const { machineSet, machineDeployment, controlPlane, templates, awaitsUpgrade } = observed;
  if (awaitsUpgrade) return [];
  const fault = lastingFault(machineSet, controlPlane, templates?.bootstrap && found(templates.bootstrap));
  if (!fault || !controlPlane) return [];
  const remedy = machineDeployment
    ? ''
    : `. To give new Machines the version of the control plane, run: ${setVersion(machineSet, versionOf(controlPlane))}`;
  const message = `It can neither grow nor replace Machines: ${fault.why}${remedy}`;
  return [{ type: canCreateMachines, status: 'False', reason: fault.check, message }];
};
