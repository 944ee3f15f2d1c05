import { describe, expect, it } from 'vitest';
import { equal, mergePatch } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Action, type Context, type Plan, type Read, typedReader } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation } from '../../common/filled.ts';
import { controllerReference } from '../../common/owners.ts';
import { authorities, clusterSecret, type Secret } from '../../core/contract/cluster-secrets.ts';
import { operatedPass } from '../../core/contract/operated.fixture.ts';
import type { Target } from '../../core/contract/target.ts';
import type { Machine } from '../../core/machine/schema.ts';
import { authorityPair } from './certificates.fixture.ts';
import { kubeadmConfigController } from './controller.ts';
import type { KubeadmConfig } from './index.ts';
import { isCleared } from './release.ts';
import type { KubeadmConfigStatus } from './schema.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const namespace = 'default';
const context = (workflows: boolean): Context => ({
  now,
  random: { suffix: () => 'abcde', pick: (from) => from[0]!, token: () => 'abcdef0123456789abcdef0123456789' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'test',
  config: { workflows },
  awaits: [],
});

interface Given {
  /** Undefined: no operation has admitted the cluster yet. */
  target?: Exclude<Target, 'Wait'>;
  workflows?: boolean;
  /** Whether a MachineSet created it. */
  generated?: boolean;
  worker?: boolean;
  initialized?: boolean;
  /** Whether its user-data Secret exists. */
  done?: boolean;
  /** Whether another client created a Secret of its name. */
  foreign?: boolean;
  /** Which client created the certificates. */
  certificates?: 'config' | 'control plane' | 'user';
  lock?: string;
  spec?: KubeadmConfig['spec'];
}

const labels = { 'cluster.x-k8s.io/cluster-name': 'c' };
const setOwner = { apiVersion: 'v1', kind: 'MachineSet', name: 'set', uid: 'set', controller: true };
const pair = authorityPair();
const otherControlPlane = { apiVersion: 'v1', kind: 'KubeadmControlPlane', name: 'kcp', uid: 'kcp', controller: true };

const worldOf = (given: Given): KubeObject[] => {
  const { target, generated, worker, initialized, done, foreign, certificates, lock, spec } = given;
  const annotations = { 'capstan.dev/operation': 'c-create-1', ...(target && { 'capstan.dev/target': target }) };
  const cluster: KubeObject = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name: 'c', namespace, uid: 'cluster', annotations },
    spec: { controlPlaneEndpoint: { host: 'api.example.com', port: 6443 } },
    status: {
      initialization: { infrastructureProvisioned: true, ...(initialized && { controlPlaneInitialized: true }) },
    },
  };
  const machine: KubeObject = {
    apiVersion: cluster.apiVersion,
    kind: 'Machine',
    metadata: {
      name: 'm',
      namespace,
      uid: 'm',
      labels: { ...labels, ...(!worker && { 'cluster.x-k8s.io/control-plane': '' }) },
      ...(generated && { ownerReferences: [setOwner] }),
    },
    spec: { clusterName: 'c', version: 'v1.35.0', bootstrap: {}, infrastructureRef: {} },
  };
  const config: KubeObject = {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfig',
    metadata: { name: 'm', namespace, uid: 'config', labels, ownerReferences: [controllerReference(machine)] },
    ...(spec && { spec }),
    ...(done && { status: { initialization: { dataSecretCreated: true }, dataSecretName: 'm' } }),
  };
  const secret = (
    name: string,
    owner: Parameters<typeof clusterSecret>[0]['owner'],
    values: Record<string, string>,
  ) => {
    const made = clusterSecret({ namespace, name, cluster: 'c', owner, values });
    return { ...made, metadata: { ...made.metadata, uid: `secret-${name}` } };
  };
  const certificateOf = (purpose: string): Secret => {
    const made = secret(
      `c-${purpose}`,
      certificates === 'config' ? controllerReference(config) : otherControlPlane,
      pair,
    );
    if (certificates !== 'user') return made;
    return { ...made, type: 'Opaque', metadata: { ...made.metadata, ownerReferences: [] } };
  };
  return [
    cluster,
    machine,
    config,
    ...(done || foreign
      ? [secret('m', foreign ? otherControlPlane : controllerReference(config), { value: 'data' })]
      : []),
    ...(certificates ? authorities.map(certificateOf) : []),
    secret('c-kubeconfig', otherControlPlane, { value: 'kubeconfig' }),
    ...(lock
      ? [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'c-lock', namespace, uid: 'lock' },
            data: { 'lock-information': JSON.stringify({ machineName: lock }) },
          } as KubeObject,
        ]
      : []),
  ];
};

const createWorld = (given: Given) => {
  let objects = worldOf(given);
  const asked: string[] = [];
  const found = <T>(value: unknown): Read<T> =>
    value === undefined ? { state: 'absent' } : { state: 'found', value: value as T };
  const reader = typedReader({
    get: (kind, { name }) => found(objects.find((o) => o.kind === kind && o.metadata.name === name)),
    list: (kind) => found(objects.filter((o) => o.kind === kind)),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'found', value: [] }),
    ask: (port, operation) => {
      asked.push(`${port} ${operation}`);
      return { state: 'absent' };
    },
  });
  const current = () => objects.find(({ kind }) => kind === 'KubeadmConfig') as KubeadmConfig;
  const put = (next: KubeObject) => {
    if (!equal(current(), next)) objects = objects.map((o) => (o.kind === 'KubeadmConfig' ? next : o));
  };
  const pass = (): Plan<KubeadmConfigStatus> => {
    const of = context(given.workflows ?? true);
    const cluster = objects.find(({ kind }) => kind === 'Cluster');
    const plan = operatedPass(kubeadmConfigController, current(), reader, cluster, of);
    if (plan.intent) put(mergePatch(current(), plan.intent));
    for (const action of plan.actions ?? [])
      if (action.do === 'delete') objects = objects.filter(({ metadata }) => metadata.uid !== action.uid);
    if (plan.status) put({ ...current(), status: plan.status });
    return plan;
  };
  const aim = (target: Target) => {
    objects = objects.map((o) =>
      o.kind === 'Cluster' ? mergePatch(o, { metadata: { annotations: { 'capstan.dev/target': target } } }) : o,
    );
  };
  return { pass, aim, asked, current, objects: () => objects };
};

const summaryOf = ({ actions = [] }: Plan<KubeadmConfigStatus>) =>
  actions.map((action: Action) => {
    if (action.do === 'create') return `create ${action.object.kind} ${action.object.metadata.name}`;
    return action.do === 'call' ? action.operation : `${action.do} ${action.kind} ${action.name}`;
  });
const conditionsOf = ({ status }: Plan<KubeadmConfigStatus>) =>
  Object.fromEntries((status?.conditions ?? []).map((c) => [c.type, c]));

const joining: KubeadmConfig['spec'] = { joinConfiguration: { nodeRegistration: { name: 'n' } } };
const waits = 'Waiting for ClusterOperation c-create-1 to admit the cluster';
const holds = 'Held by ClusterOperation c-create-1: nothing new is created';
const tears = 'Torn down by ClusterOperation c-create-1';

describe('a config under an operation', () => {
  it.each<Given & { rule: string; does: string[]; says: string; asks?: string[] }>([
    { rule: 'creates nothing before it is admitted', certificates: 'user', does: [], says: waits },
    { rule: 'acquires no lock and creates no certificate on Hold', target: 'Hold', does: [], says: holds },
    {
      rule: 'creates no token and no user data on Hold',
      target: 'Hold',
      worker: true,
      initialized: true,
      certificates: 'control plane',
      does: [],
      says: holds,
    },
    {
      rule: 'keeps the token of a joining machine on Hold, because it costs nothing',
      target: 'Hold',
      worker: true,
      initialized: true,
      done: true,
      spec: { joinConfiguration: { discovery: { bootstrapToken: { token: 'abcdef.0123456789abcdef' } } } },
      does: ['create'],
      says: '',
      asks: ['workload get'],
    },
    { rule: 'reports its user data before it is admitted', done: true, does: [], says: '' },
    { rule: 'continues when the target is Build', target: 'Build', does: ['create ConfigMap c-lock'], says: '' },
    { rule: 'continues without workflows', workflows: false, does: ['create ConfigMap c-lock'], says: '' },
    {
      rule: 'of a MachineSet is left to its Machine, and ignores its token',
      target: 'Nothing',
      generated: true,
      worker: true,
      initialized: true,
      done: true,
      spec: { joinConfiguration: { discovery: { bootstrapToken: { token: 'abcdef.0123456789abcdef' } } } },
      does: [],
      says: '',
    },
    {
      rule: 'of a MachineSet creates nothing in a teardown',
      target: 'Nothing',
      generated: true,
      does: [],
      says: tears,
    },
    {
      rule: 'of a user deletes its user-data Secret in a teardown',
      target: 'Nothing',
      worker: true,
      done: true,
      does: ['delete Secret m'],
      says: tears,
    },
    {
      rule: 'of a user keeps a Secret of another client',
      target: 'Nothing',
      worker: true,
      foreign: true,
      does: [],
      says: tears,
    },
    {
      rule: 'of a user deletes the certificates created for it, and releases the lock',
      target: 'Nothing',
      done: true,
      certificates: 'config',
      lock: 'm',
      does: [
        'delete Secret m',
        'delete Secret c-ca',
        'delete Secret c-etcd',
        'delete Secret c-proxy',
        'delete Secret c-sa',
        'delete ConfigMap c-lock',
      ],
      says: tears,
    },
    {
      rule: 'keeps the certificates of users',
      target: 'Nothing',
      certificates: 'user',
      does: [],
      says: tears,
    },
    {
      rule: 'keeps the certificates that the control plane created',
      target: 'Nothing',
      certificates: 'control plane',
      does: [],
      says: tears,
    },
    {
      rule: 'breaks the lock of a deleted machine',
      target: 'Nothing',
      lock: 'x',
      does: ['delete ConfigMap c-lock'],
      says: tears,
    },
  ])('$rule', ({ does, says, asks = [], ...given }) => {
    const world = createWorld(given);
    const plan = world.pass();
    expect(summaryOf(plan)).toEqual(does);
    expect(world.asked.filter((one) => one.startsWith('workload'))).toEqual(asks);
    // Creating keys and certificates is slow, so they are created only when they are used.
    if (says) expect(world.asked).toEqual(asks);
    if (says)
      expect(conditionsOf(plan)).toMatchObject({
        DataSecretAvailable: { status: 'False', message: says },
        Ready: { status: 'False' },
      });
  });
});

describe('a user-created config', () => {
  const given: Given = {
    target: 'Build',
    worker: true,
    initialized: true,
    certificates: 'control plane',
    spec: joining,
  };

  it('returns to its original spec after a teardown without further writes, and starts over', () => {
    const world = createWorld(given);
    expect(summaryOf(world.pass())).toEqual(['create Secret m']);
    expect(world.current().spec?.joinConfiguration?.discovery?.bootstrapToken?.apiServerEndpoint).toBe(
      'api.example.com:6443',
    );
    expect(world.current().metadata.annotations?.[filledAnnotation]).toContain('apiServerEndpoint');
    expect(JSON.stringify(world.current())).not.toContain('abcdef');
    expect(isCleared(world.current())).toBe(false);

    world.aim('Nothing');
    world.pass();
    expect(world.current().spec).toEqual(joining);
    expect(isCleared(world.current())).toBe(true);
    const before = world.current();
    const quiet = world.pass();
    expect(world.current()).toBe(before);
    expect(quiet).not.toHaveProperty('requeueAfter');
    expect(quiet.again).toBeUndefined();

    world.aim('Build');
    expect(summaryOf(world.pass())).toEqual(['create Secret m']);
  });

  it('resets its status only once the Secret is gone', () => {
    const world = createWorld({ target: 'Nothing', done: true, worker: true });
    expect(world.pass().status).toHaveProperty('initialization');
    const plan = world.pass();
    expect(plan.status).not.toHaveProperty('initialization');
    expect(plan.status).not.toHaveProperty('dataSecretName');
    expect(isCleared(world.current())).toBe(true);
  });

  it('does not claim the user data that its Machine still references', () => {
    const world = createWorld({ target: 'Nothing', worker: true });
    const machine = world.objects().find(({ kind }) => kind === 'Machine') as Machine;
    machine.spec!.bootstrap = { dataSecretName: 'm' };
    expect(world.pass().status).not.toHaveProperty('dataSecretName');
  });

  it('of a MachineSet records no defaulted fields', () => {
    const world = createWorld({ ...given, generated: true });
    world.pass();
    expect(world.current().spec?.joinConfiguration?.discovery).toBeDefined();
    expect(world.current().metadata.annotations).toBeUndefined();
  });
});
