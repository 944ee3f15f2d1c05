/** The ClusterClass of a Cluster, and the templates that it refers to. Pure. */
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Shown } from '../../ports/api.ts';
import { askApi } from '../../ports/index.ts';
import type { ClusterClass, ClusterClassSpec } from '../cluster-class/schema.ts';
import type { TemplateRef } from '../cluster-class/templates.ts';

type Workers = NonNullable<ClusterClassSpec['workers']>;
export type DeploymentClass = NonNullable<Workers['machineDeployments']>[number];

/** Templates in the versions in which the class refers to them: its patches are written for those. */
export interface Blueprint {
  clusterClass: ClusterClass & { spec: ClusterClassSpec };
  infrastructure: Shown;
  controlPlane: Shown;
  controlPlaneMachines: Shown | undefined;
  /** By class. */
  deployments: ReadonlyMap<string, { of: DeploymentClass; bootstrap: Shown; infrastructure: Shown }>;
}

const labelOf = ({ kind, name }: TemplateRef): string => `${kind} ${name}`;

/** The templates of the classes that a topology uses, or what is missing of them. */
export const readBlueprint = (
  read: Reader,
  clusterClass: ClusterClass,
  used: readonly string[],
): Blueprint | { missing: string[]; pending: boolean } => {
  const spec = clusterClass.spec!;
  const namespace = clusterClass.metadata.namespace ?? '';
  const missing: string[] = [];
  let pending = false;
  const show = (ref: TemplateRef): Shown | undefined => {
    const shown: Read<Shown> = askApi(read, 'Show', { ...ref, namespace });
    if (shown.state === 'unread') pending = true;
    else if (shown.state === 'unreadable') missing.push(`${labelOf(ref)}: ${shown.reason}`);
    else if (shown.state === 'absent') missing.push(`${labelOf(ref)} does not exist in namespace ${namespace}`);
    return found(shown);
  };
  const infrastructure = show(spec.infrastructure.templateRef);
  const controlPlane = show(spec.controlPlane.templateRef);
  const machines = spec.controlPlane.machineInfrastructure && show(spec.controlPlane.machineInfrastructure.templateRef);
  const classes = (spec.workers?.machineDeployments ?? []).filter((one) => used.includes(one.class));
  const deployments = classes.map((of) => ({
    of,
    bootstrap: show(of.bootstrap.templateRef),
    infrastructure: show(of.infrastructure.templateRef),
  }));
  if (pending || missing.length > 0 || !infrastructure || !controlPlane) return { missing, pending };
  return {
    clusterClass: { ...clusterClass, spec },
    infrastructure,
    controlPlane,
    controlPlaneMachines: machines,
    deployments: new Map(
      deployments.map((one) => [
        one.of.class,
        { of: one.of, bootstrap: one.bootstrap!, infrastructure: one.infrastructure! },
      ]),
    ),
  };
};
