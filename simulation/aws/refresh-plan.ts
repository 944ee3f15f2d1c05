/** Rolling instance refreshes: how many instances may be missing, how many more there may be, and which end. */
import { type GroupMember, type GroupRecord, liveMembers, type RefreshRecord } from './group.ts';

export interface RefreshPlan {
  /** How many instances the group has meanwhile. */
  capacity: number;
  /** Those that it terminates. */
  ends: GroupMember[];
  /** Instances that it has replaced, and that have warmed up. */
  replaced: number;
  isDone: boolean;
  /** When the next replacement has warmed up. */
  warm: number;
}

/**
 * Where both bounds leave no room, a refresh with an explicit maximum launches an instance more, and one without it
 * does with one less.
 */
const boundsOf = ({ MinHealthyPercentage, MaxHealthyPercentage }: RefreshRecord['preferences'], desired: number) => {
  const least = Math.ceil((desired * MinHealthyPercentage) / 100);
  const most = Math.max(desired, Math.floor((desired * (MaxHealthyPercentage ?? 100)) / 100));
  if (least < desired || most > desired) return { least, most };
  return MaxHealthyPercentage !== undefined ? { least, most: most + 1 } : { least: least - 1, most };
};

export const refreshPlan = (group: GroupRecord, refresh: RefreshRecord, now: number): RefreshPlan => {
  const desired = group.settings.DesiredCapacity;
  const { warmup } = refresh.preferences;
  const { least, most } = boundsOf(refresh.preferences, desired);
  const live = liveMembers(group);
  const old = live.filter(({ launched }) => launched < refresh.started);
  const added = live.filter(({ launched }) => launched >= refresh.started);
  const warmAt = ({ inService = Number.POSITIVE_INFINITY }: GroupMember): number => inService + warmup;
  const warm = added.filter((member) => warmAt(member) <= now);
  const healthy = old.filter(({ state, health }) => state === 'InService' && health === 'Healthy');
  const surplus = Math.max(0, healthy.length + warm.length - least);
  const unready = old.filter((member) => !healthy.includes(member));
  const ends = [...unready, ...healthy.slice(0, surplus)];
  return {
    capacity: Math.min(most, desired + old.length - ends.length),
    ends,
    replaced: Math.min(warm.length, refresh.total),
    isDone: old.length === 0 && warm.length >= desired && live.length === warm.length,
    warm: Math.min(...added.map(warmAt).filter((time) => time > now)),
  };
};
