import { conditionOf } from '../../../machinery/api/conditions.ts';
import {
  type Action,
  type Context,
  type EventDraft,
  found,
  type MergePatch,
  type Plan,
} from '../../../machinery/api/reconcile.ts';
import { annotations, labels } from '../../common/labels.ts';
import { nameWithSuffix } from '../../common/names.ts';
import {
  controllerOf,
  controllerReference,
  deletionOf,
  hasReference,
  isControlledBy,
  ownerReference,
  ownPatch,
  patchAsObserved,
  withOwner,
} from '../../common/owners.ts';
import { rolloutTime } from '../../common/rollout-time.ts';
import { debounceFor, isDeleting } from '../contract/machines.ts';
import { missingTemplates, ownTemplates } from '../contract/references.ts';
import { creating, creationNote, namesInCreation } from '../machine-set/creation.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import { newMachineSet, setChanges, sizeChanges } from './desired-set.ts';
import type { Observed } from './observe.ts';
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
  limitsOf,
  planOnDelete,
  planPaused,
  planRollingUpdate,
  type ScalePlan,
} from './rollout.ts';
import type { MachineDeployment, MachineDeploymentStatus } from './schema.ts';
import { countsOf, type StatusFacts, statusOf } from './status.ts';

const event = (reason: string, message: string): EventDraft => ({ type: 'Normal', reason, message });
const nameOf = ({ metadata }: MachineSet) => metadata.name;

const ownIntent = ({ machineDeployment, cluster }: Observed): MergePatch => ({
  metadata: {
    labels: { [labels.cluster]: machineDeployment.spec?.clusterName ?? '' },
    ...(cluster &&
      !hasReference(machineDeployment, ownerReference(cluster)) && {
        ownerReferences: withOwner(machineDeployment, ownerReference(cluster)),
      }),
  },
});

const adopt = (deployment: MachineDeployment, sets: MachineSet[]) => {
  const reference = controllerReference(deployment);
  const orphans = sets.filter((set) => !controllerOf(set));
  return {
    actions: sets
      .filter((set) => !hasReference(set, reference))
      .map((set): Action => ({ ...ownPatch(set, reference), group: `adopt ${nameOf(set)}` })),
    events: orphans.map((set) => event('SuccessfulAdopt', `Adopted MachineSet "${nameOf(set)}"`)),
  };
};

const planOf = (deployment: MachineDeployment, current: Counted, old: MachineSet[]): ScalePlan => {
  const limits = limitsOf(deployment);
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

interface Rollout {
  annotations: Record<string, string | null>;
  actions: Action[];
  events: EventDraft[];
}

/**
 * The name is noted on the MachineDeployment before the set is created, so that no crash leaves two
 * current sets.
 */
const createCurrent = (deployment: MachineDeployment, { old }: Generations, { random }: Context) => {
  const existing = new Set(old.map(nameOf));
  const name =
    namesInCreation(deployment).find((noted) => !existing.has(noted)) ??
    nameWithSuffix(`${deployment.metadata.name}-`, random.suffix(5));
  const plan = planOf(deployment, { name, spec: 0, replicas: 0, available: 0, creating: 0 }, old);
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

const rollOut = (
  deployment: MachineDeployment,
  generations: Generations,
  missing: string[],
  context: Context,
): Rollout => {
  const { current, old } = generations;
  const previous = previousTemplateOf(generations);
  const noted = {
    [annotations.revision]: String(currentRevision(generations)),
    ...(previous !== undefined && { [previousTemplate]: previous }),
  };
  if (!current) {
    // A new set without its templates could only wait, so nothing is taken from the old sets for
    // it.
    if (missing.length > 0) return { annotations: {}, actions: [], events: [] };
    const creation = createCurrent(deployment, generations, context);
    const sync = syncSets(deployment, generations, creation.plan);
    return {
      annotations: { ...noted, [creating]: creationNote([creation.name]) },
      actions: [...creation.actions, ...sync.actions],
      events: [...creation.events, ...sync.events],
    };
  }
  const sync = syncSets(deployment, generations, planOf(deployment, counted(current), old));
  const cleanup = cleanUp(deployment, generations);
  return {
    annotations: { ...noted, ...(deployment.metadata.annotations?.[creating] && { [creating]: null }) },
    actions: [...sync.actions, ...cleanup.actions],
    events: [...sync.events, ...cleanup.events],
  };
};

const scaleOnly = (deployment: MachineDeployment, { current, old }: Generations): Rollout => {
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

const deleteAll = (sets: MachineSet[]) => {
  const living = sets.filter((set) => !isDeleting(set));
  return {
    actions: living.map((set): Action => ({ ...deletionOf(set), group: nameOf(set) })),
    events: living.map((set) => event('SuccessfulDelete', `Deleted MachineSet "${nameOf(set)}"`)),
  };
};

const reconcileDelete = (facts: StatusFacts): Plan<MachineDeploymentStatus> => ({
  ...deleteAll(facts.machineSets),
  status: statusOf(facts),
  finished: facts.machineSets.length === 0,
});

type OwnPlan = Plan<MachineDeploymentStatus>;

/** Undefined while the sets, Machines or templates are unread. */
const factsOf = (observed: Observed, { withheld, now }: Context): StatusFacts | undefined => {
  const { machineDeployment, templates } = observed;
  const { spec } = machineDeployment;
  const selected = found(observed.machineSets);
  const machines = observed.machines && found(observed.machines);
  if (!selected || (observed.machines && !machines) || !templates || !spec) return undefined;
  const machineSets = selected.filter((set) => !controllerOf(set) || isControlledBy(set, machineDeployment));
  const facts = { machineDeployment, current: undefined, machineSets, machines, missing: [], now };
  return { ...facts, withheld: isDeleting(machineDeployment) ? undefined : withheld };
};

/**
 * Deletes the sets and resets the rollout history. The spec stays, and the next set is revision 1.
 */
const tearDown = (observed: Observed, facts: StatusFacts): OwnPlan => {
  const machineSets = facts.machineSets.filter((set) => isControlledBy(set, observed.machineDeployment));
  return {
    ...deleteAll(machineSets),
    intent: ownIntent(observed),
    status: statusOf({ ...facts, machineSets }),
    ...(machineSets.length === 0 && { released: { notes: [annotations.revision, previousTemplate, creating] } }),
  };
};

const decide = (observed: Observed, facts: StatusFacts, context: Context): OwnPlan => {
  const { machineDeployment, cluster, templates } = observed;
  const { machineSets, now } = facts;
  const { spec } = machineDeployment;
  if (!templates || !spec) return {};
  if (isDeleting(machineDeployment)) return reconcileDelete(facts);
  const generations = findCurrent(machineDeployment, machineSets, now);
  const missing = missingTemplates(templates, spec.template);
  const adoption = adopt(machineDeployment, machineSets);
  const isWaiting = !cluster || isDeleting(cluster);
  const nothing: Rollout = { annotations: {}, actions: [], events: [] };
  const rollout = spec.paused
    ? scaleOnly(machineDeployment, generations)
    : isWaiting
      ? nothing
      : rollOut(machineDeployment, generations, missing, context);
  const untilRollout = rolloutTime(spec.rollout?.after ?? '') - now;
  return {
    intent: ownIntent(observed),
    actions: cluster ? ownTemplates(templates, cluster) : [],
    status: statusOf({ ...facts, current: generations.current, missing }),
    advance: {
      intent: { metadata: { annotations: rollout.annotations } },
      actions: [...adoption.actions, ...rollout.actions],
      events: [...adoption.events, ...rollout.events],
      // The next pass sees the new set and removes its name from the note.
      ...(rollout.annotations[creating] && { again: true }),
      ...(untilRollout > 0 && { requeueAfter: Math.ceil(untilRollout / 1000) }),
    },
  };
};

/**
 * Seconds. The sets aggregate the conditions of their Machines, and a set that has not reconciled
 * yet may lag behind.
 */
const settling = 5;
const ofMachines = ['MachinesReady', 'MachinesUpToDate'];
/** Whether an aggregated condition changed to a status that no set reports yet. */
const runsAhead = (next: MachineDeployment['status'], { machineDeployment, machineSets }: Observed): boolean =>
  ofMachines.some((type) => {
    const is = conditionOf(next?.conditions, type)?.status;
    const was = conditionOf(machineDeployment.status?.conditions, type)?.status;
    const sets = found(machineSets) ?? [];
    return (
      was !== undefined && is !== was && !sets.some((set) => conditionOf(set.status?.conditions, type)?.status === is)
    );
  });

/** If the debounce skipped the count, requeues for when the debounce ends. */
const paced = (plan: OwnPlan, observed: Observed, context: Context): OwnPlan => {
  if (observed.machines) {
    const again = plan.status && runsAhead(plan.status, observed) ? [settling] : [];
    const due = Math.min(...again, plan.requeueAfter ?? Number.POSITIVE_INFINITY);
    const debounce = debounceFor(found(observed.machines)?.length ?? 0);
    return { ...plan, ...debounce, ...(Number.isFinite(due) && { requeueAfter: due }) };
  }
  const debounce = Math.max(0, ((context.debouncedUntil ?? context.now) - context.now) / 1000);
  return { ...plan, debounce, requeueAfter: Math.min(debounce, plan.requeueAfter ?? debounce) };
};

export const release = (observed: Observed, context: Context): OwnPlan => {
  const facts = factsOf(observed, context);
  return paced(facts ? tearDown(observed, facts) : {}, observed, context);
};

export const reconcile = (observed: Observed, context: Context): OwnPlan => {
  const facts = factsOf(observed, context);
  return paced(facts ? decide(observed, facts, context) : {}, observed, context);
};
