/**
 * Which Kubernetes version each object of a topology gets next: upstream's order of upgrades, or, where
 * operations run, all of one step at once, because the operation that follows orders them. Pure.
 */
import { lowestVersion } from '../../common/kubernetes-version.ts';
import { topologyAnnotations } from '../contract/topology.ts';
import { type Gate, openGate } from './gate.ts';
import type { State, WorkerState } from './state.ts';
import { isNewer, type UpgradePlan } from './upgrade-plan.ts';
import type { Topology } from './variables.ts';

/** What holds an object at its version, or postpones its creation. */
export type Stage = 'current' | 'starting' | 'upgrading' | 'pending' | 'deferred' | 'postponed';

export interface Decision {
  version: string;
  stage: Stage;
}

export interface Decisions {
  controlPlane: Decision;
  /** By name in the topology. */
  deployments: ReadonlyMap<string, Decision>;
  pools: ReadonlyMap<string, Decision>;
  plan: UpgradePlan;
}

const upgradesIn = ({ controlPlane, workers }: UpgradePlan) => {
  const steps = (versions: readonly string[]) => versions.map((version) => ({ version }));
  return {
    ...(controlPlane.length > 0 && { controlPlaneUpgrades: steps(controlPlane) }),
    ...(workers.length > 0 && { workersUpgrades: steps(workers) }),
  };
};

/** The lowest version that workers run or are asked to run. */
const lowestOfWorkers = ({ deployments, pools }: State): string | undefined =>
  lowestVersion(
    [...deployments.values(), ...pools.values()].flatMap(({ version, running }) => [
      ...running,
      ...(version ? [version] : []),
    ]),
  );

/** Whether what was to be done between the control plane and the workers of a step is done. */
const areWorkersFree = (state: State, plan: UpgradePlan, version: string, gate: Gate): boolean =>
  gate.isAheadOf(version) ||
  (gate.isOver({
    hook: 'AfterControlPlaneUpgrade',
    about: version,
    fields: { kubernetesVersion: version, ...upgradesIn(plan) },
  }) &&
    gate.isOver({
      hook: 'BeforeWorkersUpgrade',
      about: version,
      fields: {
        fromKubernetesVersion: lowestOfWorkers(state) ?? version,
        toKubernetesVersion: version,
        ...upgradesIn(plan),
      },
    }));

const isStepOver = (plan: UpgradePlan, version: string, gate: Gate): boolean =>
  gate.isAheadOf(version) ||
  gate.isOver({
    hook: 'AfterWorkersUpgrade',
    about: version,
    fields: { kubernetesVersion: version, ...upgradesIn(plan) },
  });

const isUpgradeOver = (version: string, gate: Gate): boolean =>
  gate.isOver({ hook: 'AfterClusterUpgrade', about: version, fields: { kubernetesVersion: version } });

/** Whether the hooks let the control plane take the next version. */
const mayStart = (topology: Topology, plan: UpgradePlan, version: string, next: string, gate: Gate): boolean => {
  const to = topology.version;
  const shared = { fromKubernetesVersion: version, ...upgradesIn(plan) };
  return (
    gate.isFree() &&
    gate.passes({ hook: 'BeforeClusterUpgrade', about: to, fields: { ...shared, toKubernetesVersion: to } }) &&
    gate.passes({ hook: 'BeforeControlPlaneUpgrade', about: next, fields: { ...shared, toKubernetesVersion: next } })
  );
};

interface ControlPlaneDecision extends Decision {
  /** Hooks between the control plane and the workers of a step hold the workers back. */
  holdsWorkers: boolean;
}

const decideControlPlane = (
  topology: Topology,
  state: State,
  plan: UpgradePlan,
  gate: Gate,
  { operation }: Settings,
): ControlPlaneDecision => {
  const { controlPlane, deployments, pools } = state;
  if (!controlPlane) return { version: topology.version, stage: 'current', holdsWorkers: false };
  const version = controlPlane.version ?? topology.version;
  const [next] = plan.controlPlane;
  const keep = (stage: Stage, holdsWorkers = false): ControlPlaneDecision => ({ version, stage, holdsWorkers });
  const wait = (holdsWorkers = false) => keep(next === undefined ? 'current' : 'pending', holdsWorkers);
  if (controlPlane.isUpgrading) return keep('upgrading');
  if (controlPlane.isProvisioning) return wait();
  if (!areWorkersFree(state, plan, version, gate)) return wait(true);
  const rules = [
    // Workers must first reach the version that the control plane has.
    plan.workers[0] === version,
    [...deployments.values(), ...pools.values()].some(({ isUpgrading }) => isUpgrading),
  ];
  if (rules.some(Boolean) || !isStepOver(plan, version, gate)) return wait();
  if (next === undefined) {
    if (plan.workers.length === 0) isUpgradeOver(version, gate);
    return keep('current');
  }
  if (gate.isBlocking('AfterClusterUpgrade', version) && !isUpgradeOver(version, gate)) return wait();
  if (operation !== undefined || !mayStart(topology, plan, version, next, gate)) return wait();
  gate.beginStep(next, 'AfterControlPlaneUpgrade', 'AfterClusterUpgrade');
  if (plan.workers[0] === next) gate.beginStep(next, 'BeforeWorkersUpgrade', 'AfterWorkersUpgrade');
  return { version: next, stage: 'starting', holdsWorkers: false };
};

/** What MachineDeployments and MachinePools of a topology have in common here. */
interface Worker {
  name: string;
  metadata?: { annotations?: Record<string, string> };
}
const hasAnnotation = ({ metadata }: Worker, name: string): boolean => Object.hasOwn(metadata?.annotations ?? {}, name);

/** By its own annotations, or because one before it in the list holds the sequence. */
const isDeferred = (all: readonly Worker[], i: number): boolean =>
  hasAnnotation(all[i]!, topologyAnnotations.deferUpgrade) ||
  all.slice(0, i + 1).some((one) => hasAnnotation(one, topologyAnnotations.holdUpgradeSequence));

export interface Settings {
  /** How many MachineDeployments may upgrade at once, and how many MachinePools. */
  concurrency: number;
  /** Whether operations order what begins together. */
  isOperated: boolean;
  /** Name of the operation of the step before, which must end before the next step begins. */
  operation?: string | undefined;
}

/** Whether workers may take the version: the control plane has it, or an operation gives it to the control plane first. */
const isReached = (version: string, controlPlane: Decision, state: State, { isOperated }: Settings): boolean => {
  if (isNewer(version, controlPlane.version)) return false;
  if (isOperated) return true;
  const isStable = controlPlane.stage === 'current' || controlPlane.stage === 'pending';
  return isStable && state.controlPlane?.isProvisioning !== true;
};

const decideWorkers = (
  all: readonly Worker[],
  workers: ReadonlyMap<string, Pick<WorkerState, 'version' | 'isUpgrading'>>,
  to: string,
  state: State,
  plan: UpgradePlan,
  controlPlane: ControlPlaneDecision,
  settings: Settings,
): Map<string, Decision> => {
  let upgrading = all.filter(({ name }) => workers.get(name)?.isUpgrading).length;
  const decide = (one: Worker, i: number): Decision => {
    const current = workers.get(one.name);
    if (!current) {
      const isStable =
        controlPlane.stage === 'current' && !controlPlane.holdsWorkers && state.controlPlane?.isProvisioning !== true;
      return { version: to, stage: isStable || state.controlPlane === undefined ? 'current' : 'postponed' };
    }
    const version = current.version ?? to;
    const keep = (stage: Stage): Decision => ({ version, stage });
    if (version === to) return keep(current.isUpgrading && plan.controlPlane.length > 0 ? 'upgrading' : 'current');
    if (isDeferred(all, i)) return keep('deferred');
    const [next] = plan.workers;
    if (
      next === undefined ||
      next === version ||
      controlPlane.holdsWorkers ||
      !isReached(next, controlPlane, state, settings)
    )
      return keep(current.isUpgrading ? 'upgrading' : 'pending');
    if (!settings.isOperated && upgrading >= settings.concurrency)
      return keep(current.isUpgrading ? 'upgrading' : 'pending');
    upgrading++;
    return { version: next, stage: 'starting' };
  };
  return new Map(all.map((one, i) => [one.name, decide(one, i)]));
};

export const decideVersions = (
  topology: Topology,
  state: State,
  plan: UpgradePlan,
  settings: Settings,
  gate: Gate = openGate(),
): Decisions => {
  const decided = decideControlPlane(topology, state, plan, gate, settings);
  const { holdsWorkers: _, ...controlPlane } = decided;
  const { machineDeployments = [], machinePools = [] } = topology.workers ?? {};
  const { version: to } = topology;
  // An operation orders control plane and MachineDeployments; MachinePools wait for the control plane here.
  const ofPools = { ...settings, isOperated: false };
  return {
    controlPlane,
    deployments: decideWorkers(machineDeployments, state.deployments, to, state, plan, decided, settings),
    pools: decideWorkers(machinePools, state.pools, to, state, plan, decided, ofPools),
    plan,
  };
};
