import {
  type Action,
  type Context,
  type EventDraft,
  found,
  type MergePatch,
  type Plan,
} from '../../../machinery/api/reconcile.ts';
import { annotations, labels } from '../../common/labels.ts';
import {
  controllerOf,
  controllerReference,
  deletionOf,
  hasReference,
  isControlledBy,
  isOwnedBy,
  ownerReference,
  ownersOf,
  ownPatch,
  withOwner,
} from '../../common/owners.ts';
import { allowedBy, claimed, quotaMessages, quotaRetry } from '../contract/machine-quota.ts';
import { debounceFor, isDeleting, untilCounted } from '../contract/machines.ts';
import { missingTemplates, ownTemplates } from '../contract/references.ts';
import { groupsOf } from '../contract/together.ts';
import type { Machine } from '../machine/schema.ts';
import { atRiskOf, countedOf } from './at-risk.ts';
import { remediationsAnnotation } from './backoff.ts';
import { creating, creationNote, creationOf, namesInCreation, newName } from './creation.ts';
import { toDelete } from './deletion-order.ts';
import { type Observed, ownMachines, untilIdle } from './observe.ts';
import { preflight } from './preflight.ts';
import { type Remediation, remediate } from './remediation.ts';
import type { MachineSet, MachineSetStatus } from './schema.ts';
import { type StatusFacts, statusOf } from './status.ts';
import { stuck } from './stuck.ts';
import { syncMachines } from './sync.ts';

const event = (reason: string, message: string): EventDraft => ({ type: 'Normal', reason, message });

const adopt = (machineSet: MachineSet, machines: Machine[]) => {
  const reference = controllerReference(machineSet);
  const orphans = machines.filter((machine) => !controllerOf(machine));
  return {
    actions: machines
      .filter((machine) => !hasReference(machine, reference))
      .map((machine): Action => ({ ...ownPatch(machine, reference), group: `adopt ${machine.metadata.name}` })),
    events: orphans.map(({ metadata }) => event('SuccessfulAdopt', `Adopted Machine "${metadata.name}"`)),
  };
};

/** The owner reference, label and selector that every set has. */
const ownIntent = ({ machineSet, cluster }: Observed): MergePatch => {
  const { clusterName, selector, template } = machineSet.spec!;
  const byCluster = { [labels.cluster]: clusterName };
  const isStandalone =
    machineSet.metadata.labels?.[labels.deployment] === undefined &&
    !ownersOf(machineSet).some(({ kind }) => kind === 'MachineDeployment' || kind === 'Cluster');
  return {
    metadata: {
      labels: byCluster,
      ...(cluster &&
        (isOwnedBy(machineSet, cluster) ? !hasReference(machineSet, ownerReference(cluster)) : isStandalone) && {
          ownerReferences: withOwner(machineSet, ownerReference(cluster)),
        }),
    },
    ...((selector.matchLabels?.[labels.cluster] !== clusterName ||
      template.metadata?.labels?.[labels.cluster] !== clusterName) && {
      spec: { selector: { matchLabels: byCluster }, template: { metadata: { labels: byCluster } } },
    }),
  };
};

/** Parts cloned for a Machine that was never created, or that is not to be created any more. */
const orphans = ({ machineSet, infraMachines, bootstrapConfigs }: Observed, machines: Machine[], pending: string[]) => {
  const kept = (name: (machine: Machine) => string | undefined) => new Set([...machines.map(name), ...pending]);
  const infra = kept(({ spec }) => spec?.infrastructureRef.name);
  const bootstrap = kept(({ spec }) => spec?.bootstrap.configRef?.name);
  return [
    ...(found(infraMachines) ?? []).filter(({ metadata }) => !infra.has(metadata.name)),
    ...(found(bootstrapConfigs) ?? []).filter(({ metadata }) => !bootstrap.has(metadata.name)),
  ]
    .filter((object) => isOwnedBy(object, machineSet) && !ownersOf(object).some(({ kind }) => kind === 'Machine'))
    .filter((object) => !isDeleting(object))
    .map((object): Action => ({ ...deletionOf(object), group: `orphan ${object.kind} ${object.metadata.name}` }));
};

interface Replicas {
  /** Names to note for creation from now on. */
  pending: string[];
  /** Surplus Machines. */
  doomed: readonly Machine[];
  actions: Action[];
  events: EventDraft[];
  preflight: string[];
}

const addMachines = (
  observed: Observed,
  machines: Machine[],
  pending: string[],
  count: number,
  context: Context,
): Replicas => {
  const { machineSet, cluster, templates, controlPlane, quotas } = observed;
  const infrastructure = templates && found(templates.infrastructure);
  const bootstrap = templates?.bootstrap && found(templates.bootstrap);
  const waiting = (why: string[]): Replicas => ({ pending, doomed: [], actions: [], events: [], preflight: why });
  const isDisabled = machineSet.metadata.annotations?.[annotations.disableMachineCreate] === 'true';
  if (isDisabled || !cluster || isDeleting(cluster) || !infrastructure || (templates?.bootstrap && !bootstrap))
    return waiting([]);
  const obstacles = preflight(machineSet, controlPlane, bootstrap);
  if (obstacles.length > 0) return waiting(obstacles);
  const allowed = allowedBy(quotas, count);
  const exceeded = quotaMessages(quotas, count);
  // Withdraws names beyond a quota: they would use up the quota of other controllers.
  if (allowed === 0) return { ...waiting(exceeded), pending: [] };
  const taken = new Set([...machines, ...observed.created].map(({ metadata }) => metadata.name));
  const names = pending.slice(0, allowed);
  while (names.length < allowed) {
    const name = newName(machineSet, context);
    if (!taken.has(name) && !names.includes(name)) names.push(name);
  }
  const has = (objects: Observed['infraMachines'], name: string) =>
    (found(objects) ?? []).some(({ metadata }) => metadata.name === name);
  const groups = groupsOf(names, () => context.random.token());
  const creations = names.flatMap((name) =>
    creationOf(
      name,
      machineSet,
      { infrastructure, bootstrap },
      { infraMachine: has(observed.infraMachines, name), bootstrapConfig: has(observed.bootstrapConfigs, name) },
      groups.get(name),
    ),
  );
  return {
    pending: names,
    doomed: [],
    actions: claimed(quotas, names[0]!, creations),
    events: names.map((name) => event('SuccessfulCreate', `Created Machine "${name}"`)),
    preflight: exceeded,
  };
};

const deletionEvents = (doomed: readonly Machine[]): EventDraft[] =>
  doomed.map(({ metadata }) => event('SuccessfulDelete', `Deleted Machine "${metadata.name}"`));

const deletionsOf = (doomed: readonly Machine[]): Action[] =>
  doomed.map((machine) => ({ ...deletionOf(machine), group: `delete ${machine.metadata.name}` }));

const deletedAtRisk = (name: string): EventDraft =>
  event('SuccessfulDelete', `Deleted Machine "${name}", whose host is at risk`);

const removeMachines = ({ machineSet }: Observed, machines: Machine[], count: number, { now }: Context): Replicas => {
  const order = machineSet.spec?.deletion?.order ?? 'Random';
  const doomed = toDelete(machines, count, order, now).filter((machine) => !isDeleting(machine));
  return {
    pending: [],
    doomed,
    actions: deletionsOf(doomed),
    events: deletionEvents(doomed),
    preflight: [],
  };
};

/** Noted names without a Machine yet. */
const namesToCome = ({ machineSet, created }: Observed, machines: Machine[]): string[] => {
  const existing = new Set([...machines, ...created].map(({ metadata }) => metadata.name));
  return namesInCreation(machineSet).filter((name) => !existing.has(name));
};

const missingOf = (observed: Observed, machines: Machine[]): number =>
  (observed.machineSet.spec?.replicas ?? 0) - countedOf(observed, machines).length;

const syncReplicas = (observed: Observed, machines: Machine[], context: Context): Replicas => {
  const missing = missingOf(observed, machines);
  const pending = namesToCome(observed, machines).slice(0, Math.max(0, missing));
  const replicas =
    missing > 0
      ? addMachines(observed, machines, pending, missing, context)
      : removeMachines(observed, countedOf(observed, machines), -missing, context);
  const { due } = atRiskOf(observed, machines, context.now);
  return {
    ...replicas,
    doomed: [...replicas.doomed, ...due],
    actions: [...replicas.actions, ...deletionsOf(due)],
    events: [...replicas.events, ...due.map(({ metadata }) => deletedAtRisk(metadata.name))],
  };
};

const withNote = (intent: MergePatch, machineSet: MachineSet, pending: string[]): MergePatch => {
  const note = creationNote(pending);
  const before = machineSet.metadata.annotations?.[creating];
  if ((note ?? undefined) === before) return intent;
  return { ...intent, metadata: { ...intent.metadata, annotations: { [creating]: note } } };
};

const withRemediations = (intent: MergePatch, { note }: Remediation): MergePatch => {
  if (note === undefined) return intent;
  const { metadata } = intent;
  return {
    ...intent,
    metadata: { ...metadata, annotations: { ...metadata?.annotations, [remediationsAnnotation]: note } },
  };
};

const deleteAll = (machines: Machine[]): Action[] =>
  machines
    .filter((machine) => !isDeleting(machine))
    .map((machine) => ({ ...deletionOf(machine), group: machine.metadata.name }));

const reconcileDelete = (observed: Observed, machines: Machine[], facts: StatusFacts): Plan<MachineSetStatus> => ({
  intent: withNote({}, observed.machineSet, []),
  actions: deleteAll(machines),
  status: statusOf(facts),
  ...debounceFor(machines.length),
  finished: machines.length === 0,
});

/**
 * Finds what a crashed pass left behind once the set is idle. Machines without a MachineDeployment
 * have no owner that sets UpToDate, and no event announces when the condition counts as unknown.
 */
const nextResync = (
  observed: Observed,
  machines: Machine[],
  { requeueAfter }: Remediation,
  { now }: Context,
): Pick<Plan, 'requeueAfter'> => {
  const { machineSet, machineDeployment, quotas } = observed;
  const missing = missingOf(observed, machines);
  const waits = [
    requeueAfter,
    atRiskOf(observed, machines, now).wait,
    untilIdle(machineSet, machines, now),
    machineDeployment ? undefined : untilCounted(machines, now),
    quotaMessages(quotas, missing).length > 0 ? quotaRetry : undefined,
  ];
  const due = waits.filter((wait) => wait !== undefined && wait > 0) as number[];
  return due.length > 0 ? { requeueAfter: Math.min(...due) } : {};
};

type OwnPlan = Plan<MachineSetStatus>;

interface Known {
  machines: Machine[];
  facts: StatusFacts;
}

/** Undefined while the Machines or templates are unread. */
const knownOf = (observed: Observed, { withheld, lastFailure, now }: Context): Known | undefined => {
  const { machineSet, templates } = observed;
  const selected = found(observed.machines);
  if (!selected || !templates) return undefined;
  const machines = ownMachines(machineSet, selected);
  const missing = isDeleting(machineSet) ? [] : missingTemplates(templates, machineSet.spec!.template);
  const facts = { machineSet, machines, missing, preflight: [], lastFailure, now };
  return { machines, facts: { ...facts, withheld: isDeleting(machineSet) ? undefined : withheld } };
};

/**
 * Deletes the Machines and keeps the set as the user wrote it. Machines that the set selects but
 * does not control stay.
 */
export const release = (observed: Observed, context: Context): OwnPlan => {
  const known = knownOf(observed, context);
  if (!known) return {};
  const { machineSet } = observed;
  const own = known.machines.filter((machine) => isControlledBy(machine, machineSet));
  return {
    intent: withNote(ownIntent(observed), machineSet, []),
    actions: [...deleteAll(own), ...orphans(observed, known.machines, [])],
    events: deletionEvents(own.filter((machine) => !isDeleting(machine))),
    status: statusOf({ ...known.facts, machines: own, missing: [] }),
  };
};

export const reconcile = (observed: Observed, context: Context): OwnPlan => {
  const { machineSet, cluster, templates } = observed;
  const known = knownOf(observed, context);
  if (!known || !templates) return {};
  const { machines, facts } = known;
  if (isDeleting(machineSet)) return reconcileDelete(observed, machines, facts);
  const adoption = adopt(machineSet, machines);
  const replicas = syncReplicas(observed, machines, context);
  const remediation = remediate(
    observed,
    machines.filter((machine) => !replicas.doomed.includes(machine)),
    context.now,
  );
  const advance = [
    ...adoption.actions,
    ...remediation.actions,
    ...orphans(observed, machines, replicas.pending),
    ...replicas.actions,
  ];
  const upkeep = [...(cluster ? ownTemplates(templates, cluster) : []), ...syncMachines(observed, machines)];
  const kept = {
    intent: withNote(ownIntent(observed), machineSet, namesToCome(observed, machines)),
    status: statusOf({ ...facts, preflight: replicas.preflight, stuck: stuck(observed) }),
  };
  const noted = new Set(namesInCreation(machineSet));
  // Drops the names of existing Machines and counts the Machines in one commit, before any action:
  // otherwise the MachineDeployment would find them neither in the note nor in status.replicas.
  if (advance.length + upkeep.length > 0 && machines.some(({ metadata }) => noted.has(metadata.name)))
    return { ...kept, again: true };
  return {
    ...kept,
    actions: upkeep,
    advance: {
      intent: withRemediations(withNote({}, machineSet, replicas.pending), remediation),
      actions: advance,
      events: [...adoption.events, ...remediation.events, ...replicas.events],
      ...debounceFor(machines.length),
      ...nextResync(observed, machines, remediation, context),
      // The next pass sees the new Machines and drops their names.
      ...(replicas.pending.length > 0 && replicas.actions.length > 0 && { again: true }),
    },
  };
};
