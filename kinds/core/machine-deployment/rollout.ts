/**
 * How many replicas each MachineSet should have next. Pure arithmetic on desired and observed
 * counts: a plan never drops below the available Machines, nor exceeds the total, that the strategy
 * allows.
 */
import { annotations } from '../../common/labels.ts';
import { amountOf } from '../../common/proportion.ts';
import { namesInCreation } from '../machine-set/creation.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import { createdBefore } from './revisions.ts';
import type { MachineDeployment } from './schema.ts';

export interface Limits {
  replicas: number;
  maxSurge: number;
  maxUnavailable: number;
  /** How many Machines may have the new template; absent: all. */
  most?: number;
  /** No Machine of an old template goes, within maxSurge. */
  held?: boolean;
}

/** The limits of a rolling update, in Machines. */
export const limitsOf = ({ spec }: MachineDeployment): Limits => {
  const replicas = spec?.replicas ?? 0;
  const { type, rollingUpdate } = spec?.rollout?.strategy ?? {};
  if (type === 'OnDelete') return { replicas, maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = amountOf(rollingUpdate?.maxSurge, replicas, Math.ceil, 1);
  const unavailable = amountOf(rollingUpdate?.maxUnavailable, replicas, Math.floor, 0);
  // Percentages may round to a rollout that can never move.
  const maxUnavailable = maxSurge === 0 && unavailable === 0 ? 1 : unavailable;
  return { replicas, maxSurge, maxUnavailable: Math.min(maxUnavailable, replicas) };
};

/** The counts of a MachineSet. */
export interface Counted {
  name: string;
  spec: number;
  replicas: number;
  available: number;
  /** Machines that it has started to create and not counted yet, whatever its replicas are now. */
  creating: number;
}
export const counted = (set: MachineSet): Counted => ({
  name: set.metadata.name,
  spec: set.spec?.replicas ?? 0,
  replicas: set.status?.replicas ?? 0,
  available: set.status?.availableReplicas ?? 0,
  creating: namesInCreation(set).length,
});

/**
 * The counts of the set that an upgrade fills. A Machine whose image has another version than the
 * spec takes no old one's place: the upgrade is going to fail.
 */
export const countedUpToDate = (set: MachineSet): Counted => {
  const { available, ...counts } = counted(set);
  return { ...counts, available: Math.min(available, set.status?.upToDateReplicas ?? available) };
};

/** Replicas by name of the sets to scale. */
export type ScalePlan = Map<string, number>;

const sum = (sets: readonly Counted[], of: (one: Counted) => number): number =>
  sets.reduce((total, one) => total + of(one), 0);

/** The planned replicas of a set, or its current ones. */
const intentOf = (plan: ScalePlan, one: Counted): number => plan.get(one.name) ?? one.spec;

/** Machines that are about to be deleted do not count, although they are still available. */
const availableLater = (plan: ScalePlan, sets: readonly Counted[]): number =>
  sum(sets, (one) => Math.min(one.available, intentOf(plan, one)));

/** `old` must be sorted oldest first. */
export const planRollingUpdate = (limits: Limits, current: Counted, old: readonly Counted[]): ScalePlan => {
  const plan: ScalePlan = new Map();
  growOrAlign(plan, limits, current, old);
  growOldAtLimit(plan, limits, current, old);
  shrinkOld(plan, limits, current, old);
  breakDeadlock(plan, limits, current, old);
  return plan;
};

/** Machines in deletion and in creation occupy places, too. */
const placesOf = (one: Counted): number => Math.max(one.spec, one.replicas + one.creating);
const freePlaces = ({ replicas, maxSurge }: Limits, sets: readonly Counted[]): number =>
  replicas + maxSurge - sum(sets, placesOf);

const growOrAlign = (plan: ScalePlan, limits: Limits, current: Counted, old: readonly Counted[]) => {
  const { replicas } = limits;
  if (current.spec > replicas) plan.set(current.name, replicas);
  const growth = Math.min(freePlaces(limits, [...old, current]), aimOf(limits) - current.spec);
  if (growth > 0) plan.set(current.name, current.spec + growth);
};

const aimOf = ({ replicas, most = replicas }: Limits): number => Math.min(most, replicas);

/** The replicas that the old sets keep: an upgrade does not admit more of the current set. */
const keptOf = (plan: ScalePlan, limits: Limits, current: Counted): number =>
  Math.max(limits.replicas - Math.max(intentOf(plan, current), aimOf(limits)), 0);

/** The replicas that the old sets do not lose: a held upgrade keeps its surge, too. */
const stayingOf = (plan: ScalePlan, limits: Limits, current: Counted, old: readonly Counted[]): number => {
  const kept = keptOf(plan, limits, current);
  if (!limits.held || aimOf(limits) === limits.replicas || intentOf(plan, current) < aimOf(limits)) return kept;
  const room = limits.replicas + limits.maxSurge - intentOf(plan, current);
  return Math.max(
    kept,
    Math.min(
      room,
      sum(old, (one) => one.spec),
    ),
  );
};

/** At the limit of an upgrade the newest old set with replicas grows in place of the current set. */
const growOldAtLimit = (plan: ScalePlan, limits: Limits, current: Counted, old: readonly Counted[]) => {
  const newest = old.findLast(({ spec }) => spec > 0);
  if (!newest || current.spec < aimOf(limits)) return;
  const missing = keptOf(plan, limits, current) - sum(old, (one) => one.spec);
  const most = placesOf(newest) + freePlaces(limits, [...old, current]);
  const size = Math.min(newest.spec + missing, most);
  if (size > newest.spec) plan.set(newest.name, size);
};

const shrinkOld = (plan: ScalePlan, limits: Limits, current: Counted, old: readonly Counted[]) => {
  const { replicas, maxUnavailable } = limits;
  const all = [...old, current];
  const minAvailable = Math.max(replicas - maxUnavailable, 0);
  const pending = sum(all, (one) => Math.max(one.replicas - Math.min(one.spec, intentOf(plan, one)), 0));
  const newUnavailable = Math.max(current.spec - current.available, 0);
  const surplus = sum(old, (one) => one.spec) - stayingOf(plan, limits, current, old);
  const removable = sum(all, (one) => one.spec) - pending - minAvailable - newUnavailable;
  let budget = Math.max(Math.min(removable, surplus), 0);
  let available = availableLater(plan, all);

  // Unavailable Machines go first: deleting them costs no availability.
  for (const onlyUnavailable of [true, false]) {
    for (const one of old) {
      const intent = intentOf(plan, one);
      if (budget <= 0) break;
      if (intent <= 0) continue;
      const eligible = onlyUnavailable ? Math.max(intent - one.available, 0) : intent;
      const { taken, lost } = guarded(one, intent, Math.min(eligible, budget), available - minAvailable);
      available -= lost;
      if (taken <= 0) continue;
      plan.set(one.name, Math.max(intent - taken, 0));
      budget = Math.max(budget - taken, 0);
    }
  }
};

// A set may choose any of its machines to delete, so one with available machines may lose those
// first.
const guarded = (one: Counted, intent: number, wanted: number, surplus: number): { taken: number; lost: number } => {
  if (wanted <= 0 || one.available <= 0) return { taken: wanted, lost: 0 };
  const dying = (target: number) => Math.max(one.replicas - target, 0);
  const target = Math.max(intent - wanted, 0);
  if (dying(target) === 0) return { taken: wanted, lost: 0 };
  const allowed = dying(target) > surplus ? Math.min(one.replicas - Math.max(surplus, 0), intent) : target;
  return { taken: Math.max(intent - allowed, 0), lost: Math.min(one.available, dying(allowed)) };
};

// Old sets are not remediated, so one Machine that never becomes available could block a rollout
// forever.
const breakDeadlock = (plan: ScalePlan, limits: Limits, current: Counted, old: readonly Counted[]) => {
  if (sum(old, (one) => one.spec) <= stayingOf(plan, limits, current, old)) return;
  const isUnavailable = (one: Counted) => one.spec - one.available > 0;
  const isScaling = [current, ...old].some((one) => one.spec !== one.replicas || one.creating > 0);
  if (!old.some(isUnavailable) || isScaling || plan.size > 0) return;
  if (current.spec !== current.available) return;
  const stuck = old.find((one) => one.spec > 0 && isUnavailable(one));
  if (stuck) plan.set(stuck.name, stuck.spec - 1);
};

/**
 * `old` must be sorted oldest first. The user deletes the Machines; the plan only restores the
 * total, as far as that costs no availability.
 */
export const planOnDelete = (replicas: number, current: Counted, old: readonly Counted[]): ScalePlan => {
  const plan: ScalePlan = new Map();
  growOrAlign(plan, { replicas, maxSurge: 0, maxUnavailable: 0 }, current, old);
  let excess = Math.max(sum(old, (one) => one.spec) + intentOf(plan, current) - replicas, 0);
  for (const one of old) {
    const deleted = Math.max(one.spec - one.replicas, 0);
    if (deleted === 0) continue;
    plan.set(one.name, one.spec - deleted);
    excess -= deleted;
  }
  let surplus = Math.max(availableLater(plan, [...old, current]) - replicas, 0);
  for (const one of old) {
    const intent = intentOf(plan, one);
    const unavailable = Math.max(intent - one.available, 0);
    const taken = Math.min(intent, excess, unavailable + surplus);
    if (taken <= 0) continue;
    plan.set(one.name, intent - taken);
    excess -= taken;
    surplus -= Math.max(taken - unavailable, 0);
  }
  return plan;
};

/** Scales the sets in proportion while the rollout is paused. */
export const planPaused = (
  limits: Limits,
  isRolling: boolean,
  current: MachineSet | undefined,
  old: readonly MachineSet[],
): ScalePlan => {
  const { replicas, maxSurge } = limits;
  const all = [...old, ...(current ? [current] : [])];
  const active = all.filter(({ spec }) => (spec?.replicas ?? 0) > 0);
  const only = active.length === 1 ? active[0] : active.length === 0 ? (current ?? latest(old)) : undefined;
  if (only) return sized([[only, replicas]]);
  if (current && isSaturated(current, replicas))
    return sized(active.filter((one) => one !== current).map((one) => [one, 0]));
  if (!isRolling || active.length === 0) return new Map();

  const allowed = replicas > 0 ? replicas + maxSurge : 0;
  const toAdd = allowed - sum(active.map(counted), (one) => one.spec);
  if (toAdd === 0) return new Map();
  const ordered = active.toSorted(
    (a, b) =>
      (b.spec?.replicas ?? 0) - (a.spec?.replicas ?? 0) || (toAdd > 0 ? createdBefore(b, a) : createdBefore(a, b)),
  );
  let added = 0;
  const sizes = ordered.map((one): [MachineSet, number] => {
    const share = shareOf(one, allowed, limits, toAdd, added);
    added += share;
    return [one, (one.spec?.replicas ?? 0) + share];
  });
  const [first] = sizes;
  if (first) first[1] = Math.max(0, first[1] + toAdd - added);
  return sized(sizes);
};

/**
 * Scales the sets in proportion, as while paused, but within maxSurge: no further than the number of replicas asks,
 * for Machines of one revision beyond that would complete a rollout that is not admitted.
 */
export const planKept = (limits: Limits, current: MachineSet | undefined, old: readonly MachineSet[]): ScalePlan => {
  const all = [...old, ...(current ? [current] : [])].map(counted);
  const { replicas, maxSurge } = limits;
  const isMixed = all.filter(({ spec }) => spec > 0).length > 1;
  const total = sum(all, ({ spec }) => spec);
  if (isMixed && total >= replicas && total <= replicas + maxSurge) return new Map();
  const scaled = isMixed && total < replicas ? { ...limits, maxSurge: 0 } : limits;
  const wanted = planPaused(scaled, true, current, old);
  let free = Math.max(freePlaces(limits, all), 0);
  const plan: ScalePlan = new Map();
  for (const one of all) {
    const size = Math.min(intentOf(wanted, one), placesOf(one) + free);
    free -= Math.max(size - placesOf(one), 0);
    if (size !== one.spec) plan.set(one.name, size);
  }
  return plan;
};

const latest = (sets: readonly MachineSet[]): MachineSet | undefined => sets.toSorted(createdBefore).at(-1);
const isSaturated = ({ spec, status }: MachineSet, replicas: number): boolean =>
  spec?.replicas === replicas && status?.availableReplicas === replicas;
const sized = (sizes: [MachineSet, number][]): ScalePlan =>
  new Map(sizes.filter(([{ spec }, size]) => spec?.replicas !== size).map(([one, size]) => [one.metadata.name, size]));

const shareOf = (
  { metadata, spec }: MachineSet,
  allowed: number,
  { replicas, maxSurge }: Limits,
  toAdd: number,
  added: number,
) => {
  const size = spec?.replicas ?? 0;
  const noted = Number.parseInt(metadata.annotations?.[annotations.maxReplicas] ?? '', 10);
  const before = Number.isFinite(noted) && noted > 0 ? noted : replicas + maxSurge;
  const share = Math.round((size * allowed) / before) - size;
  const left = toAdd - added;
  return toAdd > 0 ? Math.min(Math.max(share, 0), left) : Math.max(Math.min(share, 0), left);
};
