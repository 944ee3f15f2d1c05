/** Plans the snapshots of a schedule. Pure. */
import { conditionOf, withConditions } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Condition } from '../../../machinery/api/object.ts';
import type {
  Action,
  ConditionDraft,
  Context,
  EventDraft,
  MergePatch,
  Plan,
} from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { deletionOf, ownerReference, patchAsObserved } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { EtcdSnapshot } from '../etcd-snapshot/index.ts';
import type { Observed } from './observe.ts';
import { type Schedule, scheduleAnnotations } from './schedule.ts';

/** On the Cluster: False while it has no good snapshot, or none was completed for two periods. */
export const conditionType = 'EtcdSnapshotsCurrent';

/** Seconds. */
const day = 24 * 3600;

const createdAt = ({ metadata }: EtcdSnapshot): number => Date.parse(metadata.creationTimestamp ?? '');
const isGood = ({ status }: EtcdSnapshot): boolean =>
  status?.phase === 'Succeeded' && conditionOf(status.conditions, 'Ready')?.status === 'True';

/** The name contains the due time: a repeated pass creates nothing twice. */
const snapshotFor = (cluster: Cluster, due: number): Action => {
  const { namespace = '', name } = cluster.metadata;
  const time = timestamp(due).replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 13);
  return {
    do: 'create',
    object: {
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'EtcdSnapshot',
      metadata: { namespace, name: `${name}-${time}`, ownerReferences: [ownerReference(cluster)] },
      spec: { clusterName: name, reason: 'Schedule' },
    },
  };
};

/** The complete snapshots beyond the newest `keep`, and failed ones before the newest complete one. */
const outdated = (scheduled: readonly EtcdSnapshot[], keep: number): EtcdSnapshot[] => {
  const good = scheduled.filter(isGood);
  const kept = new Set(good.slice(-keep));
  const newest = good.at(-1);
  return scheduled.filter((one) => {
    if (isDeleting(one) || kept.has(one) || !newest) return false;
    return isGood(one) || (one.status?.phase === 'Failed' && createdAt(one) < createdAt(newest));
  });
};

/** When the cluster has had no good snapshot for two periods; `since`: the first that was asked for. */
const overdueAt = (snapshots: readonly EtcdSnapshot[], schedule: Schedule, since: number): number => {
  const last = snapshots.filter(isGood).map(({ status }) => Date.parse(status?.completedAt ?? ''));
  return schedule.next(schedule.next(Math.max(since, ...last)));
};

const current = { type: conditionType, status: 'True', reason: 'Current', message: '' } as const;

const none = {
  type: conditionType,
  status: 'False',
  reason: 'NoSnapshot',
  message: 'No etcd snapshot is complete yet',
} as const;

const overdueDraft = (last: EtcdSnapshot | undefined) => {
  const why = last && conditionOf(last.status?.conditions, 'Ready')?.message;
  const message = `No etcd snapshot was completed for two periods${why ? `; ${last.metadata.name}: ${why}` : ''}`;
  return { type: conditionType, status: 'False', reason: 'NoRecentSnapshot', message } as const;
};

const warningOf = ({ reason, message }: { reason: string; message: string }): EventDraft => ({
  type: 'Warning',
  reason,
  message,
});

/** Undefined if the Cluster has it already. */
const withCondition = (cluster: Cluster, draft: ConditionDraft | undefined): MergePatch | undefined => {
  const before = cluster.status?.conditions ?? [];
  const old = conditionOf(before, conditionType);
  if (draft ? old?.status === draft.status && old.message === draft.message : !old) return undefined;
  const others = before.filter(({ type }) => type !== conditionType);
  const conditions = draft ? withConditions(before, draft as Condition) : others;
  return { status: { conditions } };
};

/** Clients read in the Cluster when its last good snapshot was completed. */
const withLastSnapshot = (
  { metadata }: Cluster,
  snapshots: readonly EtcdSnapshot[] | undefined,
): MergePatch | undefined => {
  if (!snapshots) return undefined;
  const times = snapshots.filter(isGood).flatMap(({ status }) => status?.completedAt ?? []);
  const last = times.toSorted().at(-1);
  if (metadata.annotations?.[scheduleAnnotations.last] === last) return undefined;
  return { metadata: { annotations: { [scheduleAnnotations.last]: last ?? null } } };
};

/** In one write, which the next pass sees whole. */
const report = (cluster: Cluster, ...patches: (MergePatch | undefined)[]): Action[] =>
  patches.some((patch) => patch !== undefined) ? [patchAsObserved(cluster, Object.assign({}, ...patches))] : [];

/** Seconds between two looks at a cluster that becomes Available after its creation has ended. */
const untilAvailable = 300;

export const reconcile = ({ cluster, plan, snapshots, isAwaited }: Observed, { now, config }: Context): Plan => {
  if (!plan) {
    const actions = report(cluster, withCondition(cluster, undefined), withLastSnapshot(cluster, snapshots));
    const speed = speedOf(config);
    return { ...(actions.length > 0 && { actions }), ...(isAwaited && { requeueAfter: untilAvailable / speed }) };
  }
  if (!snapshots) return {};
  const { schedule, keep } = plan;
  const scheduled = snapshots.filter(({ spec }) => spec?.reason === 'Schedule');
  const [first, last] = [scheduled[0], scheduled.at(-1)];
  const due = last ? schedule.next(createdAt(last)) : now;
  const overdue = overdueAt(snapshots, schedule, first ? createdAt(first) : now);
  const isOverdue = overdue <= now;
  const draft = isOverdue ? overdueDraft(last) : snapshots.some(isGood) ? current : none;
  const condition = withCondition(cluster, draft);
  const actions = [
    ...(due <= now ? [snapshotFor(cluster, due)] : []),
    ...outdated(scheduled, keep).map(deletionOf),
    ...report(cluster, condition, withLastSnapshot(cluster, snapshots)),
  ];
  const following = due <= now ? schedule.next(now) : due;
  const wait = Math.min(following, isOverdue ? following : overdue) - now;
  return {
    ...(actions.length > 0 && { actions }),
    ...(condition && isOverdue && { events: [warningOf(draft)] }),
    requeueAfter: Math.min(day, Math.max(1, Math.ceil(wait / 1000))),
  };
};
