import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Context, Failure, Read } from '../../../machinery/api/reconcile.ts';
import { clusterUidTag } from '../../infrastructure-aws/engine/tags.ts';
import type { Freeze, TaggedResource } from '../../ports/installation.ts';
import type { InstallationSpec, InstallationStatus } from './index.ts';
import type { MovedCluster, Observed } from './observe.ts';
import { reconcile } from './reconcile.ts';

const now = Date.UTC(2026, 0, 1, 12);
const context: Context = {
  now,
  random: { suffix: () => 'x', pick: (from) => from[0]!, token: () => 't' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'here',
  config: {},
  awaits: [],
};
const freeze: Freeze = { id: 'abcd', reason: 'ObjectsOlder', message: 'Older.' };
const long = timestamp(now - 3_600_000);
const lastTransitionTime = timestamp(now);

interface Given {
  spec?: InstallationSpec;
  status?: InstallationStatus;
  freeze?: Freeze;
  clusters?: string[];
  isTended?: boolean;
  moved?: MovedCluster[];
  regions?: Record<string, Read<TaggedResource[]>>;
  stranded?: TaggedResource[];
  annotations?: Record<string, string>;
  lastFailure?: Failure;
}
const plan = ({
  spec = {},
  status,
  freeze: frozen,
  clusters = [],
  isTended = false,
  moved = [],
  regions = {},
  stranded = [],
  annotations = {},
  lastFailure,
}: Given) => {
  const observed: Observed = {
    installation: {
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'Installation',
      metadata: { name: 'capstan', annotations },
      spec,
      ...(status && { status }),
    },
    state: { state: 'found', value: { ...(frozen && { freeze: frozen }), regions: [] } },
    known: { clusters: new Set(clusters), machines: new Set() },
    isTended,
    moved,
    regions: Object.entries(regions).map(([region, resources]) => ({ region, resources, stranded })),
  };
  return reconcile(observed, { ...context, lastFailure });
};
const holding = (...ids: string[]): Read<TaggedResource[]> => ({
  state: 'found',
  value: ids.map((id) => ({ type: 'vpc', id, tags: { [clusterUidTag]: 'gone' } })),
});
const missing = [{ uid: 'gone', since: long }];
const orphan = (id: string) => ({ type: 'vpc', id, region: 'r', clusterUid: 'gone' });

it('deletes the secrets of deleted machines without reporting their owners as missing', () => {
  const tags = { [clusterUidTag]: 'gone', 'capstan.dev/machine-uid': 'm' };
  const stranded = [{ type: 'secret', id: 'arn:of:s', tags }];
  const { actions, status, requeueAfter } = plan({ regions: { r: { state: 'found', value: stranded } }, stranded });
  const owned = { 'capstan.dev/installation': 'here', 'capstan.dev/machine-uid': 'm' };
  expect(actions).toMatchObject([
    { do: 'call', operation: 'DeleteSecret', input: { region: 'r', input: { SecretId: 'arn:of:s' }, owned } },
  ]);
  expect(status).toEqual({ id: 'here', lastTransitionTime, orphanCount: 0, regions: ['r'] });
  expect(requeueAfter).toBe(600);
  expect(plan({ freeze, regions: { r: { state: 'found', value: stranded } }, stranded }).actions).toEqual([]);
});

describe('a cluster of another installation', () => {
  const moved = { clusterUid: 'theirs', installation: 'blue', region: 'r' };
  const left: Read<TaggedResource[]> = {
    state: 'found',
    value: [{ type: 'vpc', id: 'vpc-9', tags: { [clusterUidTag]: 'theirs', 'capstan.dev/machine-uid': 'm' } }],
  };
  const theirs = { type: 'vpc', id: 'vpc-9', region: 'r', clusterUid: 'theirs', installation: 'blue' };

  it('is recorded while it is here', () =>
    expect(plan({ moved: [{ ...moved, isHere: true }] }).status).toMatchObject({ moved: [moved], orphanCount: 0 }));
  it('leaves orphans under its own tags once its objects are gone', () => {
    const { status, requeueAfter } = plan({ moved: [{ ...moved, isHere: false, resources: left }] });
    expect(status).toMatchObject({ moved: [moved], orphanCount: 1, orphans: [theirs] });
    expect(requeueAfter).toBe(600);
  });
  it('keeps the last result while the account cannot be read', () => {
    const status = { orphanCount: 1, orphans: [theirs] };
    const unreadable = { state: 'unreadable', reason: 'denied' } as const;
    expect(plan({ status, moved: [{ ...moved, isHere: false, resources: unreadable }] }).status).toMatchObject(status);
  });
  it('is forgotten when nothing of it is left', () => {
    const { status, requeueAfter } = plan({
      moved: [{ ...moved, isHere: false, resources: { state: 'found', value: [] } }],
    });
    expect(status).toEqual({ id: 'here', lastTransitionTime, orphanCount: 0 });
    expect(requeueAfter).toBeUndefined();
  });
});

describe('sweeps', () => {
  it('are idle before anything was created', () => {
    expect(plan({})).toEqual({ actions: [], events: [], status: { id: 'here', lastTransitionTime, orphanCount: 0 } });
  });
  it('are idle when nothing is left', () => {
    expect(plan({ regions: { r: holding() } }).requeueAfter).toBeUndefined();
  });
  it('stop while a Cluster has created nothing, because its deletion would not wake them', () => {
    expect(plan({ clusters: ['c'] }).requeueAfter).toBeUndefined();
  });
  it('run daily while clusters exist and none is missing, because a deletion triggers a sweep at once', () => {
    expect(plan({ clusters: ['c'], isTended: true, regions: { r: holding() } }).requeueAfter).toBe(24 * 3600);
  });
  it.each<{ rule: string; given: Given }>([
    { rule: 'something is left', given: { regions: { r: holding('vpc-1') } } },
    {
      rule: 'an abandoned Cluster has resources',
      given: { clusters: ['gone'], regions: { r: holding('vpc-1') } },
    },
    { rule: 'a region could not be read', given: { regions: { r: { state: 'unreadable', reason: 'throttled' } } } },
  ])('run every ten minutes while $rule', ({ given }) => expect(plan(given).requeueAfter).toBe(600));

  it('run for a quarter of an hour after a stale pass, whatever they find', () => {
    const at = (ago: number) => ({ annotations: { 'capstan.dev/late': timestamp(now - ago * 1000) } });
    expect(plan({ ...at(890), regions: { r: holding() } }).requeueAfter).toBe(600);
    expect(plan({ ...at(890), clusters: ['c'], isTended: true }).requeueAfter).toBe(600);
    expect(plan({ ...at(900), regions: { r: holding() } }).requeueAfter).toBeUndefined();
  });

  it('record new orphans once, with an Event', () => {
    const first = plan({ status: { id: 'here', missing }, regions: { r: holding('vpc-1') } });
    expect(first.events).toMatchObject([{ type: 'Warning', reason: 'OrphansFound' }]);
    expect(first.events?.[0]?.message).toContain('1 resource has lost its object: vpc vpc-1');
    expect(first.actions).toMatchObject([{ do: 'call', port: 'installation', operation: 'Report' }]);
    expect(first.status).toMatchObject({ orphanCount: 1, orphans: [orphan('vpc-1')] });
    const again = plan({ status: first.status as InstallationStatus, regions: { r: holding('vpc-1') } });
    expect(again).toMatchObject({ actions: [], events: [], status: first.status });
  });
  it('report when no orphans are left', () => {
    const status: InstallationStatus = { id: 'here', missing, orphanCount: 1, orphans: [orphan('vpc-1')] };
    const over = plan({ status, regions: { r: holding() } });
    expect(over.events).toMatchObject([{ type: 'Normal', reason: 'NoOrphans' }]);
    expect(over.status).toEqual({ id: 'here', lastTransitionTime, regions: ['r'], orphanCount: 0 });
  });
  it('do not report known orphans again when more of their owners disappear', () => {
    const [one] = [{ ...orphan('one'), machineUid: 'gone, too' }];
    const status = { id: 'here', missing, orphanCount: 1, orphans: [one] };
    const { actions, events, status: next } = plan({ status, regions: { r: { state: 'unreadable', reason: 'no' } } });
    expect([actions, events]).toEqual([[], []]);
    expect(next).toMatchObject({ orphans: [orphan('one')] });
  });

  it('list the first hundred orphans and count all of them', () => {
    const ids = Array.from({ length: 250 }, (_, i) => `vpc-${i}`);
    const { status, events } = plan({ status: { id: 'here', missing }, regions: { r: holding(...ids) } });
    expect((status as InstallationStatus).orphans).toHaveLength(100);
    expect(status).toMatchObject({ orphanCount: 250 });
    expect(events?.[0]?.message).toContain('and others');
  });
  it('name unreadable regions without their errors', () => {
    const status = plan({ regions: { r: { state: 'unreadable', reason: 'request 4711 failed' } } }).status;
    expect(status).toEqual({ id: 'here', lastTransitionTime, regions: ['r'], unreadable: ['r'], orphanCount: 0 });
  });
  it('record when the result last changed, and write nothing when it did not change', () => {
    const first = plan({ isTended: true, regions: { r: holding() } }).status as InstallationStatus;
    expect(first.lastTransitionTime).toBe(timestamp(now));
    const since = { ...first, lastTransitionTime: long };
    expect(plan({ isTended: true, status: since, regions: { r: holding() } }).status).toEqual(since);
    const other = plan({ isTended: true, status: since, regions: { r: holding('vpc-1') } }).status;
    expect(other).toMatchObject({ lastTransitionTime: timestamp(now), missing: [{ uid: 'gone' }] });
  });
  it('never delete resources', () => {
    for (const given of [{ status: { id: 'here', missing } }, { freeze }, { freeze, spec: { resume: 'abcd' } }])
      for (const action of plan({ ...given, regions: { r: holding('vpc-1', 'vpc-2') } }).actions ?? [])
        expect(action).toMatchObject({ do: 'call', port: 'installation' });
  });
});

describe('a freeze', () => {
  it('is reported once, with the way to lift it', () => {
    const first = plan({ freeze });
    expect(first.status).toMatchObject({ frozen: { ...freeze, since: timestamp(now) } });
    expect(first.events).toMatchObject([{ type: 'Warning', reason: 'Frozen' }]);
    expect(first.events?.[0]?.message).toContain('{"spec":{"resume":"abcd"}}');
    expect(plan({ freeze, status: first.status as InstallationStatus }).events).toEqual([]);
  });
  it('keeps its first timestamp; another freeze gets its own', () => {
    const status: InstallationStatus = { id: 'here', frozen: { ...freeze, since: long } };
    expect(plan({ freeze, status }).status).toMatchObject({ frozen: { since: long } });
    expect(plan({ freeze: { ...freeze, id: 'other' }, status }).status).toMatchObject({
      frozen: { since: timestamp(now) },
    });
  });
  it('is lifted when a user names its ID', () => {
    expect(plan({ freeze, spec: { resume: 'abcd' } })).toEqual({
      actions: [{ do: 'call', port: 'installation', operation: 'Thaw', input: { id: 'abcd' } }],
      again: true,
    });
  });
  it('is not lifted by another ID', () => {
    expect(plan({ freeze, spec: { resume: 'another' } }).actions).toEqual([]);
  });
  it('disappears from the status when it ends', () => {
    const over = plan({ spec: { resume: 'abcd' }, status: { id: 'here', frozen: { ...freeze, since: long } } });
    expect(over.status).toEqual({ id: 'here', lastTransitionTime, orphanCount: 0 });
    expect(over.events).toMatchObject([{ type: 'Normal', reason: 'Thawed' }]);
  });
});

describe('copies of disks that are kept', () => {
  const at = (days: number) => timestamp(now + days * 24 * 3_600_000);
  const copy = (id: string, until: string, more: Partial<TaggedResource> = {}): TaggedResource => ({
    type: 'snapshot',
    id,
    tags: { [clusterUidTag]: 'gone', 'capstan.dev/kept-until': until },
    ...more,
  });
  const of = (...value: TaggedResource[]): Given => ({ regions: { r: { state: 'found', value } } });

  it('are named with their end, and are no orphans', () => {
    const { status, actions, requeueAfter } = plan(of(copy('snap-1', at(1))));
    expect(status).toMatchObject({
      orphanCount: 0,
      kept: [{ type: 'snapshot', id: 'snap-1', region: 'r', clusterUid: 'gone', until: at(1) }],
    });
    expect(status).not.toHaveProperty('missing');
    expect([actions, requeueAfter]).toEqual([[], 24 * 3600]);
  });

  it('are deleted afterwards, by the tag that says so', () => {
    const { actions } = plan(of(copy('snap-1', at(-1)), copy('snap-2', at(1))));
    expect(actions).toEqual([
      expect.objectContaining({
        operation: 'DeleteSnapshot',
        optional: true,
        input: {
          region: 'r',
          input: { SnapshotId: 'snap-1' },
          owned: { 'capstan.dev/installation': 'here', 'capstan.dev/kept-until': at(-1) },
        },
      }),
    ]);
  });

  it('that AWS refuses to delete are reported', () => {
    const lastFailure: Failure = {
      port: 'cloud',
      operation: 'DeleteSnapshot',
      code: 'SnapshotLocked',
      message: 'snap-1 is locked',
      at: now,
    };
    expect(plan({ ...of(copy('snap-1', at(-1))), lastFailure }).events).toMatchObject([
      { type: 'Warning', reason: 'NotDeleted', message: expect.stringContaining('SnapshotLocked: snap-1 is locked') },
    ]);
    expect(plan({ ...of(copy('snap-1', at(-1))), lastFailure: { ...lastFailure, at: now - 1 } }).events).toEqual([]);
  });

  it('say which disk of which cluster they are of, and since when', () => {
    const more = {
      'sigs.k8s.io/cluster-api-provider-aws/cluster/c': 'owned',
      'capstan.dev/copy-of': '/dev/sda1 of EC2 instance i-1',
      'capstan.dev/kept-since': at(-1),
    };
    const { tags } = copy('snap-1', at(1));
    expect(plan(of(copy('snap-1', at(1), { tags: { ...tags, ...more } }))).status?.kept).toMatchObject([
      { cluster: 'c', of: '/dev/sda1 of EC2 instance i-1', since: at(-1), until: at(1) },
    ]);
  });

  it('whose tag is no time say so, and stay', () => {
    const { status, actions } = plan(of(copy('snap-1', 'soon')));
    expect(status?.kept).toEqual([
      {
        type: 'snapshot',
        id: 'snap-1',
        region: 'r',
        clusterUid: 'gone',
        fault: 'its tag capstan.dev/kept-until is no time, such as 2027-06-30T00:00:00Z: "soon"',
      },
    ]);
    expect([actions, status?.missing]).toEqual([[], undefined]);
  });

  it('of another type are none, and stay', () => {
    const { status, actions } = plan(of(copy('vpc-1', at(-1), { type: 'vpc' })));
    expect(status).not.toHaveProperty('kept');
    expect([actions, status?.missing]).toEqual([[], [expect.objectContaining({ uid: 'gone' })]]);
  });

  it('stay while the installation is frozen', () =>
    expect(plan({ freeze, ...of(copy('snap-1', at(-1))) }).actions).toEqual([]));
});
