import { describe, expect, it } from 'vitest';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, type Read, type Reader, typedReader } from '../../../machinery/api/reconcile.ts';
import { digestOf, type MachineDigest } from '../machine/digest.ts';
import { workloadProber } from './controller.ts';
import { busyPeriod, eagerPeriod, nextPeriod } from './prober.ts';
import { nextSnapshot } from './snapshot.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const context: Context = {
  now,
  random: { suffix: () => 'aaaaa', pick: (from) => from[0]!, token: () => 't' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'i',
  config: { speed: 1 },
  awaits: [],
};

const node: KubeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', uid: 'u1', labels: { a: 'b' } },
  spec: { providerID: 'aws:///us-east-1a/i-1' },
  status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z' }] },
};
const etcdPod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'etcd-n1', namespace: 'kube-system', labels: { component: 'etcd', tier: 'control-plane' } },
  spec: { nodeName: 'n1' },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
};

const cluster = (available: 'True' | 'False'): KubeObject => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { namespace: 'default', name: 'c', uid: 'cu' },
  status: { conditions: [{ type: 'Available', status: available, reason: 'Any' }] },
});

const owners = [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c', uid: 'cu' }];

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Answers from a table keyed by `kind/name` or operation; anything else is absent. */
const reader = (answers: Record<string, Read<unknown>>): Reader => {
  const answer = <T>(key: string) => (answers[key] ?? { state: 'absent' }) as Read<T>;
  return typedReader({
    get: (kind, key) => answer(`${kind}/${key.name}`),
    list: () => ({ state: 'found', value: [] }),
    tombstone: () => ({ state: 'absent' }),
    facts: (kind) => (answers[`facts ${kind}`] ?? { state: 'found', value: [] }) as never,
    ask: (_port, operation, input) => {
      const kind = (input as { kind?: string }).kind;
      return answer(kind ? `${operation} ${kind}` : operation);
    },
  });
};

const healthy: Record<string, Read<unknown>> = {
  'Secret/c-kubeconfig': {
    state: 'found',
    value: { metadata: { name: 'c-kubeconfig' }, data: { value: base64('kubeconfig') } },
  },
  'Secret/c-etcd': { state: 'found', value: { data: { 'tls.crt': base64('ca'), 'tls.key': base64('key') } } },
  version: { state: 'found', value: { gitVersion: 'v1.35.0' } },
  'list Node': { state: 'found', value: { items: [node] } },
  'list Pod': { state: 'found', value: { items: [etcdPod] } },
  'get ConfigMap': {
    state: 'found',
    value: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kubeadm-config' } },
  },
  clientCertificate: { state: 'found', value: { certificate: 'c', key: 'k' } },
  etcd: { state: 'found', value: { members: [], alarms: [] } },
};

const probe = (answers: Record<string, Read<unknown>>, of = cluster('False')) =>
  workloadProber.reconcile(workloadProber.observe(of, reader(answers), context) as never, context);

describe('the workload prober', () => {
  it('waits for a kubeconfig without a timer', () => {
    expect(probe({})).toEqual({});
  });

  describe('after an answering cluster lost its kubeconfig', () => {
    const seen = (spec: object): Record<string, Read<unknown>> => ({
      'WorkloadSnapshot/c': {
        state: 'found',
        value: {
          kind: 'WorkloadSnapshot',
          metadata: { namespace: 'default', name: 'c', ownerReferences: owners },
          spec,
        },
      },
    });
    const answered = { reachable: true, failures: 1, initialized: true, nodes: [], controlPlanePods: [] };
    it('reports that it no longer answers, and probes until that is certain', () => {
      const { actions, requeueAfter } = probe(seen(answered));
      expect(actions).toMatchObject([{ patch: { spec: { failures: 2, reachable: true } } }]);
      expect(requeueAfter).toBeGreaterThan(0);
      const last = probe(seen({ ...answered, failures: 4 })).actions;
      expect(last).toMatchObject([{ patch: { spec: { reachable: false, reason: 'The kubeconfig is gone' } } }]);
    });
    it.each([
      { rule: 'is idle when that is certain', answers: seen({ ...answered, reachable: false, failures: 5 }) },
      { rule: 'reports nothing about a Cluster in deletion', answers: seen(answered), isGoing: true },
      {
        rule: 'reports nothing while that is uncertain',
        answers: { ...seen(answered), 'Secret/c-kubeconfig': { state: 'unreadable', reason: 'throttled' } as const },
      },
    ])('$rule', ({ answers, isGoing }) => {
      const of = cluster('False');
      const deletionTimestamp = timestamp(context.now);
      const going = { ...of, metadata: { ...of.metadata, ...(isGoing && { deletionTimestamp }) } };
      expect(probe(answers, going)).toEqual({});
    });
  });

  it('stores what it observed, without heartbeats', () => {
    const plan = probe(healthy);
    expect(plan.actions).toHaveLength(1);
    const created = plan.actions![0] as { object: KubeObject };
    expect(created.object.metadata.ownerReferences).toEqual([
      { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c', uid: 'cu' },
    ]);
    expect(created.object.spec).toMatchObject({
      reachable: true,
      initialized: true,
      version: 'v1.35.0',
      nodes: [{ name: 'n1', providerID: 'aws:///us-east-1a/i-1', conditions: [{ type: 'Ready', status: 'True' }] }],
      controlPlanePods: [{ component: 'etcd', node: 'n1', ready: true }],
      etcd: { members: [] },
    });
    expect(JSON.stringify(created.object.spec)).not.toContain('Heartbeat');
  });

  describe('the certificate of an API server', () => {
    const apiServer = (ready: 'True' | 'False'): KubeObject => ({
      ...etcdPod,
      metadata: { ...etcdPod.metadata, name: 'kube-apiserver-n1', labels: { component: 'kube-apiserver' } },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
    });
    const seen = (coversEndpoint?: boolean) => ({
      reachable: true,
      nodes: [],
      controlPlanePods: [
        {
          component: 'kube-apiserver',
          node: 'n1',
          ready: true,
          ...(coversEndpoint !== undefined && { coversEndpoint }),
        },
      ],
    });
    type Known = ReturnType<typeof seen> | undefined;
    const covers = (known: Known, answer: Read<unknown>, ready: 'True' | 'False' = 'True') => {
      const answers: Record<string, Read<unknown>> = {
        ...healthy,
        'list Pod': { state: 'found', value: { items: [apiServer(ready)] } },
        servingCertificate: answer,
        ...(known && {
          'WorkloadSnapshot/c': {
            state: 'found',
            value: { kind: 'WorkloadSnapshot', metadata: { name: 'c', ownerReferences: owners }, spec: known },
          },
        }),
      };
      const [action] = probe(answers).actions as unknown as [{ object?: KubeObject; patch?: { spec: object } }];
      const { controlPlanePods } = (action.object?.spec ?? action.patch?.spec) as {
        controlPlanePods: { coversEndpoint?: boolean }[];
      };
      return controlPlanePods[0]?.coversEndpoint;
    };
    const valid = (coversEndpoint: boolean): Read<unknown> => ({ state: 'found', value: { coversEndpoint } });
    const unread: Read<unknown> = { state: 'unreadable', reason: 'timeout' };

    it.each<{ rule: string; known?: Known; answer: Read<unknown>; ready?: 'False'; expected: boolean | undefined }>([
      { rule: 'covers the endpoint', answer: valid(true), expected: true },
      { rule: 'does not cover it', answer: valid(false), expected: false },
      { rule: 'is unknown while it cannot be read', answer: unread, expected: undefined },
      { rule: 'is not read again once it covers it', known: seen(true), answer: unread, expected: true },
      { rule: 'is read again until it covers it', known: seen(false), answer: valid(true), expected: true },
      {
        rule: 'is unknown of one that is not ready',
        known: seen(true),
        answer: valid(true),
        ready: 'False',
        expected: undefined,
      },
    ])('$rule', ({ known, answer, ready, expected }) => expect(covers(known, answer, ready)).toBe(expected));
  });

  describe('etcd', () => {
    const pod = (name: string, component: string, nodeName?: string) => ({
      ...etcdPod,
      metadata: { ...etcdPod.metadata, name, labels: { component, tier: 'control-plane' } },
      spec: { ...(nodeName && { nodeName }) },
    });
    const asked = (items: KubeObject[], etcd: Read<unknown> = healthy.etcd!) => {
      const inputs: unknown[] = [];
      const answers = { ...healthy, 'list Pod': { state: 'found' as const, value: { items } }, etcd };
      const all = reader(answers);
      const ask: Reader['ask'] = (port, operation, input) => {
        if (operation === 'etcd') inputs.push(input);
        return all.ask(port, operation, input);
      };
      const of = cluster('False');
      const plan = workloadProber.reconcile(workloadProber.observe(of, { ...all, ask }, context) as never, context);
      return { inputs, saved: (plan.actions![0] as { object: KubeObject }).object.spec };
    };
    it('is queried on the nodes that run it', () => {
      const pods = [pod('b', 'etcd', 'n2'), pod('a', 'etcd', 'n1'), pod('c', 'kube-apiserver', 'n3'), pod('d', 'etcd')];
      const { inputs, saved } = asked(pods);
      expect(inputs).toEqual([
        { kubeconfig: 'kubeconfig', caCertificate: 'ca', clientCertificate: 'c', clientKey: 'k', nodes: ['n1', 'n2'] },
      ]);
      expect(saved).toMatchObject({ etcd: { members: [] } });
      expect(saved).not.toHaveProperty('etcdUnreadable');
    });
    it('is not queried while no node runs it', () =>
      expect(asked([pod('c', 'kube-apiserver', 'n3')]).inputs).toEqual([]));
    it('reports why it does not answer', () => {
      const { saved } = asked([etcdPod], { state: 'unreadable', reason: 'no quorum' });
      expect(saved).toMatchObject({ etcdUnreadable: 'no quorum' });
      expect(saved).not.toHaveProperty('etcd');
    });
  });

  it('writes nothing while nothing changes, and is idle with the cluster', () => {
    const first = probe(healthy).actions![0] as { object: KubeObject };
    const seen = { ...healthy, 'WorkloadSnapshot/c': { state: 'found' as const, value: first.object } };
    expect(probe(seen, cluster('True'))).toEqual({ actions: [], requeueAfter: 60 });
    expect(probe(seen, cluster('False'))).toEqual({ actions: [], requeueAfter: busyPeriod });
  });

  describe('node metadata of a Machine', () => {
    const marked = (ready: 'True' | 'False', annotations?: Record<string, string>): Record<string, Read<unknown>> => {
      const taints = annotations ? [] : [{ key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' }];
      const of = {
        ...node,
        metadata: { ...node.metadata, annotations },
        spec: { ...(node.spec as object), taints },
        status: { conditions: [{ type: 'Ready', status: ready }] },
      };
      return { ...healthy, 'list Node': { state: 'found', value: { items: [of] } } };
    };
    const saved = (before: Record<string, Read<unknown>>, next: Record<string, Read<unknown>>) => {
      const { object } = probe(before).actions![0] as { object: KubeObject };
      return probe({ ...next, 'WorkloadSnapshot/c': { state: 'found', value: object } }).actions;
    };
    const written = { 'cluster.x-k8s.io/machine': 'm' };
    it('is written with the next change of the Node', () => {
      expect(saved(marked('False'), marked('False', written))).toEqual([]);
      const reported = saved(marked('False'), marked('True', written));
      expect(reported).toMatchObject([{ patch: { spec: { nodes: [{ annotations: written, taints: [] }] } } }]);
    });
    it('is written to a ready Node', () =>
      expect(saved(marked('True'), marked('True', written))).toMatchObject([{ do: 'patch' }]));
  });

  describe('a cluster that never answered', () => {
    const silent = { ...healthy, version: { state: 'unreadable' as const, reason: 'connection refused' } };
    const reported = (...machines: MachineDigest[]) =>
      probe({ ...silent, 'facts Machine': { state: 'found', value: machines } }).actions?.length;
    const since = (seconds: number) => new Date(now - seconds * 1000).toISOString();
    it('is recorded with the name of the Secret, if that has no usable kubeconfig', () => {
      const version = { state: 'unreadable' as const, reason: 'the kubeconfig cannot be used: it names no server' };
      const { actions } = probe({ ...silent, version, 'facts Machine': { state: 'found', value: [] } });
      expect(actions).toMatchObject([
        { object: { spec: { reason: 'Secret c-kubeconfig: the kubeconfig cannot be used: it names no server' } } },
      ]);
    });
    it.each<{ rule: string; machines: MachineDigest[]; writes: number }>([
      { rule: 'is recorded if it has no Machines in the store', machines: [], writes: 1 },
      { rule: 'is not recorded before a host boots', machines: [{ lacksNode: true }], writes: 0 },
      {
        rule: 'is not recorded while its hosts boot',
        machines: [{ lacksNode: true, bootsSince: since(179) }],
        writes: 0,
      },
      {
        rule: 'is recorded when booting takes long',
        machines: [{ lacksNode: true, bootsSince: since(180) }],
        writes: 1,
      },
      { rule: 'is recorded when a host became a Node', machines: [{ lacksNode: true }, {}], writes: 1 },
    ])('$rule', ({ machines, writes }) => expect(reported(...machines)).toBe(writes));
  });

  it('probes again soon after a change that is still in progress', () => {
    expect(probe(healthy, cluster('False')).requeueAfter).toBe(nextPeriod);
    expect(probe(healthy, cluster('True')).requeueAfter).toBe(60);
    const silent = { ...healthy, version: { state: 'unreadable' as const, reason: 'no' } };
    expect(probe(silent, cluster('False')).requeueAfter).toBe(busyPeriod);
  });

  describe('an idle cluster', () => {
    const first = (probe(healthy).actions![0] as { object: KubeObject }).object;
    const seen = { ...healthy, 'WorkloadSnapshot/c': { state: 'found' as const, value: first } };
    const machine = (
      nodeRef?: { name: string },
      deletionTimestamp?: string,
      creationTimestamp = '2026-01-01T00:00:00Z',
    ): KubeObject => ({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata: {
        name: 'm',
        creationTimestamp,
        ...(deletionTimestamp && { deletionTimestamp }),
      },
      status: { ...(nodeRef && { nodeRef }) },
    });
    const calm = cluster('True');
    const at = (
      seconds: number,
      machines: KubeObject[] = [],
      answers: Record<string, Read<unknown>> = seen,
      of = calm,
    ) => {
      const later = { ...context, now: now + seconds * 1000 };
      const all = reader({ ...answers, 'facts Machine': { state: 'found', value: machines.map(digestOf) } });
      return workloadProber.reconcile(workloadProber.observe(of, all, later) as never, later).requeueAfter;
    };
    const minute = 60;
    const settled = machine({ name: 'n1' });
    it.each([
      { rule: 'is probed every minute', after: 5 * minute, period: 60 },
      { rule: 'is probed less often the longer it is idle', after: 50 * minute, period: 300 },
      { rule: 'is probed at least every ten minutes', after: 7 * 24 * 60 * minute, period: 600 },
    ])('$rule', ({ after, period }) => expect(at(after, [settled])).toBe(period));

    it('is probed every minute while a MachineHealthCheck selects one of its Machines', () => {
      const one = machine({ name: 'n2' });
      const conditions = [{ type: 'HealthCheckSucceeded', status: 'True' }];
      const checked = { ...one, status: { ...(one.status as object), conditions } };
      expect(at(7 * 24 * 60 * minute, [settled, checked])).toBe(60);
    });

    const booting = (given: 'True' | 'False', ready: 'True' | 'False') => {
      const conditions = [
        { type: 'BootstrapConfigReady', status: given, lastTransitionTime: '2026-01-01T00:10:00Z' },
        { type: 'Ready', status: ready },
      ];
      const one = machine({ name: 'n2' });
      return { ...one, status: { ...(one.status as object), conditions } };
    };
    it.each([
      { rule: 'ignores a boot that cannot be finished yet', after: 20, period: 10, of: booting('True', 'False') },
      {
        rule: 'is probed often while a boot is expected to finish',
        after: 31,
        period: eagerPeriod,
        of: booting('True', 'False'),
      },
      { rule: 'is probed less often during a long boot', after: 200, period: 20, of: booting('True', 'False') },
      {
        rule: 'is probed rarely during an endless boot',
        after: 3600,
        period: 360,
        of: booting('True', 'False'),
      },
      { rule: 'ignores a boot that has not begun', after: 31, period: 63, of: booting('False', 'False') },
      { rule: 'ignores a machine that is ready', after: 31, period: 63, of: booting('True', 'True') },
    ])('$rule', ({ after, period, of }) => expect(at(10 * minute + after, [settled, of])).toBe(period));

    const long = 24 * 60 * minute;
    const coming = (since: string) => machine(undefined, undefined, since);
    const unknown: KubeObject = { ...machine(), metadata: { name: 'm' } };
    const silent = { version: { state: 'unreadable' as const, reason: 'no' } };
    const silentSince = (unreachableSince: string): Record<string, Read<unknown>> => {
      const spec = { ...(first.spec as object), reachable: false, failures: 5, unreachableSince };
      return { ...silent, 'WorkloadSnapshot/c': { state: 'found', value: { ...first, spec } } };
    };
    const saying = (type: string, status: string): KubeObject => ({
      ...calm,
      status: {
        conditions: [
          { type: 'Available', status: 'True', reason: 'Any' },
          { type, status, reason: 'Any', lastTransitionTime: '2026-01-01T23:59:00Z' },
        ],
      },
    });
    const unavailableSince = (lastTransitionTime: string): KubeObject => ({
      ...calm,
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'Any', lastTransitionTime }] },
    });
    const turned = { type: 'Available', status: 'True', reason: 'Any', lastTransitionTime: '2026-01-01T23:50:00Z' };
    const notReady = { ...node, status: { conditions: [{ ...turned, type: 'Ready', status: 'False' }] } };
    it.each<{
      rule: string;
      period: number;
      machines?: KubeObject[];
      answers?: Record<string, Read<unknown>>;
      of?: KubeObject;
    }>([
      { rule: 'a node is expected', machines: [settled, coming('2026-01-01T23:59:00Z')], period: busyPeriod },
      {
        rule: 'a node has been expected for twenty minutes',
        machines: [settled, coming('2026-01-01T23:40:00Z')],
        period: 30,
      },
      { rule: 'a node has been expected for a day', machines: [settled, machine()], period: 60 },
      {
        rule: 'one of several nodes is expected',
        machines: [machine(), coming('2026-01-01T23:59:00Z')],
        period: busyPeriod,
      },
      { rule: 'a node is expected since an unknown time', machines: [unknown], period: busyPeriod },
      {
        rule: 'a node is about to disappear',
        machines: [machine({ name: 'n1' }, '2026-01-02T00:00:00Z')],
        period: busyPeriod,
      },
      {
        rule: 'a node has been about to disappear for an hour',
        machines: [machine({ name: 'n1' }, '2026-01-01T23:00:00Z')],
        period: 60,
      },
      { rule: 'it does not answer', answers: silent, period: busyPeriod },
      { rule: 'it has not answered for twenty minutes', answers: silentSince('2026-01-01T23:40:00Z'), period: 120 },
      { rule: 'it has not answered for an hour', answers: silentSince('2026-01-01T23:00:00Z'), period: 300 },
      {
        rule: 'it has not answered for an hour, and a new host boots',
        answers: silentSince('2026-01-01T23:00:00Z'),
        machines: [settled, coming('2026-01-01T23:00:00Z')],
        period: 60,
      },
      {
        rule: 'the whole cluster is in deletion and does not answer',
        answers: silent,
        of: { ...calm, metadata: { ...calm.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
        machines: [machine({ name: 'n1' }, '2026-01-02T00:00:00Z')],
        period: 60,
      },
      { rule: 'it is not available', of: unavailableSince('2026-01-01T23:59:00Z'), period: busyPeriod },
      { rule: 'it has not been available for a day', of: unavailableSince('2026-01-01T00:00:00Z'), period: 60 },
      ...['RollingOut', 'ScalingUp', 'ScalingDown', 'Remediating', 'Deleting'].flatMap((type) => [
        { rule: `it is ${type}`, of: saying(type, 'True'), period: busyPeriod },
        { rule: `it was ${type} until now`, of: saying(type, 'False'), period: 60 },
      ]),
      {
        rule: 'part of it is in deletion and it does not answer',
        answers: silent,
        of: { ...calm, metadata: { ...calm.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
        machines: [settled, machine({ name: 'n1' }, '2026-01-02T00:00:00Z')],
        period: busyPeriod,
      },
      { rule: 'a condition of it changed just now', of: { ...calm, status: { conditions: [turned] } }, period: 60 },
      {
        rule: 'a node has changed',
        answers: { 'list Node': { state: 'found' as const, value: { items: [notReady] } } },
        period: 60,
      },
    ])('is probed more often when $rule', ({ machines = [settled], answers = {}, of = calm, period }) => {
      expect(at(long, [settled])).toBe(600);
      expect(at(long, machines, { ...seen, ...answers }, of)).toBe(period);
    });
  });

  it('probes a large cluster less often, whatever is expected, and debounces its changes', () => {
    const nodes = Array.from({ length: 400 }, (_, i) => ({ ...node, metadata: { ...node.metadata, name: `n${i}` } }));
    const large = { ...healthy, 'list Node': { state: 'found' as const, value: { items: nodes } } };
    expect(probe(large, cluster('False'))).toMatchObject({ requeueAfter: 8, debounce: 8 });
    expect(probe(healthy, cluster('False'))).not.toHaveProperty('debounce');
  });

  it('drops the state of a former cluster of the same name', () => {
    const first = probe(healthy).actions![0] as { object: KubeObject };
    const { metadata } = first.object;
    const left = { ...first.object, metadata: { ...metadata, uid: 'old', ownerReferences: [] } };
    expect(probe({ ...healthy, 'WorkloadSnapshot/c': { state: 'found', value: left } })).toEqual({
      actions: [
        {
          do: 'delete',
          apiVersion: 'capstan.dev/v1alpha1',
          kind: 'WorkloadSnapshot',
          namespace: 'default',
          name: 'c',
          uid: 'old',
        },
      ],
      again: true,
    });
  });

  it('drops a fact that is no longer observed, unless another pass has written meanwhile', () => {
    const old = {
      kind: 'WorkloadSnapshot',
      metadata: { name: 'c', uid: 's', resourceVersion: '7', ownerReferences: owners },
      spec: { ...nextSnapshot(undefined, {}, now), etcdUnreadable: 'why' },
    };
    const plan = probe({ ...healthy, 'WorkloadSnapshot/c': { state: 'found', value: old } });
    expect(plan.actions![0]).toMatchObject({
      do: 'patch',
      uid: 's',
      resourceVersion: '7',
      patch: { spec: { etcdUnreadable: null } },
    });
  });

  it('keeps the last state of an unreachable cluster, and counts failures up to five', () => {
    const unreachable = { ...healthy, 'list Node': { state: 'unreadable' as const, reason: 'connection refused' } };
    let spec = nextSnapshot(undefined, { nodes: [node] }, now);
    for (let i = 0; i < 7; i++) {
      const plan = probe({
        ...unreachable,
        'WorkloadSnapshot/c': { state: 'found', value: { metadata: { name: 'c', ownerReferences: owners }, spec } },
      });
      if (i >= 5) expect(plan.actions).toEqual([]);
      spec = nextSnapshot(spec, { reason: 'connection refused' }, now + i * 60_000);
      expect(spec.nodes).toHaveLength(1);
      expect(spec.reachable).toBe(i < 4);
      expect(spec.unreachableSince).toBe('2026-01-01T00:00:00Z');
    }
    expect(spec.failures).toBe(5);
  });

  it('divides its period by the speed of the account', () => {
    const plan = workloadProber.reconcile(workloadProber.observe(cluster('True'), reader(healthy), context) as never, {
      ...context,
      config: { speed: 60 },
    });
    expect(plan.requeueAfter).toBe(1);
  });

  describe('under a ClusterOperation', () => {
    const operated = (target: string): KubeObject => {
      const one = cluster('False');
      return { ...one, metadata: { ...one.metadata, annotations: { 'capstan.dev/target': target } } };
    };
    const kept = {
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'WorkloadSnapshot',
      metadata: { name: 'c', namespace: 'default', uid: 's', ownerReferences: owners },
      spec: nextSnapshot(undefined, { nodes: [node] }, now),
    };
    const seen = { ...healthy, 'WorkloadSnapshot/c': { state: 'found' as const, value: kept } };
    const going = { ...kept, metadata: { ...kept.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const forgets = [
      {
        do: 'delete',
        apiVersion: 'capstan.dev/v1alpha1',
        kind: 'WorkloadSnapshot',
        namespace: 'default',
        name: 'c',
        uid: 's',
      },
    ];
    const run = (target: string, answers: Record<string, Read<unknown>>, workflows = true) => {
      const asked: Context = { ...context, config: { speed: 1, workflows } };
      return workloadProber.reconcile(workloadProber.observe(operated(target), reader(answers), asked) as never, asked);
    };
    it('clears the state of a torn-down cluster once, and stops probing', () => {
      expect(run('Nothing', seen)).toEqual({ actions: forgets });
      expect(run('Nothing', healthy)).toEqual({});
      expect(run('Nothing', { ...seen, 'WorkloadSnapshot/c': { state: 'found', value: going } })).toEqual({});
    });
    it.each(['Hold', 'Build', ''])('keeps probing under the target "%s"', (target) =>
      expect(run(target, healthy)).toMatchObject({ actions: [{ do: 'create' }], requeueAfter: nextPeriod }));
    it('starts over with the next attempt', () => {
      const [action] = run('Build', healthy).actions ?? [];
      expect(action).toMatchObject({ object: { spec: { failures: 0, reachableSince: '2026-01-01T00:00:00Z' } } });
    });
    it('ignores the target without workflows', () =>
      expect(run('Nothing', seen, false)).toMatchObject({ actions: [{ do: 'patch' }], requeueAfter: nextPeriod }));
  });
});
