/** The ClusterClass of a Cluster, and the templates that it refers to. Pure. */
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Shown } from '../../ports/api.ts';
import { askApi } from '../../ports/index.ts';
import type { ClusterClass, ClusterClassSpec } from '../cluster-class/schema.ts';
import type { TemplateRef } from '../cluster-class/templates.ts';

type Workers = NonNullable<ClusterClassSpec['workers']>;
export type DeploymentClass = NonNullable<Workers['machineDeployments']>[number];
export type PoolClass = NonNullable<Workers['machinePools']>[number];

/** A class of workers with its templates. */
export interface WorkerClass<T> {
  of: T;
  bootstrap: Shown;
  infrastructure: Shown;
}

/** Templates in the versions in which the class refers to them: its patches are written for those. */
export interface Blueprint {
  clusterClass: ClusterClass & { spec: ClusterClassSpec };
  infrastructure: Shown;
  controlPlane: Shown;
  controlPlaneMachines: Shown | undefined;
  /** By class. */
  deployments: ReadonlyMap<string, WorkerClass<DeploymentClass>>;
  pools: ReadonlyMap<string, WorkerClass<PoolClass>>;
}

const byClass = <T extends { class: string }>(
  all: readonly { of: T; bootstrap: Shown | undefined; infrastructure: Shown | undefined }[],
): Map<string, WorkerClass<T>> =>
  new Map(
    all.map(({ of, bootstrap, infrastructure }) => [
      of.class,
      { of, bootstrap: bootstrap!, infrastructure: infrastructure! },
    ]),
  );

const labelOf = ({ kind, name }: TemplateRef): string => `${kind} ${name}`;

/** The templates of the classes that a topology uses, or what is missing of them. */
export const readBlueprint = (
  read: Reader,
  clusterClass: ClusterClass,
  used: { deployments: readonly string[]; pools: readonly string[] },
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
  const shown = <T extends DeploymentClass | PoolClass>(classes: readonly T[] | undefined, names: readonly string[]) =>
    (classes ?? [])
      .filter((one) => names.includes(one.class))
      .map((of) => ({
        of,
        bootstrap: show(of.bootstrap.templateRef),
        infrastructure: show(of.infrastructure.templateRef),
      }));
  const deployments = shown(spec.workers?.machineDeployments, used.deployments);
  const pools = shown(spec.workers?.machinePools, used.pools);
  if (pending || missing.length > 0 || !infrastructure || !controlPlane) return { missing, pending };
  return {
    clusterClass: { ...clusterClass, spec },
    infrastructure,
    controlPlane,
    controlPlaneMachines: machines,
    deployments: byClass(deployments),
    pools: byClass(pools),
  };
};
