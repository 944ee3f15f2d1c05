import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Failure, Plan } from '../../../machinery/api/reconcile.ts';
import type { Secret } from '../../core/contract/cluster-secrets.ts';
import type { DeletedSnapshot, SnapshotCheck } from '../../ports/snapshots.ts';
import type { Observed } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { EtcdSnapshot, EtcdSnapshotSpec, EtcdSnapshotStatus } from './schema.ts';
import { candidates, type Source } from './source.ts';

const created = Date.parse('2026-11-27T05:00:00Z');
const at = (seconds: number) => created + seconds * 1000;

const cluster: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { namespace: 'default', name: 'demo', uid: 'cluster-uid' },
};
const snapshotOf = (
  status: EtcdSnapshotStatus = {},
  { spec, metadata }: { spec?: Partial<EtcdSnapshotSpec>; metadata?: Partial<KubeObject['metadata']> } = {},
): EtcdSnapshot => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'EtcdSnapshot',
  metadata: {
    namespace: 'default',
    name: 'before',
    uid: '12345678-9abc',
    creationTimestamp: '2026-11-27T05:00:00Z',
    ownerReferences: [
      { apiVersion: cluster.apiVersion, kind: 'Cluster', name: 'demo', uid: cluster.metadata.uid ?? '' },
    ],
    ...metadata,
  },
  spec: { clusterName: 'demo', reason: 'Manual', activeDeadlineSeconds: 3600, ...spec },
  status,
});

const location = 'installation/cluster-uid/20261127T050010Z-40-12345678.db';
const running: EtcdSnapshotStatus = {
  phase: 'Running',
  startedAt: '2026-11-27T05:00:10Z',
  member: 'node-b',
  location,
  revision: 40,
};
const complete: EtcdSnapshotStatus = { ...running, phase: 'Succeeded', completedAt: '2026-11-27T05:01:00Z' };
const source: Source = {
  access: { kubeconfig: 'k', caCertificate: 'c', clientCertificate: 'd', clientKey: 'e', nodes: ['node-b'] },
  node: 'node-b',
  member: { id: '1', version: '3.6.6', revision: 40, dbSize: 4096 },
  alarms: [],
  kubernetesVersion: 'v1.35.0',
};
const good: SnapshotCheck = {
  stored: { size: 99, checksum: 'sha256:ab', member: 'node-b', etcdVersion: '3.6.6' },
  revision: 44,
  keys: 9,
};
const failure: Failure = { port: 'snapshots', operation: 'Take', code: 'Timeout', message: 'too slow', at: at(20) };

const planOf = (observed: Partial<Observed>, context: Partial<Context> = {}): Plan<EtcdSnapshotStatus> =>
  reconcile({ snapshot: snapshotOf(), cluster: { state: 'found', value: cluster }, ...observed }, {
    now: at(10),
    random: { suffix: () => 'x', pick: ([first]) => first!, token: () => 't' },
    lastFailure: undefined,
    attempts: 0,
    installation: 'installation',
    config: {},
    awaits: [],
    ...context,
  } as Context);
const doing = ({ actions = [] }: Plan<EtcdSnapshotStatus>) =>
  actions.map((action: Action) => (action.do === 'call' ? action.operation : action.do));
const readyOf = ({ status }: Plan<EtcdSnapshotStatus>) => {
  const { status: is, reason } = status?.conditions?.find(({ type }) => type === 'Ready') ?? {};
  return `${status?.phase} ${is} ${reason}`;
};
const found = <T>(value: T) => ({ state: 'found', value }) as const;

describe('an EtcdSnapshot that brings a deleted one back', () => {
  const from = 'installation/old-uid/20261101T000000Z-40-0000.db';
  const manifest = {
    cluster: { namespace: 'default', name: 'demo', uid: 'old-uid' },
    snapshot: { name: 'nightly', uid: 'old' },
    startedAt: '2026-11-01T00:00:00Z',
    member: 'node-b',
    etcdVersion: '3.6.6',
    kubernetesVersion: 'v1.35.0',
    revision: 40,
    size: 99,
    checksum: 'sha256:ab',
  };
  const kept: DeletedSnapshot = { location: from, manifest, deletedAt: at(-60), keptUntil: at(1000) };
  const spec = { recover: { location: from } };
  const place = 'installation/old-uid/20261127T050010Z-40-12345678.db';
  const begun = snapshotOf({ ...running, startedAt: manifest.startedAt, location: place }, { spec });
  const absent = { state: 'absent' } as const;

  it('names a file of its own, and the time of then, also when its Cluster is gone', () => {
    const plan = planOf({ snapshot: snapshotOf({}, { spec }), cluster: absent, deleted: found(kept) });
    expect(doing(plan)).toEqual([]);
    expect(plan).toMatchObject({
      again: true,
      status: { phase: 'Running', location: place, startedAt: manifest.startedAt, revision: 40, member: 'node-b' },
    });
  });

  it('writes it with the name that it has now', () => {
    const { actions } = planOf({ snapshot: begun, cluster: absent, check: absent, deleted: found(kept) });
    expect(actions).toMatchObject([
      {
        operation: 'Recover',
        input: {
          from,
          location: place,
          manifest: { ...manifest, snapshot: { name: 'before', uid: '12345678-9abc' } },
        },
      },
    ]);
  });

  it.each<{ rule: string; observed: Partial<Observed>; context?: Partial<Context>; ready: string; does?: string[] }>([
    { rule: 'nothing is kept', observed: { deleted: absent }, ready: 'Failed False NothingKept' },
    {
      rule: 'it was of another namespace',
      observed: {
        deleted: found({ ...kept, manifest: { ...manifest, cluster: { ...manifest.cluster, namespace: 'other' } } }),
      },
      ready: 'Failed False NothingKept',
    },
    {
      rule: 'it was of another Cluster than it says',
      observed: {
        deleted: found({ ...kept, manifest: { ...manifest, cluster: { ...manifest.cluster, name: 'other' } } }),
      },
      ready: 'Failed False NothingKept',
    },
    {
      rule: 'it is gone while it is written',
      observed: { snapshot: begun, check: absent, deleted: found(kept) },
      context: { lastFailure: { ...failure, operation: 'Recover', code: 'NotFound' } },
      ready: 'Failed False NothingKept',
      does: ['Delete'],
    },
    {
      rule: 'it is damaged',
      observed: { snapshot: begun, check: found({ ...good, fault: 'the file has 3 bytes, not 99' }) },
      ready: 'Failed False Damaged',
      does: ['Delete'],
    },
    {
      rule: 'it does not decrypt',
      observed: { snapshot: begun, check: absent, deleted: found(kept) },
      context: { attempts: 1, lastFailure: { ...failure, operation: 'Recover', code: 'Damaged' } },
      ready: 'Failed False Damaged',
      does: ['Delete'],
    },
    {
      rule: 'its manifest does not decrypt',
      observed: { deleted: found({ location: from, fault: 'it was changed' }) },
      ready: 'Failed False Damaged',
    },
    {
      rule: 'the storage failed once',
      observed: { snapshot: begun, check: absent, deleted: found(kept) },
      context: { attempts: 1, lastFailure: { ...failure, operation: 'Recover' } },
      ready: 'Running False TakeFailed',
      does: ['Recover'],
    },
    {
      rule: 'the storage does not answer',
      observed: { deleted: { state: 'unreadable', reason: 'AccessDenied' } },
      ready: 'Pending False StorageUnreadable',
    },
  ])('when $rule: $ready', ({ observed, context, ready, does = [] }) => {
    const plan = planOf({ snapshot: snapshotOf({}, { spec }), cluster: absent, ...observed }, context);
    expect([readyOf(plan), doing(plan)]).toEqual([ready, does]);
  });

  const conditions = [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Complete',
      message: '',
      lastTransitionTime: '2026-11-27T05:00:00Z',
    } as const,
  ];
  const present = (startedAt: string) =>
    snapshotOf({ ...complete, startedAt, conditions }, { metadata: { name: 'present' } });
  const other = { ...kept, location: 'installation/old-uid/other.db' };
  const list = (...snapshots: DeletedSnapshot[]) => found({ snapshots, omitted: 0 });
  it.each<{ rule: string; alternatives: Observed['alternatives']; isGone?: boolean; says: RegExp }>([
    { rule: 'none', alternatives: { present: found([]), deleted: list(kept) }, says: /damaged: too slow$/ },
    {
      rule: 'the one that is there',
      alternatives: { present: found([present('2026-11-01T06:00:00Z')]), deleted: list(kept) },
      says: /EtcdSnapshot present of 2026-11-01T06:00:00Z, run: capstan snapshot restore present -n default$/,
    },
    {
      rule: 'the one that is there, for a new cluster',
      alternatives: { present: found([present('2026-11-01T06:00:00Z')]), deleted: list() },
      isGone: true,
      says: /restore present --into NEW -f FILE -n default$/,
    },
    {
      rule: 'the deleted one that is nearer in time',
      alternatives: { present: found([present('2026-11-05T06:00:00Z')]), deleted: list(kept, other) },
      says: /deleted snapshot nightly of 2026-11-01T00:00:00Z, run: capstan snapshot recover nightly --location installation\/old-uid\/other.db -n default$/,
    },
    {
      rule: 'none that is damaged, too',
      alternatives: { present: found([snapshotOf(complete)]), deleted: { state: 'unreadable', reason: 'x' } },
      says: /damaged: too slow$/,
    },
  ])('names as the next best $rule', ({ alternatives, isGone, says }) => {
    const damaged = { ...failure, operation: 'Recover', code: 'Damaged' };
    const observed = { snapshot: begun, check: absent, deleted: found(kept), ...(alternatives && { alternatives }) };
    const plan = planOf({ ...observed, ...(isGone && { cluster: absent }) }, { attempts: 1, lastFailure: damaged });
    expect(readyOf(plan)).toBe('Failed False Damaged');
    expect(plan.status?.conditions?.[0]?.message).toMatch(says);
  });

  it.each([
    { rule: 'is owned by its Cluster', uid: 'old-uid', owned: true },
    { rule: 'is not owned by a later Cluster of that name', uid: 'new-uid', owned: false },
  ])('once whole, has the time of then, and $rule', ({ uid, owned }) => {
    const own = { ...cluster, metadata: { ...cluster.metadata, uid } };
    const snapshot = { ...begun, metadata: { ...begun.metadata, ownerReferences: [] } };
    const plan = planOf({ snapshot, cluster: found(own), check: found(good) });
    expect(plan.status).toMatchObject({ phase: 'Succeeded', completedAt: manifest.startedAt });
    expect(plan.intent !== undefined).toBe(owned);
  });
});

describe('the Secrets that a restore needs', () => {
  const secrets = [{ name: 'demo-ca', data: { 'tls.key': 'eA==' } }];
  it('are stored beside the file, and their names in its manifest', () => {
    const { actions } = planOf({ snapshot: snapshotOf(running), source, check: { state: 'absent' }, secrets });
    expect(actions).toMatchObject([{ operation: 'Take', input: { secrets, manifest: { secrets: ['demo-ca'] } } }]);
  });

  it('are named once the file is complete', () => {
    const check = found({ ...good, stored: { ...good.stored, secrets: ['demo-ca'] } });
    const { status } = planOf({ snapshot: snapshotOf(running), check });
    expect(status).toMatchObject({ phase: 'Succeeded', keys: { kept: ['demo-ca'] } });
    expect(status).not.toHaveProperty('secrets');
  });
});

describe('an EtcdSnapshot', () => {
  it('names its file before the file is written', () => {
    const plan = planOf({ source });
    expect(doing(plan)).toEqual([]);
    expect(plan.again).toBe(true);
    expect(plan.status).toMatchObject({ ...running, etcdVersion: '3.6.6', kubernetesVersion: 'v1.35.0' });
  });

  it('is read from the chosen member into the file that it names', () => {
    const { actions, again } = planOf({ snapshot: snapshotOf(running), source, check: { state: 'absent' } });
    expect(again).toBe(true);
    expect(actions).toMatchObject([
      {
        operation: 'Take',
        input: {
          nodes: ['node-b'],
          location,
          manifest: { cluster: { uid: 'cluster-uid' }, snapshot: { name: 'before' }, member: 'node-b', revision: 40 },
        },
      },
    ]);
  });

  it.each<{ rule: string; observed: Partial<Observed>; context?: Partial<Context>; ready: string; does: string[] }>([
    {
      rule: 'waits for its Cluster',
      observed: { cluster: { state: 'absent' } },
      ready: 'Pending False ClusterNotFound',
      does: [],
    },
    {
      rule: 'waits for a cluster that does not answer',
      observed: { source: { reason: 'ClusterUnreachable', message: 'no answer' } },
      ready: 'Pending False ClusterUnreachable',
      does: [],
    },
    {
      rule: 'reports a failed attempt and retries it',
      observed: { snapshot: snapshotOf(running), source, check: { state: 'absent' } },
      context: { lastFailure: failure, attempts: 1 },
      ready: 'Running False TakeFailed',
      does: ['Take'],
    },
    {
      rule: 'waits for storage that does not answer',
      observed: { snapshot: snapshotOf(running), check: { state: 'unreadable', reason: 'denied' } },
      ready: 'Running False StorageUnreadable',
      does: [],
    },
    {
      rule: 'deletes a damaged file, to take it again',
      observed: { snapshot: snapshotOf(running), check: found({ ...good, fault: 'torn' }) },
      ready: 'Running False Damaged',
      does: ['Delete'],
    },
    {
      rule: 'succeeds when the stored file was read back',
      observed: { snapshot: snapshotOf(running), check: found(good) },
      ready: 'Succeeded True Complete',
      does: [],
    },
    {
      rule: 'succeeds after its deadline if the file is there',
      observed: { snapshot: snapshotOf(running), check: found(good) },
      context: { now: at(4000) },
      ready: 'Succeeded True Complete',
      does: [],
    },
    {
      rule: 'fails at its deadline, without a file',
      observed: { snapshot: snapshotOf(running), source, check: { state: 'absent' } },
      context: { now: at(3600) },
      ready: 'Failed False DeadlineExceeded',
      does: ['Delete'],
    },
    {
      rule: 'fails at its deadline without its Cluster',
      observed: { cluster: { state: 'absent' } },
      context: { now: at(3600) },
      ready: 'Failed False ClusterNotFound',
      does: [],
    },
    {
      rule: 'fails when its Cluster is deleted',
      observed: {
        cluster: {
          state: 'found',
          value: { ...cluster, metadata: { ...cluster.metadata, deletionTimestamp: '2026-11-27T05:00:01Z' } },
        },
      },
      ready: 'Failed False ClusterDeleting',
      does: [],
    },
  ])('$rule', ({ observed, context, ready, does }) => {
    const plan = planOf(observed, context);
    expect(readyOf(plan)).toBe(ready);
    expect(doing(plan)).toEqual(does);
  });

  it('records what is in the file', () =>
    expect(planOf({ snapshot: snapshotOf(running), check: found(good) }).status).toMatchObject({
      completedAt: '2026-11-27T05:00:10Z',
      size: 99,
      checksum: 'sha256:ab',
      // The manifest beside the file has this one, too, so every list shows the same.
      revision: 40,
      verification: { valid: true, revision: 44, keys: 9 },
    }));

  it('says that etcd has an alarm', () =>
    expect(planOf({ source: { ...source, alarms: ['NOSPACE'] } }).events).toMatchObject([{ reason: 'EtcdAlarm' }]));

  it.each([
    { attempts: 1, after: 15 },
    { attempts: 3, after: 60 },
    { attempts: 9, after: 300 },
  ])('retries after failure $attempts in $after seconds', ({ attempts, after }) =>
    expect(
      planOf({ snapshot: snapshotOf(running), source, check: { state: 'absent' } }, { lastFailure: failure, attempts })
        .requeueAfter,
    ).toBe(after));

  it('never retries past its deadline', () =>
    expect(
      planOf(
        { snapshot: snapshotOf(running), source, check: { state: 'absent' } },
        { lastFailure: failure, attempts: 9, now: at(3590) },
      ).requeueAfter,
    ).toBe(10));

  it('is owned by its Cluster', () =>
    expect(planOf({ snapshot: snapshotOf({}, { metadata: { ownerReferences: [] } }), source }).intent).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Cluster', uid: 'cluster-uid' }] },
    }));
});

describe('a complete EtcdSnapshot', () => {
  const expiring = snapshotOf(complete, { spec: { ttlSecondsAfterFinished: 600 } });

  it('stays without a retention', () => expect(planOf({ snapshot: snapshotOf(complete) })).toEqual({}));

  it('is requeued for the end of its retention', () =>
    expect(planOf({ snapshot: expiring }, { now: at(120) })).toEqual({ requeueAfter: 540 }));

  it('is deleted at the end of its retention', () =>
    expect(doing(planOf({ snapshot: expiring }, { now: at(660) }))).toEqual(['delete']));

  it('deletes its file first, also without its Cluster', () => {
    const snapshot = snapshotOf(complete, { metadata: { deletionTimestamp: '2026-11-27T06:00:00Z' } });
    const plan = planOf({ snapshot, cluster: { state: 'absent' } });
    expect(doing(plan)).toEqual(['Delete']);
    expect(plan.finished).toBe(true);
  });

  const going = { metadata: { deletionTimestamp: '2026-11-27T06:00:00Z' } };
  const refused: Failure = {
    port: 'snapshots',
    operation: 'Delete',
    code: 'AccessDenied',
    message: 'the bucket b refused s3:DeleteObject: it is locked',
    at: at(3600),
  };
  const deletingOf = ({ status }: Plan<EtcdSnapshotStatus>) =>
    status?.conditions?.find(({ type }) => type === 'Deleting');

  it('says what the storage refuses, and tries again', () => {
    const plan = planOf({ snapshot: snapshotOf(complete, going) }, { lastFailure: refused, attempts: 3 });
    expect(doing(plan)).toEqual(['Delete']);
    expect(deletingOf(plan)).toMatchObject({
      status: 'True',
      reason: 'NotDeleted',
      message: expect.stringMatching(
        /^The file \S+ is not deleted: the bucket b refused .*; Capstan tries again after/,
      ),
    });
    expect(plan.events).toMatchObject([{ type: 'Warning', reason: 'NotDeleted', message: deletingOf(plan)?.message }]);
  });

  it('says nothing of what failed before its deletion', () => {
    const plan = planOf({ snapshot: snapshotOf(complete, going) }, { lastFailure: failure, attempts: 3 });
    expect(plan).toEqual({ actions: [expect.objectContaining({ operation: 'Delete' })], finished: true });
  });

  it('says that a damaged file is not deleted', () => {
    const damagedFile = { snapshot: snapshotOf(running), check: found({ ...good, fault: 'torn' }) };
    const { status } = planOf(damagedFile, { lastFailure: refused, attempts: 1 });
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.message).toMatch(
      /^torn; it is not deleted: the bucket b refused s3:DeleteObject: it is locked; Capstan tries again/,
    );
  });

  it('keeps its file while a restore needs it', () => {
    const snapshot = snapshotOf(complete, going);
    const restoredFrom = (file: string, metadata: object = {}) => {
      const restore = { operation: 'demo-restore-1', step: 'First', location: file, checksum: '', hosts: [] };
      const targets = JSON.stringify({ 'KubeadmControlPlane/demo': { target: 'Restore', restore } });
      const annotations = { 'capstan.dev/object-targets': targets };
      return found({ ...cluster, metadata: { ...cluster.metadata, annotations, ...metadata } });
    };
    const kept = planOf({ snapshot, cluster: restoredFrom(location) });
    expect(kept).toMatchObject({ requeueAfter: 60 });
    expect(kept.actions).toBeUndefined();
    expect(deletingOf(kept)).toMatchObject({ status: 'True', reason: 'InUse' });
    expect(doing(planOf({ snapshot, cluster: restoredFrom('another') }))).toEqual(['Delete']);
    const leaving = restoredFrom(location, { deletionTimestamp: '2026-11-27T06:00:00Z' });
    expect(doing(planOf({ snapshot, cluster: leaving }))).toEqual(['Delete']);
  });

  const asked = snapshotOf(
    { ...complete, checksum: 'sha256:ab' },
    { metadata: { annotations: { 'capstan.dev/verify': 'now' } } },
  );

  it.each<{ rule: string; check: NonNullable<Observed['check']>; valid: boolean; ready: string }>([
    { rule: 'answers a check', check: found(good), valid: true, ready: 'Succeeded True Complete' },
    {
      rule: 'is not Ready with a damaged file',
      check: found({ ...good, fault: 'torn' }),
      valid: false,
      ready: 'Succeeded False Damaged',
    },
    {
      rule: 'is not Ready with another file than the one that was taken',
      check: found({ ...good, stored: { ...good.stored, checksum: 'sha256:other' } }),
      valid: false,
      ready: 'Succeeded False Damaged',
    },
    {
      rule: 'is not Ready without its file',
      check: { state: 'absent' },
      valid: false,
      ready: 'Succeeded False Damaged',
    },
  ])('$rule', ({ check, valid, ready }) => {
    const plan = planOf({ snapshot: asked, check });
    expect(plan.status?.verification).toMatchObject({ request: 'now', valid });
    expect(readyOf(plan)).toBe(ready);
    expect(doing(plan)).toEqual([]);
  });
});

it('says that its storage cannot be read for a check, and keeps what was proven', () => {
  const proven = [{ type: 'Ready', status: 'True', reason: 'Complete', message: '', lastTransitionTime: '' }] as const;
  const snapshot = snapshotOf(
    { ...complete, conditions: [...proven] },
    { metadata: { annotations: { 'capstan.dev/verify': 'now' } } },
  );
  const plan = planOf({ snapshot, check: { state: 'unreadable', reason: 'denied' } });
  expect(readyOf(plan)).toBe('Succeeded True StorageUnreadable');
  expect(plan.status?.conditions?.[0]?.message).toBe('The storage of snapshots cannot be read: denied');
  expect(plan.status?.verification).toBeUndefined();
  expect(plan.requeueAfter).toBe(60);
});

describe('a download of an EtcdSnapshot', () => {
  const request = { 'capstan.dev/download': 'now' };
  const expires = '2026-11-27T05:16:00Z';
  const offered = (status: EtcdSnapshotStatus['download']) =>
    snapshotOf(
      { ...complete, checksum: 'sha256:ab', size: 99, download: status! },
      { metadata: { annotations: request } },
    );
  const secret = (uid = '12345678-9abc'): Secret => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: 'default',
      name: 'before-download',
      uid: 'secret',
      ownerReferences: [{ apiVersion: 'capstan.dev/v1alpha1', kind: 'EtcdSnapshot', name: 'before', uid }],
    },
  });
  const link = found({ url: '/link' });

  it('is a Secret with a link, which only readers of Secrets see', () => {
    const snapshot = snapshotOf(
      { ...complete, checksum: 'sha256:ab', size: 99 },
      { metadata: { annotations: request } },
    );
    const plan = planOf({ snapshot, offer: { secret: { state: 'absent' }, link } }, { now: at(60) });
    expect(plan.actions).toMatchObject([
      {
        do: 'create',
        object: {
          kind: 'Secret',
          metadata: { name: 'before-download' },
          data: { url: Buffer.from('/link').toString('base64') },
        },
      },
    ]);
    expect(plan).toMatchObject({ status: { download: { request: 'now', expires } }, requeueAfter: 900 });
    expect(JSON.stringify(plan.status)).not.toContain('/link');
  });

  it('is offered once for each request', () =>
    expect(
      planOf({ snapshot: offered({ request: 'now', expires }), offer: { secret: found(secret()) } }, { now: at(660) }),
    ).toEqual({
      requeueAfter: 300,
    }));

  it('ends with its link', () => {
    const plan = planOf(
      { snapshot: offered({ request: 'now', expires }), offer: { secret: found(secret()) } },
      { now: at(960) },
    );
    expect(plan.actions).toMatchObject([{ do: 'delete', kind: 'Secret', name: 'before-download' }]);
    expect(plan.status?.download).toEqual({ request: 'now' });
  });

  it('leaves the Secret of a user alone', () => {
    const snapshot = snapshotOf(complete, { metadata: { annotations: request } });
    const plan = planOf({ snapshot, offer: { secret: found(secret('other')), link } }, { now: at(60) });
    expect(doing(plan)).toEqual([]);
    expect(plan.status?.download?.message).toContain('before-download is not of EtcdSnapshot before');
  });
});

describe('the member that is read', () => {
  const member = (id: string, isLearner = false) => ({
    id,
    name: `node-${id}`,
    peerURLs: [],
    clientURLs: [],
    isLearner,
  });
  const ready = ['node-a', 'node-b', 'node-c'];
  it.each([
    { rule: 'is a follower', members: [member('a'), member('b'), member('c')], leader: 'a', is: ['node-b', 'node-c'] },
    { rule: 'is the leader if it is alone', members: [member('a')], leader: 'a', is: ['node-a'] },
    {
      rule: 'is the leader if no follower is ready',
      members: [member('a'), member('x'), member('y')],
      leader: 'a',
      is: ['node-a'],
    },
    { rule: 'is never a learner', members: [member('a'), member('b', true)], leader: 'a', is: ['node-a'] },
    { rule: 'is none without a ready member', members: [member('x')], leader: 'x', is: [] },
  ])('$rule', ({ members, leader, is }) => expect(candidates({ members, leader, alarms: [] }, ready)).toEqual(is));
});
