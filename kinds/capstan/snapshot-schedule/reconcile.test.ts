import { describe, expect, it } from 'vitest';
import type { Action, Context } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { EtcdSnapshot } from '../etcd-snapshot/index.ts';
import { conditionType, reconcile } from './reconcile.ts';
import { parseSchedule, scheduleFault } from './schedule.ts';

const hour = 3600_000;
const start = Date.parse('2026-11-27T00:00:00Z');
const iso = (time: number) => new Date(time).toISOString().replace('.000', '');

const clusterOf = (conditions: object[] = []): Cluster =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { namespace: 'default', name: 'demo', uid: 'uid' },
    status: { conditions },
  }) as unknown as Cluster;

const snapshotOf = (
  hours: number,
  phase: 'Succeeded' | 'Failed' | 'Running' = 'Succeeded',
  reason: 'Schedule' | 'Manual' = 'Schedule',
): EtcdSnapshot => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'EtcdSnapshot',
  metadata: {
    namespace: 'default',
    name: `${reason}-${hours}`,
    uid: `${hours}`,
    creationTimestamp: iso(start + hours * hour),
  },
  spec: { clusterName: 'demo', reason },
  status: {
    phase,
    ...(phase === 'Succeeded' && { completedAt: iso(start + hours * hour) }),
    conditions: [
      {
        type: 'Ready',
        status: phase === 'Succeeded' ? 'True' : 'False',
        reason: 'X',
        message: 'etcd does not answer',
        lastTransitionTime: '',
      },
    ],
  },
});

/** The Cluster names its last good snapshot already. */
const noting = (cluster: Cluster, snapshots: EtcdSnapshot[]): Cluster => {
  const last = snapshots
    .flatMap(({ status }) => (status?.phase === 'Succeeded' ? (status.completedAt ?? []) : []))
    .toSorted()
    .at(-1);
  return last
    ? { ...cluster, metadata: { ...cluster.metadata, annotations: { 'capstan.dev/last-snapshot': last } } }
    : cluster;
};

const planAt = (hours: number, snapshots: EtcdSnapshot[], { keep = 2, conditions = [] as object[] } = {}) =>
  reconcile(
    { cluster: noting(clusterOf(conditions), snapshots), plan: { schedule: parseSchedule('6h')!, keep }, snapshots },
    {
      now: start + hours * hour,
      config: {},
    } as unknown as Context,
  );
const doing = (actions: Action[] = []) =>
  actions.map((action) => {
    switch (action.do) {
      case 'create':
        return `create ${action.object.metadata.name}`;
      case 'delete':
        return `delete ${action.name}`;
      case 'patch':
        return `patch ${(action.patch as { status: { conditions: { status: string }[] } }).status.conditions.map(({ status }) => status)}`;
      default:
        return action.do;
    }
  });
const current = { type: conditionType, status: 'True', reason: 'Current', message: '' };

describe('the schedule of a cluster', () => {
  it.each([
    {
      rule: 'takes the first snapshot at once',
      hours: 1,
      have: [],
      does: ['create demo-20261127-0100', 'patch False'],
      after: 6 * 3600,
    },
    { rule: 'waits for the next due time', hours: 2, have: [snapshotOf(1)], does: [], after: 5 * 3600 },
    {
      rule: 'names a snapshot by its due time',
      hours: 7.5,
      have: [snapshotOf(1)],
      does: ['create demo-20261127-0700'],
      after: 5.5 * 3600,
    },
    { rule: 'takes one after many missed ones', hours: 13, have: [snapshotOf(7)], does: ['create demo-20261127-1300'] },
    {
      rule: 'keeps the newest complete snapshots, and all that it did not take',
      hours: 20,
      have: [snapshotOf(0, 'Succeeded', 'Manual'), snapshotOf(1), snapshotOf(7), snapshotOf(13), snapshotOf(19)],
      does: ['delete Schedule-1', 'delete Schedule-7'],
    },
    {
      rule: 'deletes failed snapshots once a newer one is complete',
      hours: 14,
      have: [snapshotOf(1, 'Failed'), snapshotOf(7), snapshotOf(13, 'Failed')],
      does: ['delete Schedule-1'],
    },
    {
      rule: 'never deletes the last complete snapshot',
      hours: 14,
      have: [snapshotOf(1), snapshotOf(7, 'Failed'), snapshotOf(13, 'Failed')],
      does: ['patch False'],
      keep: 1,
    },
  ])('$rule', ({ hours, have, does, after, keep }) => {
    const conditions = have.length > 0 ? [current] : [];
    const { actions, requeueAfter } = planAt(hours, have, { conditions, ...(keep && { keep }) });
    expect(doing(actions)).toEqual(does);
    if (after !== undefined) expect(requeueAfter).toBe(after);
  });

  it('reports two periods without a complete snapshot, and why', () => {
    const { events } = planAt(14, [snapshotOf(1, 'Failed'), snapshotOf(13, 'Failed')], { conditions: [current] });
    expect(events).toMatchObject([{ reason: 'NoRecentSnapshot', message: /two periods; Schedule-13: etcd does not/ }]);
  });

  it('counts a manual snapshot as recent', () => {
    const have = [snapshotOf(1, 'Failed'), snapshotOf(12, 'Succeeded', 'Manual'), snapshotOf(13, 'Failed')];
    expect(doing(planAt(14, have, { conditions: [current] }).actions)).toEqual([]);
  });

  it('says that there is no snapshot until the first is complete', () => {
    const has = (have: EtcdSnapshot[]) => {
      const [patch] = planAt(1.1, have).actions ?? [];
      return patch?.do === 'patch' ? patch.patch : undefined;
    };
    const draft = { type: conditionType, status: 'False', reason: 'NoSnapshot' };
    expect(has([snapshotOf(1, 'Running')])).toMatchObject({ status: { conditions: [draft] } });
    expect(has([snapshotOf(1)])).toMatchObject({ status: { conditions: [{ status: 'True' }] } });
  });

  it('of the installation looks whether a new cluster has become Available', () => {
    const context = { now: start, config: { speed: 60 } } as unknown as Context;
    expect(reconcile({ cluster: clusterOf(), snapshots: [], isAwaited: true }, context)).toEqual({ requeueAfter: 5 });
  });

  it('removes its condition with the annotation', () => {
    const plan = reconcile({ cluster: clusterOf([current]), snapshots: [] }, {
      now: start,
      config: {},
    } as unknown as Context);
    expect(doing(plan.actions)).toEqual(['patch ']);
    expect(
      reconcile({ cluster: clusterOf(), snapshots: [] }, { now: start, config: {} } as unknown as Context),
    ).toEqual({});
  });
});

describe('a schedule', () => {
  it.each([
    { text: '6h', next: '2026-11-27T06:00:00Z' },
    { text: '0 */6 * * *', next: '2026-11-27T06:00:00Z' },
    { text: '30 2 * * 0', next: '2026-11-29T02:30:00Z' },
  ])('$text is due next at $next', ({ text, next }) => {
    expect(scheduleFault(text)).toBeUndefined();
    expect(iso(parseSchedule(text)!.next(start))).toBe(next);
  });

  it.each([
    '',
    '6',
    '5m',
    '14m59s',
    '-6h',
    '800h',
    'daily',
    '@daily',
    '* * * *',
    '0 0 0 * * *',
  ])('%j is refused', (text) => expect(scheduleFault(text)).toMatch(/must be a duration from 15m to 744h/));

  it.each([
    { text: '0 0 31 2 *', says: 'the cron fields "0 0 31 2 *" name no day that ever comes' },
    { text: '61 * * * *', says: 'cron fields must be a minute 0-59' },
  ])('$text is refused', ({ text, says }) => expect(scheduleFault(text)).toContain(says));

  it.each(['* * * * *', '0,5 3 * * *'])('%j is refused, because its snapshots are too close', (text) =>
    expect(scheduleFault(text)).toMatch(/at least 15m/));
});

describe('the last good snapshot', () => {
  const last = 'capstan.dev/last-snapshot';
  const noted = (time?: string) => {
    const cluster = clusterOf();
    return { ...cluster, metadata: { ...cluster.metadata, annotations: { ...(time && { [last]: time }) } } };
  };
  const notesOf = (cluster: Cluster, snapshots: EtcdSnapshot[] | undefined) => {
    const { actions = [] } = reconcile({ cluster, snapshots }, { now: start, config: {} } as unknown as Context);
    return actions.map((action) => action.do === 'patch' && action.patch.metadata?.annotations?.[last]);
  };
  it.each([
    {
      rule: 'is noted',
      snapshots: [snapshotOf(1, 'Succeeded', 'Manual'), snapshotOf(2, 'Failed')],
      notes: [iso(start + hour)],
    },
    { rule: 'is noted once', before: iso(start + hour), snapshots: [snapshotOf(1)], notes: [] },
    { rule: 'is no more after its deletion', before: iso(start + hour), snapshots: [], notes: [null] },
    { rule: 'stays while snapshots are unread', before: iso(start + hour), snapshots: undefined, notes: [] },
  ])('$rule', ({ before, snapshots, notes }) => expect(notesOf(noted(before), snapshots)).toEqual(notes));
});
