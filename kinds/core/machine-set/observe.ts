import { lastTransitionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { controllerOf, isControlledBy } from '../../common/owners.ts';
import type { Cluster } from '../cluster/schema.ts';
import { templatedKind } from '../contract/clone.ts';
import { observeQuotas, type Quota } from '../contract/machine-quota.ts';
import { areMany, isDeleting, machineIs } from '../contract/machines.ts';
import { withReferenced } from '../contract/parts.ts';
import { follow, readTemplates, type Templates } from '../contract/references.ts';
import { asAdmitted, awaitsUpgrade } from '../contract/rollout.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineDeployment } from '../machine-deployment/schema.ts';
import { isPreserved } from '../shared/preservation.ts';
import { countedOf } from './at-risk.ts';
import { namesInCreation } from './creation.ts';
import type { MachineSet } from './schema.ts';

export interface Observed {
  machineSet: MachineSet;
  cluster: Cluster | undefined;
  /** Undefined for a set without a MachineDeployment. */
  machineDeployment: MachineDeployment | undefined;
  /**
   * All Machines that the selector selects, whatever their controller, and all that the set owns,
   * whatever their labels.
   */
  machines: Read<Machine[]>;
  /** Existing Machines under the names noted for creation, selected or not. */
  created: Machine[];
  templates: Templates | undefined;
  /** The parts of the Machines, found by the same labels; empty while `readsParts` is false. */
  infraMachines: Read<KubeObject[]>;
  bootstrapConfigs: Read<KubeObject[]>;
  /** As far as an operation has admitted its spec. */
  controlPlane: KubeObject | undefined;
  /** An upgrade of the control plane will begin. */
  awaitsUpgrade?: boolean | undefined;
  /** Quotas that apply to the set's Machines; read only while Machines are missing. */
  quotas: Quota[];
}

type Owners = Pick<Observed, 'machineSet' | 'machineDeployment'>;

const nothing: Read<never[]> = { state: 'found', value: [] };

const isIdle = ({ spec }: MachineSet, machines: readonly Machine[]): boolean =>
  machines.length === (spec?.replicas ?? 0) &&
  machines.every((machine) => machineIs(machine, 'Ready') && !isDeleting(machine));

/**
 * Milliseconds without a transition after which a large set counts as idle: a rollout replaces its
 * Machines one by one.
 */
const calm = 120_000;

/**
 * Seconds until the parts of an idle set are read, 0 if they are due; undefined while Machines are
 * missing, being deleted or not Ready.
 */
export const untilIdle = (machineSet: MachineSet, machines: readonly Machine[], now: number): number | undefined => {
  if (!isIdle(machineSet, machines)) return undefined;
  const changed = lastTransitionOf(machineSet.status?.conditions);
  if (changed === undefined || !areMany(machines.length)) return 0;
  return Math.max(0, Math.ceil((changed + calm - now) / 1000));
};

const lacksMachines = (owners: Owners, machines: readonly Machine[]): boolean =>
  countedOf(owners, machines).length < (owners.machineSet.spec?.replicas ?? 0);

/**
 * Whether to read the infrastructure machines and bootstrap configs: while names are noted, the
 * spec is new, Machines are missing, a call failed or the set must not follow its spec, and whenever the set is
 * idle. Otherwise a rollout that replaces Machines one by one would read all of them in each pass.
 */
const readsParts = (owners: Owners, machines: readonly Machine[], { withheld, lastFailure, now }: Context): boolean => {
  const { machineSet } = owners;
  const { metadata, status } = machineSet;
  return (
    namesInCreation(machineSet).length > 0 ||
    status?.observedGeneration !== metadata.generation ||
    lastFailure !== undefined ||
    lacksMachines(owners, machines) ||
    withheld !== undefined ||
    untilIdle(machineSet, machines, now) === 0
  );
};

/**
 * The Machines that count: those that the set controls, whatever their labels, and selected
 * Machines without a controller. Otherwise a set would endlessly replace each Machine that its
 * selector misses.
 */
export const ownMachines = (machineSet: MachineSet, observed: Machine[]): Machine[] =>
  observed.filter(
    (machine) => !isPreserved(machine) && (!controllerOf(machine) || isControlledBy(machine, machineSet)),
  );

export const observe = (machineSet: MachineSet, read: Reader, context: Context): Observed => {
  const { namespace = '', uid } = machineSet.metadata;
  const { spec } = machineSet;
  if (!spec)
    return {
      machineSet,
      cluster: undefined,
      machineDeployment: undefined,
      machines: { state: 'unread' },
      created: [],
      templates: undefined,
      infraMachines: nothing,
      bootstrapConfigs: nothing,
      controlPlane: undefined,
      quotas: [],
    };
  const cluster = found(read.get('Cluster', { namespace, name: spec.clusterName }));
  const deployment = machineSet.metadata.labels?.[labels.deployment];
  const selected = { namespace, cluster: spec.clusterName, labels: spec.selector };
  const owned = uid === undefined ? {} : { orOwner: uid };
  const { infrastructureRef, bootstrap } = spec.template.spec;
  const { controlPlaneRef } = cluster?.spec ?? {};
  const controlPlane = controlPlaneRef && found(follow(read, namespace, controlPlaneRef, 'ControlPlane'));
  const machines = read.list('Machine', { ...selected, ...owned });
  const known = found(machines);
  // The Machines of other controllers say nothing about what this set lacks.
  const own = known && ownMachines(machineSet, known);
  const machineDeployment =
    deployment === undefined
      ? undefined
      : found(read.get<MachineDeployment>('MachineDeployment', { namespace, name: deployment }));
  const owners = { machineSet, machineDeployment };
  const withParts = own !== undefined && readsParts(owners, own, context);
  const behind = (template: { kind: string }, referenceIn: Parameters<typeof withReferenced>[3]) =>
    withReferenced(read, read.list(templatedKind(template.kind), selected), own ?? [], referenceIn);
  return {
    machineSet,
    cluster,
    machineDeployment,
    machines,
    created: namesInCreation(machineSet).flatMap((name) => found(read.get('Machine', { namespace, name })) ?? []),
    templates: readTemplates(read, namespace, spec.template),
    infraMachines: withParts ? behind(infrastructureRef, ({ spec }) => spec?.infrastructureRef) : nothing,
    bootstrapConfigs:
      withParts && bootstrap.configRef ? behind(bootstrap.configRef, ({ spec }) => spec?.bootstrap.configRef) : nothing,
    controlPlane: cluster && controlPlane && asAdmitted(cluster, controlPlane, context.config),
    awaitsUpgrade: cluster && controlPlane && awaitsUpgrade(cluster, controlPlane, context.config),
    quotas: own && lacksMachines(owners, own) ? observeQuotas(read, machineSet) : [],
  };
};
