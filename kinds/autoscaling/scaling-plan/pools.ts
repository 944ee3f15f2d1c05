/** The pools of a decision, from the MachineDeployments that opted in. Pure. */

import { conditionOf } from '../../../machinery/api/conditions.ts';
import { ownValue } from '../../../machinery/api/labels.ts';
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import type { Context } from '../../../machinery/api/reconcile.ts';
import { alarmed } from '../../common/autoscale/alarms.ts';
import { autoscale, boundsOf, type PoolBounds, settingsOf } from '../../common/autoscale/annotations.ts';
import { capacity } from '../../common/autoscale/capacity.ts';
import { parseConsolidate } from '../../common/autoscale/consolidate.ts';
import { parseHeadroom } from '../../common/autoscale/headroom.ts';
import { scheduledAt } from '../../common/autoscale/schedule.ts';
import { parseStartupTaints } from '../../common/autoscale/startup-taints.ts';
import { digestOf } from '../../common/digest.ts';
import { annotations } from '../../common/labels.ts';
import { isControlledBy } from '../../common/owners.ts';
import { hasPaused } from '../../common/paused.ts';
import { canCreateMachines } from '../../core/contract/creatable.ts';
import { findCurrent, rolloutRevision } from '../../core/contract/deployment.ts';
import { isDraining, isReplacedBeside } from '../../core/contract/draining.ts';
import { hostInterrupted } from '../../core/contract/host-health.ts';
import { conditionsOf } from '../../core/contract/machine.ts';
import type { Refusal, TemplateView } from '../../core/contract/machine-provider.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { refusalOf } from '../../core/contract/operation.ts';
import { type MissingTemplate, missingMessage } from '../../core/contract/references.ts';
import { admissionOf } from '../../core/contract/rollout.ts';
import { fallsBack, spotFallback } from '../../core/contract/spot-fallback.ts';
import { togetherOf } from '../../core/contract/together.ts';
import type { Machine as MachineObject } from '../../core/machine/index.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import type { MachineSet } from '../../core/machine-set/index.ts';
import { amounts } from '../plan/requests.ts';
import type { Machine, Node, Pool, PoolOptions } from '../plan/types.ts';
import { type Measured, measuredOf, type TemplateSource, templateOf, zonesOf } from './template.ts';

export type PoolObjects = {
  /** The settings of the ScalingPlan are among its annotations. */
  deployment: MachineDeployment;
  /** The plan and annotations give a setting different values. */
  contradicted?: true;
  machineSets: readonly MachineSet[];
  machines: readonly MachineObject[];
  /** Its infrastructure template. */
  view: TemplateView | undefined;
  bootstrap?: KubeObject | undefined;
  /** Templates that do not exist. */
  missing?: readonly MissingTemplate[];
  /** Where the cluster's machines are. */
  region?: string | undefined;
  /** The cluster, whose upgrades admit rollouts. */
  cluster?: KubeObject | undefined;
  /** The infrastructure machines of Machines without a host, by the Machine's name. */
  hostless?: Readonly<Record<string, Hostless>>;
};

export interface Hostless {
  host: KubeObject;
  refusal: Refusal | undefined;
}

/** It has no host yet; its infrastructure machine tells why. */
export const isHostless = ({ metadata, spec }: MachineObject): boolean =>
  !spec?.providerID && metadata.deletionTimestamp === undefined;

/** As cluster-autoscaler identifies a node group. */
export const poolId = ({ metadata }: KubeObject): string =>
  `MachineDeployment/${metadata.namespace ?? 'default'}/${metadata.name}`;

export const isPool = (deployment: MachineDeployment): boolean =>
  boundsOf(deployment) !== undefined && !isDeleting(deployment);

const timeOf = (text: string | undefined): number => Date.parse(text ?? '') || 0;

/**
 * When the provider reported that the Machine has no host any more, or never gets one. While its
 * Node is Ready the report is not believed.
 */
const failedAt = ({ metadata, status }: MachineObject, nodes: ReadonlyMap<string, Node>): number | undefined => {
  const isFailed = status?.phase === 'Failed' || status?.deprecated?.v1beta1?.failureReason !== undefined;
  if (!isFailed || nodes.get(status?.nodeRef?.name ?? '')?.ready) return undefined;
  const host = conditionOf(status?.conditions, 'InfrastructureReady');
  return timeOf(host?.status === 'False' ? host.lastTransitionTime : metadata.creationTimestamp);
};

/** What the market lacks that the host is bought in, and what the spot market lacked before that. */
const shortagesOf = (
  machine: MachineObject,
  { host, refusal }: Partial<Hostless>,
): Pick<Machine, 'capacityError' | 'fallback'> => {
  const reported = conditionOf(conditionsOf(host ?? machine), spotFallback);
  const capacityError = refusal && { code: refusal.code, at: refusal.at };
  if (reported?.status === 'True') {
    const fallback = { code: reported.reason ?? '', at: timeOf(reported.lastTransitionTime) };
    return { fallback, ...(capacityError && { capacityError }) };
  }
  if (!refusal || !capacityError) return {};
  // Only a lack of capacity opens the other market, and the Machine is not refused before its provider has tried it.
  const isToFallBack = fallsBack(host?.metadata.annotations) && refusal.consequence === 'noCapacity';
  return isToFallBack ? { fallback: capacityError } : { capacityError };
};

const machineOf = (
  machine: MachineObject,
  hostless: Hostless | undefined,
  nodes: ReadonlyMap<string, Node>,
): Machine => {
  const { metadata, spec, status } = machine;
  const failed = failedAt(machine, nodes);
  const launch = conditionOf(status?.conditions, 'InfrastructureReady');
  const interrupted = conditionOf(status?.conditions, hostInterrupted);
  const zone = status?.failureDomain ?? spec?.failureDomain;
  const together = hostless && togetherOf(hostless.host)?.id;
  return {
    name: metadata.name,
    createdAt: timeOf(metadata.creationTimestamp),
    ...(status?.nodeRef && { node: status.nodeRef.name }),
    ...(zone && { zone }),
    ...(metadata.deletionTimestamp && { deleting: true }),
    ...(isDraining(machine) && { draining: true }),
    ...(isReplacedBeside(machine) && { replaced: true }),
    ...(metadata.annotations?.[annotations.deleteMachine] !== undefined && { marked: true }),
    ...(failed !== undefined && { failedAt: failed }),
    ...(together !== undefined && { together }),
    ...(launch?.status === 'True' && { launchedAt: timeOf(launch.lastTransitionTime) }),
    ...shortagesOf(machine, hostless ?? {}),
    ...(interrupted?.status === 'True' && { interruptedAt: timeOf(interrupted.lastTransitionTime) }),
  };
};

const hasFallback = ({ deployment, view }: PoolObjects): boolean => {
  const propagated = deployment.spec?.template.metadata?.annotations;
  return view?.market === 'spot' && [view.annotations, propagated].some(fallsBack);
};

const paused = 'the MachineDeployment is paused';

/** Why the pool must not be changed. */
const heldBecause = ({ deployment, contradicted }: PoolObjects): string | undefined => {
  if (contradicted) return 'the ScalingPlan and an annotation of the MachineDeployment contradict each other';
  return hasPaused(deployment) || deployment.spec?.paused ? paused : undefined;
};

/**
 * Why new replicas get no Machine until a user acts. An upgrade is no reason: it passes by itself. Until it admits
 * the rollout, the old MachineSet grows, whose templates are others.
 */
const cannotCreateBecause = (
  { deployment, missing = [] }: PoolObjects,
  current: MachineSet | undefined,
  rolloutWaits: string | undefined,
): string | undefined => {
  // spec.paused stops rollouts only.
  if (hasPaused(deployment)) return paused;
  if (current && hasPaused(current)) return `MachineSet ${current.metadata.name} is paused`;
  const condition = conditionOf(deployment.status?.conditions, canCreateMachines);
  const absence = rolloutWaits === undefined ? missingMessage(missing) : '';
  const why = condition?.status === 'False' ? condition.message : absence;
  return why ? `no Machine can be created: ${why}` : undefined;
};

const minute = 60_000;
/** A simulated account at a multiple of the speed of time shortens what its user would wait for. */
const optionsOf = (deployment: MachineDeployment, speed: number): PoolOptions => {
  const { unneededTime = 10 * minute, unreadyTime = 20 * minute, ...others } = settingsOf(deployment);
  return { ...others, unneededTime: unneededTime / speed, unreadyTime: unreadyTime / speed };
};

/** Whether the node has reported its amounts. */
const isLive = ({ ready, allocatable }: Node): boolean => ready && allocatable.cpu! > 0;

const setsOf = ({ deployment, machineSets }: PoolObjects): MachineSet[] =>
  machineSets.filter((set) => isControlledBy(set, deployment));

/** Nodes of an older template measure what new ones are not. */
const sourceOf = (
  objects: PoolObjects,
  nodes: ReadonlyMap<string, Node>,
  { remembered, now }: Pick<PoolFacts, 'remembered' | 'now'>,
): TemplateSource => {
  const { deployment, view, bootstrap, region, machines } = objects;
  const { current } = findCurrent(deployment, setsOf(objects), now);
  return {
    deployment,
    view,
    bootstrap,
    region,
    nodes: machines
      .filter((machine) => current !== undefined && isControlledBy(machine, current))
      .flatMap(({ status }) => nodes.get(status?.nodeRef?.name ?? '') ?? [])
      .filter(isLive)
      .sort((a, b) => a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1)),
    remembered: remembered[templateKey(deployment)],
  };
};

/** A template is remembered for as long as the pool makes the same Machines. */
export const templateKey = ({ spec }: MachineDeployment): string => digestOf(spec?.template ?? null);

/** Of the active entries of the schedule and the alarms the largest sizes count. */
const sizesOf = (
  deployment: MachineDeployment,
  alarming: ReadonlySet<string>,
  now: number,
): Pick<Pool, 'min' | 'max' | 'schedule' | 'alarms'> => {
  const own = boundsOf(deployment)!;
  const { [autoscale.schedule]: schedule, [autoscale.alarms]: alarms } = deployment.metadata.annotations ?? {};
  const scheduled = schedule === undefined ? undefined : scheduledAt(schedule, own, now);
  const { sizes, entries } = alarmed(alarms ?? '', own, alarming);
  const { min, max, ...rest } = scheduled ?? own;
  const active = [...(scheduled?.entries.length ? [{ min, max }] : []), ...(sizes ? [sizes] : [])];
  const bounds = active.length === 0 ? own : { min: largest(active, 'min'), max: largest(active, 'max') };
  return {
    ...bounds,
    ...(scheduled && { schedule: rest as NonNullable<Pool['schedule']> }),
    ...(entries.length > 0 && { alarms: entries }),
  };
};

const largest = (sizes: readonly PoolBounds[], name: keyof PoolBounds): number =>
  Math.max(...sizes.map((one) => one[name]));

const headroomOf = ({ metadata }: MachineDeployment): Pick<Pool, 'headroom'> => {
  const headroom = parseHeadroom(metadata.annotations?.[autoscale.headroom] ?? '');
  return headroom ? { headroom: { pods: headroom.pods, requests: amounts(headroom.requests) } } : {};
};

const consolidateOf = ({ metadata }: MachineDeployment, speed: number): Pick<Pool, 'consolidate'> => {
  const given = parseConsolidate(metadata.annotations?.[autoscale.consolidate] ?? '');
  return given ? { consolidate: { ...given, age: given.age / speed } } : {};
};

const startupTaintsOf = ({ metadata }: MachineDeployment): Pick<Pool, 'startupTaints'> => {
  const startupTaints = parseStartupTaints(metadata.annotations?.[autoscale.startupTaints] ?? '');
  return startupTaints ? { startupTaints } : {};
};

const stating: ReadonlySet<string> = new Set([...Object.values(capacity), autoscale.startupTaints]);

/** All from which a new node of the pool follows. */
const declarationOf = ({ deployment, view, bootstrap, region }: PoolObjects): string => {
  const stated = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => stating.has(key));
  const { capacity: reported, nodeInfo, zones } = view ?? {};
  const declared = { stated, zones, template: deployment.spec?.template, infrastructure: view?.declared };
  return digestOf({ ...declared, reported, nodeInfo, bootstrap: bootstrap?.spec, region } as JsonValue);
};

const hasMachines = ({ spec, status }: MachineSet): boolean => (spec?.replicas ?? 0) > 0 || (status?.replicas ?? 0) > 0;

/** An upgrade that stopped decides nothing more, and a rollback replaces the new Machines. */
const rolloutWaitsFor = (
  { deployment, cluster }: PoolObjects,
  config: PoolFacts['config'] = {},
): string | undefined => {
  if (!cluster || deployment.spec?.rollout?.strategy?.type === 'OnDelete') return undefined;
  const admission = admissionOf(cluster, deployment, rolloutRevision(deployment), config);
  if (admission.state === 'Waiting')
    return refusalOf(cluster) === undefined ? 'an upgrade of the cluster has not admitted the rollout yet' : undefined;
  const isTrying = admission.state === 'Admitted' && Number.isFinite(admission.most) && !admission.held;
  return isTrying ? 'the upgrade of the cluster tries the first new Machine' : undefined;
};

export type PoolFacts = {
  /** The names of the alarms in ALARM. */
  alarming?: ReadonlySet<string>;
  nodes: readonly Node[];
  /** By the key of the pool's template. */
  remembered: Readonly<Record<string, Measured>>;
  speed: number;
  now: number;
  /** Of the process: whether upgrades admit rollouts. */
  config?: Context['config'];
};

const poolOf = (
  objects: PoolObjects,
  nodes: ReadonlyMap<string, Node>,
  { alarming = new Set(), remembered, speed, now, config }: PoolFacts,
): Pool => {
  const { deployment } = objects;
  const sets = setsOf(objects);
  const machines = objects.machines
    .filter((machine) => sets.some((set) => isControlledBy(machine, set)))
    .map((machine) => machineOf(machine, ownValue(objects.hostless, machine.metadata.name), nodes));
  const source = sourceOf(objects, nodes, { remembered, now });
  const template = templateOf(source);
  const zones = zonesOf(source);
  const { type: instanceType, market, price } = objects.view ?? {};
  const held = heldBecause(objects);
  const { current, old } = findCurrent(deployment, sets, now);
  const writer = deployment.metadata.annotations?.[annotations.replicasSetBy];
  const rollingOut = old.some(hasMachines);
  const rolloutWaits = rollingOut ? rolloutWaitsFor(objects, config) : undefined;
  const cannotCreate = cannotCreateBecause(objects, current, rolloutWaits);
  return {
    id: poolId(deployment),
    ...sizesOf(deployment, alarming, now),
    ...headroomOf(deployment),
    replicas: deployment.spec?.replicas ?? 1,
    ...(writer !== undefined && { writer }),
    machines,
    ...(template && { template }),
    // Pools of unknown instance types must not share the memory of failed launches.
    instanceType: instanceType ?? poolId(deployment),
    ...(market && { market }),
    ...(hasFallback(objects) && { fallback: true }),
    ...(price && { priceSource: price.source }),
    ...(zones && { zones }),
    options: optionsOf(deployment, speed),
    ...startupTaintsOf(deployment),
    ...consolidateOf(deployment, speed),
    ...(held && { held }),
    ...(cannotCreate && { cannotCreate }),
    declaration: declarationOf(objects),
    ...(rollingOut && { rollingOut }),
    ...(rolloutWaits !== undefined && { rolloutWaits }),
  };
};

export const poolsOf = (objects: readonly PoolObjects[], facts: PoolFacts): Pool[] => {
  const nodes = new Map(facts.nodes.map((node) => [node.name, node]));
  return objects.map((one) => poolOf(one, nodes, facts)).sort((a, b) => (a.id < b.id ? -1 : 1));
};

/** What nodes of the pools reported, or did while there were some. */
export const measuredAfter = (
  objects: readonly PoolObjects[],
  facts: Pick<PoolFacts, 'nodes' | 'remembered' | 'now'>,
): Record<string, Measured> => {
  const nodes = new Map(facts.nodes.map((node) => [node.name, node]));
  return Object.fromEntries(
    objects.flatMap((one) => {
      const measured = measuredOf(sourceOf(one, nodes, facts));
      return measured ? [[templateKey(one.deployment), measured]] : [];
    }),
  );
};
