/** Reports that a deployment has no MachineSet left that could create Machines. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { ConditionDraft } from '../../../machinery/api/reconcile.ts';
import { lowestVersion } from '../../common/kubernetes-version.ts';
import type { Cluster } from '../cluster/schema.ts';
import { canCreateMachines, controlPlaneVersionIn, setVersion } from '../contract/creatable.ts';
import { refusalOf } from '../contract/operation.ts';
import type { Admission } from '../contract/rollout.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { Generations } from './revisions.ts';
import type { MachineDeployment } from './schema.ts';
import { revisionOf } from './template.ts';

/** A rollout was undone or stopped, so that the set before it creates Machines. */
const isUndone = (cluster: Cluster, { state }: Admission): boolean =>
  state === 'RolledBack' || (state === 'Waiting' && refusalOf(cluster) !== undefined);

const newestOf = (sets: readonly MachineSet[]): MachineSet | undefined =>
  sets.toSorted((a, b) => revisionOf(a) - revisionOf(b)).at(-1);

const controlPlaneVersion = ({ status }: Cluster): string | undefined =>
  lowestVersion((status?.controlPlane?.versions ?? []).flatMap(({ version }) => version ?? []));

/** `version`: of the control plane. */
const remedyFor = (
  deployment: MachineDeployment,
  cluster: Cluster,
  version: string | undefined,
  isBack: boolean,
): string => {
  const { name, namespace = '' } = cluster.metadata;
  const wanted = deployment.spec?.template.spec.version;
  if (isBack && (version === undefined || version === wanted))
    return `To upgrade it to ${wanted}, remove what stopped the upgrade, and run: capstan retry cluster ${name} -n ${namespace}`;
  if (version === undefined) return 'Set its version to that of the control plane';
  return `To give it the version of the control plane, run: ${setVersion(deployment, version)}`;
};

export const stuck = (
  deployment: MachineDeployment,
  cluster: Cluster | undefined,
  { current, old }: Generations,
  admission: Admission,
): ConditionDraft[] => {
  if (!cluster) return [];
  const isBack = isUndone(cluster, admission);
  const creating = isBack ? newestOf(old) : current;
  const condition = conditionOf(creating?.status?.conditions, canCreateMachines);
  if (!creating || condition?.status !== 'False') return [];
  // As the refusal names it: the Cluster may report another one by now.
  const version = controlPlaneVersionIn(condition.message) ?? controlPlaneVersion(cluster);
  const remedy = remedyFor(deployment, cluster, version, isBack);
  const message = `MachineSet ${creating.metadata.name}: ${condition.message}. ${remedy}`;
  return [{ type: canCreateMachines, status: 'False', reason: condition.reason, message }];
};
