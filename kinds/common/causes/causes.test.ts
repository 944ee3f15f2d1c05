import { describe, expect, it } from 'vitest';
import type { Condition, KubeObject, LegacyCondition } from '../../../machinery/api/object.ts';
import {
  activities,
  blockedChanges,
  type Cause,
  type CauseRules,
  causesOf,
  causesOfCluster,
  graphOf,
  membersOf,
  messageOf,
  owned,
  referred,
} from './index.ts';

const at = '2026-01-01T00:00:00Z';
const now = Date.parse('2026-01-01T01:00:00Z');

type Reported = Pick<Condition & LegacyCondition, 'type' | 'status'> & Partial<Condition & LegacyCondition>;
const object = (
  kind: string,
  name: string,
  conditions: Reported[] = [],
  more: Partial<KubeObject> = {},
): KubeObject => ({
  apiVersion: kind === 'Cluster' ? 'cluster.x-k8s.io/v1beta2' : 'toys.example.com/v1',
  kind,
  ...more,
  metadata: {
    name,
    namespace: 'default',
    uid: `${kind}/${name}`,
    labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
    ...more.metadata,
  },
  status: { conditions: conditions.map((one) => ({ reason: 'Because', lastTransitionTime: at, ...one })) },
});
const no = (type: string, message = '', more: Partial<Reported> = {}): Reported => ({
  type,
  status: 'False',
  message,
  ...more,
});
const yes: Reported = { type: 'Ready', status: 'True' };
const ref = (kind: string, name: string) => ({ kind, name });
const ownerOf = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject) => [
  { apiVersion, kind, name, uid, controller: true },
];

const rules: CauseRules[] = [
  {
    group: 'cluster.x-k8s.io',
    kind: 'Cluster',
    conditions: { PlaneReady: { by: referred('planeRef') }, Available: { isSummary: true } },
  },
  { group: 'toys.example.com', kind: 'Plane', conditions: { Ready: { by: owned('Host') } } },
  {
    group: 'toys.example.com',
    kind: 'Host',
    conditions: { Boots: { overdueAfter: 600, level: 'wait', next: 'It boots' } },
  },
];
const causes = (objects: KubeObject[], absent: { kind: string; name: string }[] = []): Cause[] =>
  causesOfCluster(graphOf({ objects, absent, rules, now }));

const plane = object('Plane', 'p', [no('Ready', 'one host is missing')]);
const cluster = object('Cluster', 'c', [no('Available', 'all'), no('PlaneReady', 'one host is missing')], {
  spec: { planeRef: ref('Plane', 'p') },
});
const host = (name: string, conditions: Reported[], metadata: object = {}) =>
  object('Host', name, conditions, { metadata: { name, ownerReferences: ownerOf(plane), ...metadata } });

describe('causes', () => {
  it('are the complaints that no other object explains, with what they hold up', () => {
    const [first, ...rest] = causes([cluster, plane, host('h', [no('Broken', 'RunInstances: Denied: no')])]);
    expect(first).toMatchObject({
      kind: 'Host',
      name: 'h',
      message: 'RunInstances: Denied: no',
      level: 'fault',
      since: at,
    });
    expect(first?.explains.map(({ kind }) => kind)).toEqual(['Plane', 'Cluster']);
    expect(rest).toEqual([]);
  });

  it('are the complaint itself if what may explain it is well', () => {
    expect(causes([cluster, plane, host('h', [yes])])).toMatchObject([
      { kind: 'Plane', message: 'one host is missing' },
    ]);
  });

  it('name alike objects once', () => {
    const ill = ['host-a', 'host-b', 'host-c'].map((name, at) =>
      host(name, [no('Broken', `instance i-00${at} of ${name} is gone`)]),
    );
    const [first] = causes([cluster, plane, ...ill]);
    expect(first).toMatchObject({ name: 'host-a', others: ['host-b', 'host-c'] });
    expect(messageOf(first!)).toBe('Host host-a and 2 more: instance i-000 of host-a is gone');
  });

  it('name once what two conditions of an object say', () => {
    const ill = host('h', [no('Broken', 'the disk is gone'), no('Lost', 'the disk is gone')]);
    expect(causes([cluster, plane, ill]).map(({ name, message }) => `${name} ${message}`)).toEqual([
      'h the disk is gone',
    ]);
  });

  it('begin with what a user holds, then faults, then waits', () => {
    const held = host('held', [], { annotations: { 'cluster.x-k8s.io/paused': '' } });
    const waiting = host('waiting', [
      no('Boots', 'Waiting for a disk', { lastTransitionTime: '2026-01-01T00:59:00Z' }),
    ]);
    const found = causes([cluster, plane, waiting, host('ill', [no('Broken', 'broken')]), held]);
    expect(found.map(({ name, level }) => `${name} ${level}`)).toEqual(['held hold', 'ill fault', 'waiting wait']);
    expect(found[0]?.commands).toEqual(['kubectl annotate host held -n default cluster.x-k8s.io/paused-']);
    expect(found[2]?.next).toBe('It boots');
  });

  const before = '2025-12-31T00:00:00Z';
  it.each([
    { rule: 'the condition, once it reports it', status: 'True', written: before, since: at },
    {
      rule: 'the client that asked for it, before',
      status: 'False',
      written: '2026-01-01T00:59:00Z',
      since: '2026-01-01T00:59:00Z',
    },
    { rule: 'no source', status: 'False', written: undefined, since: undefined },
  ] as const)('know since when an object is paused from $rule', ({ status, written, since }) => {
    const fieldsV1 = { 'f:metadata': { 'f:annotations': { 'f:cluster.x-k8s.io/paused': {} } } };
    const metadata = {
      name: 'held',
      annotations: { 'cluster.x-k8s.io/paused': '' },
      ownerReferences: ownerOf(plane),
      managedFields: [
        { manager: 'other', time: before, fieldsV1: { 'f:spec': {} } },
        ...(written ? [{ manager: 'kubectl', time: written, fieldsV1 }] : []),
      ],
    };
    const held = object('Host', 'held', [{ type: 'Paused', status, message: '' }], { metadata });
    expect(causes([cluster, plane, held]).find(({ type }) => type === 'Paused')?.since).toBe(since);
  });

  it('count a wait that lasts too long as a fault', () => {
    expect(causes([cluster, plane, host('h', [no('Boots', 'Waiting for a disk')])])).toMatchObject([
      { level: 'fault' },
    ]);
  });

  it('name a reference that leads nowhere', () => {
    const named = object('Host', 'h', [], {
      spec: { from: ref('Image', 'i') },
      metadata: { name: 'h', ownerReferences: ownerOf(plane) },
    });
    const [first] = causes([cluster, plane, named], [ref('Image', 'i')]);
    expect(messageOf(first!)).toBe('Host h refers to Image i, which does not exist');
  });

  it.each([
    { rule: 'since its creation, before it has said anything', conditions: [], since: '2025-01-01T00:00:00Z' },
    { rule: 'since its condition says so', conditions: [no('Broken', 'Image gone does not exist')], since: at },
    { rule: 'since an unknown time', conditions: [yes], since: undefined },
  ])('know since when a reference leads nowhere: $rule', ({ conditions, since }) => {
    const named = object('Host', 'h', conditions, {
      spec: { from: ref('Image', 'gone') },
      metadata: { name: 'h', creationTimestamp: '2025-01-01T00:00:00Z', ownerReferences: ownerOf(plane) },
    });
    const found = causes([cluster, plane, named], [ref('Image', 'gone')]);
    expect(found.find(({ message }) => message.includes('refers to'))?.since).toBe(since);
  });

  it('name the finalizer of a user, and nothing from before the deletion', () => {
    const metadata = { deletionTimestamp: at, finalizers: ['team.example.com/backup'] };
    const found = causes([cluster, plane, host('h', [no('Broken', 'from before')], metadata)]);
    expect(found).toMatchObject([
      { message: 'is being deleted and held by its finalizer team.example.com/backup', level: 'hold' },
    ]);
  });

  it('of a cycle are those that were reached first', () => {
    const both: CauseRules[] = ['A', 'B'].map((kind) => ({
      group: 'toys.example.com',
      kind,
      conditions: { Ready: { by: (_, graph) => graph.ofKind(kind === 'A' ? 'B' : 'A').flatMap(graph.complaints) } },
    }));
    const [a, b] = [
      object('A', 'a', [no('Ready', 'b is not ready')]),
      object('B', 'b', [no('Ready', 'a is not ready')]),
    ];
    expect(causesOf(a, graphOf({ objects: [a, b], rules: both }))).toMatchObject([
      { kind: 'A', message: 'b is not ready' },
    ]);
  });

  describe('offer no restore', () => {
    const broken = host('h', [
      no('Broken', 'quorum lost. List them: capstan snapshot list c; capstan snapshot restore NAME -n default'),
    ]);
    const snapshot = {
      ...object('EtcdSnapshot', 's'),
      status: { phase: 'Succeeded', conditions: [yes] },
    } as unknown as KubeObject;
    const restore = (phase?: string, spec: object = { type: 'restore', snapshot: 's' }) =>
      ({ ...object('ClusterOperation', 'c-restore-1'), spec, status: { phase } }) as unknown as KubeObject;
    const offered = (...operations: KubeObject[]) => {
      const [first] = causes([cluster, plane, broken, snapshot, ...operations]);
      return { commands: first?.commands.map((command) => command.split(' ')[2]), next: first?.next };
    };
    const both = { commands: ['list', 'restore'], next: undefined };
    it.each([undefined, 'Pending', 'Running'])('while one is %s, and name that one', (phase) =>
      expect(offered(restore(phase))).toEqual({
        commands: ['list'],
        next: 'ClusterOperation c-restore-1 restores a snapshot already',
      }));
    it.each(['Held', 'Succeeded', 'Cancelled'])('but again after one that is %s', (phase) =>
      expect(offered(restore(phase))).toEqual(both));
    it('but during another operation', () => expect(offered(restore('Running', { type: 'upgrade' }))).toEqual(both));
  });

  it.each([
    { line: 'admission webhook "a.example.com" denied the request: no', next: /growing pauses of at most 15 minutes/ },
    { line: 'Host b is not ready', next: /at least once a minute/ },
  ])('say when a change goes on that is blocked because $line', ({ line, next }) => {
    const others = blockedChanges(() => []);
    const rules = [{ group: 'toys.example.com', kind: 'Host', conditions: activities, others }];
    const message = `Scaling up is blocked because:\n* ${line}`;
    const one = host('h', [{ type: 'ScalingUp', status: 'True', message }]);
    expect(causesOf(one, graphOf({ objects: [cluster, one], rules }))[0]?.next).toMatch(next);
  });

  it('offer what mends before another attempt', () => {
    const run = () => ['kubectl edit host h -n default'];
    const rules = [{ group: 'toys.example.com', kind: 'Host', conditions: { Broken: { run } } }];
    const message = 'refused; once that is mended, run: capstan retry cluster c -n default';
    const one = host('h', [no('Broken', message)]);
    const [first] = causesOf(one, graphOf({ objects: [cluster, one], rules }));
    expect(first?.commands).toEqual(['kubectl edit host h -n default', 'capstan retry cluster c -n default']);
  });

  it('offer the commands that a message names', () => {
    const message =
      'It is old. To renew it, run: capstan retry cluster c -n default. A change of the spec tries again by itself';
    expect(causes([cluster, plane, host('h', [no('Broken', message)])])[0]?.commands).toEqual([
      'capstan retry cluster c -n default',
    ]);
  });

  it.each([
    { what: 'a join token', secret: 'abcdef.0123456789abcdef' },
    { what: 'a key of AWS', secret: 'AKIAIOSFODNN7EXAMPLE' },
    { what: 'a password', secret: 'password=hunter2' },
    { what: 'a bearer token', secret: 'Authorization: Bearer one-two-three' },
    { what: 'a token of JSON Web', secret: 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhIn0.c2ln' },
    { what: 'a private key', secret: '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----' },
    { what: 'a signed link', secret: 'https://s3/a?X-Amz-Credential=a&X-Amz-Signature=0ff1ce' },
  ])('never show $what that a host printed', ({ secret }) => {
    const text = JSON.stringify(
      causes([cluster, plane, host('h', [no('Broken', `the boot scripts failed: ${secret} (see the file)`)])]),
    );
    for (const part of secret
      .split(/[\s=:\n&]+/)
      .filter((one) => one.length > 6 && !/BEGIN|PRIVATE|END|password|Authoriz|Bearer|https|s3|Credential/i.test(one)))
      expect(text).not.toContain(part);
  });

  it('contain no time in one sentence', () => {
    const message =
      'Kept since 2026-01-01T00:00:00Z (started at 2026-01-01T00:00:00Z) until 2026-01-01T01:00:00Z, as asked';
    expect(messageOf({ kind: 'Host', name: 'h', others: [], message })).toBe('Host h: Kept, as asked');
  });
});

it('takes every object of a cluster, and what they refer to', () => {
  const other = object('Host', 'other', [], {
    metadata: { name: 'other', labels: { 'cluster.x-k8s.io/cluster-name': 'd' } },
  });
  const template = object('Template', 't', [], { metadata: { name: 't', labels: {} } });
  const named = host('h', []);
  const all = [
    cluster,
    plane,
    { ...named, spec: { template: ref('Template', 't'), image: ref('Image', 'i') } },
    other,
    template,
  ];
  const { objects, unfollowed } = membersOf(cluster, all);
  expect(objects.map(({ metadata }) => metadata.name).sort()).toEqual(['c', 'h', 'p', 't']);
  expect(unfollowed).toEqual([ref('Image', 'i')]);
});
