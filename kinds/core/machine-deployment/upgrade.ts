/**
 * How far an upgrade of the cluster lets a MachineDeployment replace its Machines, and the previous
 * revision that it keeps or returns to. Pure.
 */
import type { Context } from '../../../machinery/api/reconcile.ts';
import { type Admission, admissionOf, freely } from '../contract/rollout.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { Observed } from './observe.ts';
import type { Generations } from './revisions.ts';
import type { MachineDeployment } from './schema.ts';
import { revisionOf, rolloutFields, rolloutRevision } from './template.ts';

const hasMachines = ({ spec, status }: MachineSet): boolean => (spec?.replicas ?? 0) > 0 || (status?.replicas ?? 0) > 0;

/** Without outdated Machines, nothing waits; with OnDelete, the user replaces them. */
export const rolloutAdmission = (
  { machineDeployment, cluster }: Observed,
  { old }: Generations,
  { config }: Context,
): Admission => {
  const isOnDelete = machineDeployment.spec?.rollout?.strategy?.type === 'OnDelete';
  if (!cluster || isOnDelete || !old.some(hasMachines)) return freely;
  return admissionOf(cluster, machineDeployment, rolloutRevision(machineDeployment), config);
};

/**
 * The MachineDeployment as it was before its last rollout: with the template of the newest other
 * set. Undefined if there is none.
 */
export const previousRevision = (
  deployment: MachineDeployment,
  { old }: Generations,
): MachineDeployment | undefined => {
  const previous = old.toSorted((a, b) => revisionOf(a) - revisionOf(b)).at(-1);
  const { spec } = deployment;
  if (!previous?.spec || !spec) return undefined;
  const { after: _, ...rollout } = spec.rollout ?? {};
  const template = { ...spec.template, spec: { ...spec.template.spec, ...rolloutFields(previous.spec.template) } };
  return { ...deployment, spec: { ...spec, template, rollout } };
};
