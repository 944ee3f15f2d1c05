import { conditionOf } from '../../../machinery/api/conditions.ts';
import { type Action, type Context, found, type MergePatch, type Plan } from '../../../machinery/api/reconcile.ts';
import { annotations, labels } from '../../common/labels.ts';
import {
  controllerOf,
  controllerReference,
  deletionOf,
  hasReference,
  isControlledBy,
  ownerReference,
  ownPatch,
  withOwner,
} from '../../common/owners.ts';
import { rolloutTime } from '../../common/rollout-time.ts';
import type { Cluster } from '../cluster/schema.ts';
import { debounceFor, isDeleting } from '../contract/machines.ts';
import { missingTemplates, ownTemplates } from '../contract/references.ts';
import { admissionMessage } from '../contract/rollout.ts';
import { creating } from '../machine-set/creation.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import type { Observed } from './observe.ts';
import { findCurrent, previousTemplate } from './revisions.ts';
import type { MachineDeployment, MachineDeploymentStatus } from './schema.ts';
import { type StatusFacts, statusOf } from './status.ts';
import { stuck } from './stuck.ts';
import { event, followAdmitted, nameOf, type Rollout, scaleOnly } from './sync.ts';
import { rolloutAdmission } from './upgrade.ts';

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
  const facts = { machineDeployment, current: undefined, machineSets, machines, missing: [], held: undefined, now };
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

/** The first pool that opts in creates the plan of its cluster, which the autoscaler reconciles. */
const optIn = ({ scalingPlan }: Observed, { apiVersion, kind, metadata }: Cluster): Action[] => {
  if (scalingPlan?.state !== 'absent') return [];
  const { namespace = '', name } = metadata;
  const object = {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ScalingPlan',
    metadata: {
      namespace,
      name,
      labels: { [labels.cluster]: name },
      ownerReferences: [ownerReference({ apiVersion, kind, metadata })],
    },
    spec: { clusterName: name },
  };
  return [{ do: 'create', object, group: 'opt-in' }];
};

const decide = (observed: Observed, facts: StatusFacts, context: Context): OwnPlan => {
  const { machineDeployment, cluster, templates } = observed;
  const { machineSets, now } = facts;
  const { spec } = machineDeployment;
  if (!templates || !spec) return {};
  if (isDeleting(machineDeployment)) return reconcileDelete(facts);
  const generations = findCurrent(machineDeployment, machineSets, now);
  const missing = missingTemplates(templates, spec.template);
  const admission = rolloutAdmission(observed, generations, context);
  const adoption = adopt(machineDeployment, machineSets);
  const isWaiting = !cluster || isDeleting(cluster);
  const rollout: Rollout = spec.paused
    ? scaleOnly(machineDeployment, generations)
    : isWaiting
      ? { annotations: {}, actions: [], events: [] }
      : followAdmitted(admission, machineDeployment, generations, missing, context);
  const untilRollout = rolloutTime(spec.rollout?.after ?? '') - now;
  return {
    intent: ownIntent(observed),
    actions: cluster ? ownTemplates(templates, cluster) : [],
    status: statusOf({
      ...facts,
      current: generations.current,
      missing,
      held: cluster && admissionMessage(cluster, admission),
      stuck: stuck(machineDeployment, cluster, generations, admission),
    }),
    advance: {
      intent: { metadata: { annotations: rollout.annotations } },
      actions: [...adoption.actions, ...rollout.actions, ...(isWaiting ? [] : optIn(observed, cluster))],
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
