/**
 * Moves the MachineSets towards the spec of their MachineDeployment, as far as upgrades of the
 * cluster admit it. Pure.
 */
import type { Action, Context, EventDraft } from '../../../machinery/api/reconcile.ts';
import { annotations } from '../../common/labels.ts';
import { nameWithSuffix } from '../../common/names.ts';
import { deletionOf, patchAsObserved } from '../../common/owners.ts';
import { isDeleting } from '../contract/machines.ts';
import type { MissingTemplate } from '../contract/references.ts';
import type { Admission } from '../contract/rollout.ts';
import { creating, creationNote, namesInCreation } from '../machine-set/creation.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import { newMachineSet, setChanges, sizeChanges } from './desired-set.ts';
import {
  createdBefore,
  currentRevision,
  findCurrent,
  type Generations,
  previousTemplate,
  previousTemplateOf,
  revisionAnnotations,
} from './revisions.ts';
import {
  type Counted,
  counted,
  countedUpToDate,
  type Limits,
  limitsOf,
  planKept,
  planOnDelete,
  planPaused,
  planRollingUpdate,
  type ScalePlan,
} from './rollout.ts';
import type { MachineDeployment } from './schema.ts';
import { countsOf } from './status.ts';
import { previousRevision } from './upgrade.ts';

export const event = (reason: string, message: string): EventDraft => ({ type: 'Normal', reason, message });
export const nameOf = ({ metadata }: MachineSet): string => metadata.name;

const planOf = (
  deployment: MachineDeployment,
  current: Counted,
  old: MachineSet[],
  { most, held }: Pick<Limits, 'most' | 'held'>,
): ScalePlan => {
  const limits = { ...limitsOf(deployment), ...(most !== undefined && { most }), ...(held && { held }) };
  const others = old.toSorted(createdBefore).map(counted);
  return deployment.spec?.rollout?.strategy?.type === 'OnDelete'
    ? planOnDelete(limits.replicas, current, others)
    : planRollingUpdate(limits, current, others);
};

const scaled = (set: MachineSet, to: number | undefined): EventDraft[] => {
  const from = set.spec?.replicas ?? 0;
  if (to === undefined || to === from) return [];
  const way = to > from ? 'up' : 'down';
  return [event('SuccessfulScale', `Scaled ${way} MachineSet ${nameOf(set)}: ${from} -> ${to}`)];
};

export interface Rollout {
  annotations: Record<string, string | null>;
  actions: Action[];
  events: EventDraft[];
}

/**
 * The name is noted on the MachineDeployment before the set is created, so that no crash leaves two
 * current sets.
 */
const createCurrent = (
  deployment: MachineDeployment,
  { old }: Generations,
  limits: Pick<Limits, 'most' | 'held'>,
  { random }: Pick<Context, 'random'>,
) => {
  const existing = new Set(old.map(nameOf));
  const name =
    namesInCreation(deployment).find((noted) => !existing.has(noted)) ??
    nameWithSuffix(`${deployment.metadata.name}-`, random.suffix(5));
  const plan = planOf(deployment, { name, spec: 0, replicas: 0, available: 0, creating: 0 }, old, limits);
  const replicas = plan.get(name) ?? 0;
  const object = newMachineSet(deployment, name, replicas, revisionAnnotations({ current: undefined, old }));
  const created = `Created MachineSet ${object.metadata.namespace}/${name} with ${replicas} replicas`;
  return {
    name,
    plan,
    actions: [{ do: 'create', object, group: `create ${name}` } satisfies Action],
    events: [event('SuccessfulCreate', created)],
  };
};

const syncSets = (deployment: MachineDeployment, generations: Generations, plan: ScalePlan) => {
  const { current, old } = generations;
  const sets = [
    ...(current ? [{ set: current, isOld: false, revision: revisionAnnotations(generations) }] : []),
    ...old.map((set) => ({ set, isOld: true, revision: keptRevision(set) })),
  ].filter(({ set }) => !isDeleting(set));
  return {
    actions: sets.flatMap(({ set, isOld, revision }): Action[] => {
      const patch = setChanges(deployment, set, { isOld, replicas: plan.get(nameOf(set)), revision });
      return patch ? [{ ...patchAsObserved(set, patch), group: `sync ${nameOf(set)}` }] : [];
    }),
    events: sets.flatMap(({ set }) => scaled(set, plan.get(nameOf(set)))),
  };
};
const keptRevision = ({ metadata }: MachineSet): Record<string, string> =>
  Object.fromEntries(
    [annotations.revision, annotations.revisionHistory].flatMap((name) => {
      const value = metadata.annotations?.[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Deletes old, empty sets once all Machines are up to date, available and as many as desired. */
const cleanUp = ({ spec }: MachineDeployment, { current, old }: Generations) => {
  const counts = countsOf([...old, ...(current ? [current] : [])]);
  const wanted = spec?.replicas ?? 0;
  const isComplete =
    current !== undefined &&
    [counts.replicas, counts.upToDateReplicas, counts.availableReplicas].every((count) => count === wanted);
  const isEmpty = ({ spec: own, status, metadata }: MachineSet) =>
    own?.replicas === 0 && status?.replicas === 0 && (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const done = isComplete ? old.filter((set) => isEmpty(set) && !isDeleting(set)) : [];
  return {
    actions: done.map((set): Action => ({ ...deletionOf(set), group: `delete ${nameOf(set)}` })),
    events: done.map((set) => event('SuccessfulDelete', `Deleted MachineSet "${nameOf(set)}"`)),
  };
};

type Count = (set: MachineSet) => Counted;

const rollOut = (
  deployment: MachineDeployment,
  generations: Generations,
  {
    missing,
    limits,
    random,
    count,
  }: { missing: MissingTemplate[]; limits: Pick<Limits, 'most' | 'held'>; random: Context['random']; count: Count },
): Rollout => {
  const { current, old } = generations;
  const previous = previousTemplateOf(deployment, generations);
  const noted = {
    [annotations.revision]: String(currentRevision(generations)),
    ...(previous !== undefined && { [previousTemplate]: previous }),
  };
  if (!current) {
    // A new set without its templates could only wait, so nothing is taken from the old sets for
    // it.
    if (missing.length > 0) return { annotations: {}, actions: [], events: [] };
    const creation = createCurrent(deployment, generations, limits, { random });
    const sync = syncSets(deployment, generations, creation.plan);
    return {
      annotations: { ...noted, [creating]: creationNote([creation.name]) },
      actions: [...creation.actions, ...sync.actions],
      events: [...creation.events, ...sync.events],
    };
  }
  const sync = syncSets(deployment, generations, planOf(deployment, count(current), old, limits));
  const cleanup = cleanUp(deployment, generations);
  return {
    annotations: { ...noted, ...(deployment.metadata.annotations?.[creating] && { [creating]: null }) },
    actions: [...sync.actions, ...cleanup.actions],
    events: [...sync.events, ...cleanup.events],
  };
};

/** While it is paused, its sets are only scaled. */
export const scaleOnly = (deployment: MachineDeployment, { current, old }: Generations): Rollout => {
  const isRolling = deployment.spec?.rollout?.strategy?.type !== 'OnDelete';
  const plan = planPaused(limitsOf(deployment), isRolling, current, old);
  const all = [...old, ...(current ? [current] : [])];
  const sets = all.filter((set) => plan.has(nameOf(set)) || (set.spec?.replicas ?? 0) > 0);
  return {
    annotations: {},
    actions: sets.flatMap((set): Action[] => {
      const patch = sizeChanges(deployment, set, plan.get(nameOf(set)));
      return patch ? [{ ...patchAsObserved(set, patch), group: `scale ${nameOf(set)}` }] : [];
    }),
    events: sets.flatMap((set) => scaled(set, plan.get(nameOf(set)))),
  };
};

/** Keeps the Machines as they are, apart from their number and what changes in place. */
const keep = (deployment: MachineDeployment, generations: Generations): Rollout => ({
  annotations: {},
  ...syncSets(deployment, generations, planKept(limitsOf(deployment), generations.current, generations.old)),
});

/** Follows the spec as far as upgrades of the cluster admit it. */
export const followAdmitted = (
  admission: Admission,
  deployment: MachineDeployment,
  generations: Generations,
  missing: MissingTemplate[],
  { random, now }: Context,
): Rollout => {
  if (admission.state === 'Admitted')
    return rollOut(deployment, generations, { missing, limits: admission, random, count: countedUpToDate });
  const previous = admission.state === 'RolledBack' ? previousRevision(deployment, generations) : undefined;
  if (!previous) return keep(deployment, generations);
  const sets = [...generations.old, ...(generations.current ? [generations.current] : [])];
  return rollOut(previous, findCurrent(previous, sets, now), { missing: [], limits: {}, random, count: counted });
};
