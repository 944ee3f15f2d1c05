import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Plan, Read } from '../../../machinery/api/reconcile.ts';
import { controllerReference } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { publicKeyHashes } from '../../core/contract/certificate-bundle.ts';
import {
  type Authority,
  authorities,
  clusterSecret,
  type Secret,
  secretValue,
} from '../../core/contract/cluster-secrets.ts';
import type { Machine } from '../../core/machine/schema.ts';
import { authorityPair } from './certificates.fixture.ts';
import type { KubeadmConfig, KubeadmConfigSpec } from './index.ts';
import type { Ingredients, Observed, Token } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { KubeadmConfigStatus } from './schema.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const namespace = 'default';
const found = <T>(value: T): Read<T> => ({ state: 'found', value });
const absent: Read<never> = { state: 'absent' };
const context = {
  now,
  random: {
    suffix: () => 'abcde',
    pick: <T>(from: readonly T[]) => from[0]!,
    token: () => 'abcdef0123456789abcdef0123456789',
  },
  lastFailure: undefined,
  attempts: 0,
  installation: 'test',
  config: {},
} as Context;

interface Given {
  provisioned?: boolean;
  initialized?: boolean;
  endpoint?: boolean;
  controlPlane?: boolean;
  node?: boolean;
  version?: string;
  spec?: KubeadmConfigSpec;
  done?: boolean;
  /** The Machine that holds the init lock, and whether it exists. */
  lock?: { machine: string; exists: boolean };
  missing?: string[];
  damaged?: { purpose: Authority; data: Record<string, string>; fault: string };
  /** Minutes until the token expires; undefined if it does not exist. */
  token?: number;
  kubeconfig?: boolean;
  /** UID of the config that owns an existing user-data Secret. */
  dataSecretOf?: string | undefined;
  /** The token in that Secret. */
  generated?: string;
  sources?: Record<string, Record<string, string>>;
  restored?: boolean;
  /** The owner is a MachinePool. */
  pool?: boolean;
  /** Its token is to be replaced. */
  aged?: boolean;
  /** Given in a cluster whose API servers must report changes. */
  push?: Ingredients['push'];
}

const secret = (name: string, values: Record<string, string>, uid = 'kcp'): Secret =>
  clusterSecret({ namespace, name, cluster: 'c', owner: { apiVersion: 'v1', kind: 'Owner', name: 'o', uid }, values });

const ca = authorityPair();
const pairOf = (purpose: Authority, change: Record<string, string> = {}) => ({
  ...(purpose === 'ca' ? ca : { 'tls.crt': `crt of ${purpose}`, 'tls.key': `key of ${purpose}` }),
  ...change,
});

const ingredientsOf = ({ lock, missing = [], damaged, sources = {}, push }: Given): Ingredients => ({
  certificates: {
    secrets: Object.fromEntries(
      authorities.map((purpose) => [
        purpose,
        missing.includes(purpose)
          ? absent
          : found(secret(`c-${purpose}`, pairOf(purpose, purpose === damaged?.purpose ? damaged.data : {}))),
      ]),
    ) as Ingredients['certificates']['secrets'],
    generated: {},
    faults: damaged ? { [damaged.purpose]: damaged.fault } : {},
  },
  sources: new Map(Object.entries(sources).map(([name, values]) => [name, found(secret(name, values))])),
  controlPlane: found({
    apiVersion: 'v1',
    kind: 'KubeadmControlPlane',
    metadata: { name: 'kcp' },
    spec: { version: 'v1.35.0' },
    // The oldest version among its Machines during an upgrade.
    status: { version: 'v1.34.0' },
  }),
  lock: lock
    ? found({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'c-lock', namespace, uid: 'lock' },
        data: { 'lock-information': JSON.stringify({ machineName: lock.machine }) },
      })
    : absent,
  lockHolder: lock && (lock.exists ? found({ metadata: { name: lock.machine } } as Machine) : absent),
  push,
});

const tokenOf = ({ token, generated, kubeconfig = true }: Given, spec: KubeadmConfigSpec): Token => {
  const value = generated ?? spec.joinConfiguration?.discovery?.bootstrapToken?.token;
  const expiration = new Date(now + (token ?? 0) * 60_000).toISOString();
  return {
    kubeconfig: kubeconfig ? found(secret('c-kubeconfig', { value: 'kubeconfig' })) : absent,
    value,
    current: value === undefined ? undefined : token === undefined ? absent : found(secret('token', { expiration })),
  };
};

const observed = (given: Given): Observed => {
  const {
    provisioned = true,
    initialized = false,
    endpoint = true,
    controlPlane = true,
    node,
    version = 'v1.35.0',
    done,
    spec = {},
  } = given;
  const config: KubeadmConfig = {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfig',
    metadata: { name: 'm', namespace, uid: 'config', resourceVersion: '1' },
    spec,
    ...(done && { status: { initialization: { dataSecretCreated: true }, dataSecretName: 'm' } }),
  };
  const machine: Machine = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: given.pool ? 'MachinePool' : 'Machine',
    metadata: { name: 'm', namespace, labels: controlPlane ? { 'cluster.x-k8s.io/control-plane': '' } : {} },
    spec: {
      clusterName: 'c',
      version,
      bootstrap: given.restored ? { dataSecretName: 'restored' } : {},
      infrastructureRef: { apiGroup: 'i', kind: 'AWSMachine', name: 'm' },
    },
    ...(node && { status: { nodeRef: { name: 'n' } } }),
  };
  const cluster: Cluster = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name: 'c', namespace, uid: 'cluster' },
    spec: endpoint ? { controlPlaneEndpoint: { host: 'api.example.com', port: 6443 } } : {},
    status: {
      initialization: {
        ...(provisioned && { infrastructureProvisioned: true }),
        ...(initialized && { controlPlaneInitialized: true }),
      },
    },
  };
  const { dataSecretOf } = given;
  const values: Record<string, string> = given.generated ? { token: given.generated } : {};
  const data = given.pool
    ? clusterSecret({ namespace, name: 'm', cluster: 'c', owner: controllerReference(config), values })
    : secret('m', {}, dataSecretOf);
  return {
    config,
    machine: found(machine),
    withheld: undefined,
    remains: undefined,
    cluster: found(cluster),
    dataSecret: dataSecretOf === undefined ? absent : found({ ...data, metadata: { ...data.metadata, uid: 's' } }),
    ingredients: (done && !given.aged) || !provisioned ? undefined : ingredientsOf(given),
    token: initialized ? tokenOf(given, spec) : undefined,
  };
};

const story = ({ actions = [] }: Plan<KubeadmConfigStatus>): string[] =>
  actions.map((action: Action) => {
    switch (action.do) {
      case 'create':
        return `create ${action.object.kind} ${action.object.metadata.name}`;
      case 'call': {
        const { name, object } = action.input as unknown as { name?: string; object?: KubeObject };
        return `${action.operation} ${name ?? object?.metadata.name}`;
      }
      default:
        return `${action.do} ${action.kind} ${action.name}`;
    }
  });
const conditionsOf = ({ status }: Plan<KubeadmConfigStatus>) => status?.conditions ?? [];
const messageOf = (plan: Plan<KubeadmConfigStatus>) =>
  conditionsOf(plan).find(({ type }) => type === 'DataSecretAvailable')?.message;
const userDataOf = ({ actions = [] }: Plan<KubeadmConfigStatus>): string => {
  const create = actions.find((action) => action.do === 'create' && action.object.kind === 'Secret') as
    | { object: Secret }
    | undefined;
  return secretValue(create?.object, 'value') ?? '';
};

const reporting = (token: Read<Secret>): Ingredients['push'] => ({
  settings: { url: 'https://capstan.example.com/capstan.dev/audit' },
  reasons: ['health-check'],
  token,
  joined: undefined,
});

const withToken: KubeadmConfigSpec = {
  joinConfiguration: {
    discovery: {
      bootstrapToken: {
        token: 'abcdef.0123456789abcdef',
        apiServerEndpoint: 'api.example.com:6443',
        unsafeSkipCAVerification: true,
      },
    },
  },
};
const storedToken = {
  initialized: true,
  controlPlane: false,
  dataSecretOf: 'config',
  generated: 'abcdef.0123456789abcdef',
};
const ofPool = { ...storedToken, pool: true, done: true };
const asControlPlane: KubeadmConfigSpec = { joinConfiguration: { ...withToken.joinConfiguration, controlPlane: {} } };
const mine = { machine: 'm', exists: true };
const others = { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'another', controller: true };

describe('a config', () => {
  it.each<Given & { rule: string; does: string[]; says?: RegExp; after?: number }>([
    { rule: 'waits for the infrastructure', provisioned: false, does: [], says: /infrastructureProvisioned/ },
    {
      rule: 'of a worker waits for the initialised control plane',
      controlPlane: false,
      does: [],
      says: /to be initialized/,
    },
    { rule: 'acquires the init lock before it initialises', does: ['create ConfigMap c-lock'] },
    { rule: 'initialises while it holds the lock', lock: mine, does: ['create Secret m'] },
    {
      rule: 'waits while another Machine initialises',
      lock: { machine: 'other', exists: true },
      does: [],
      says: /Machine other/,
      after: 30,
    },
    {
      rule: 'breaks the lock of a deleted machine',
      lock: { machine: 'other', exists: false },
      does: ['delete ConfigMap c-lock'],
    },
    { rule: 'waits for certificates', lock: mine, missing: ['etcd'], does: [], says: /certificates/, after: 30 },
    {
      rule: 'releases the lock when it cannot initialise',
      lock: mine,
      version: 'v1.20.0',
      does: ['delete ConfigMap c-lock'],
      says: /not supported/,
      after: 30,
    },
    {
      rule: 'stores its token before it creates it in the cluster',
      initialized: true,
      controlPlane: false,
      does: ['create Secret m'],
      says: /to be created/,
    },
    {
      rule: 'creates the token that it stored',
      ...storedToken,
      does: ['create bootstrap-token-abcdef'],
      says: /^$/,
      after: 300,
    },
    { rule: 'creates no second token', ...storedToken, token: 15, does: [], says: /^$/, after: 300 },
    {
      rule: 'refreshes a token that is about to expire',
      ...storedToken,
      token: 10,
      does: ['patch bootstrap-token-abcdef'],
      says: /^$/,
      after: 300,
    },
    {
      rule: 'is not ready before it can create its token',
      ...storedToken,
      kubeconfig: false,
      does: [],
      says: /kubeconfig/,
      after: 10,
    },
    {
      rule: 'creates the token of a user',
      initialized: true,
      controlPlane: false,
      dataSecretOf: 'config',
      spec: withToken,
      does: ['create bootstrap-token-abcdef'],
      says: /^$/,
      after: 300,
    },
    {
      rule: 'refreshes the token that it stored until the machine has joined',
      ...storedToken,
      dataSecretOf: undefined,
      done: true,
      token: 10,
      does: ['patch bootstrap-token-abcdef'],
      says: /^$/,
      after: 300,
    },
    {
      rule: 'of a control plane machine releases the lock and joins',
      initialized: true,
      spec: asControlPlane,
      token: 15,
      lock: mine,
      does: ['delete ConfigMap c-lock', 'create Secret m'],
    },
    {
      rule: 'of a control plane machine needs all certificates',
      initialized: true,
      spec: asControlPlane,
      token: 15,
      missing: ['sa'],
      does: [],
      says: /certificates/,
      after: 30,
    },
    {
      rule: 'of a worker needs only the CA',
      initialized: true,
      controlPlane: false,
      spec: withToken,
      token: 15,
      missing: ['sa', 'etcd', 'proxy'],
      does: ['create Secret m'],
    },
    {
      rule: 'of a worker cannot join as a control plane',
      initialized: true,
      controlPlane: false,
      spec: asControlPlane,
      token: 15,
      does: [],
      says: /not a control plane machine/,
      after: 30,
    },
    {
      rule: 'waits for the endpoint',
      initialized: true,
      endpoint: false,
      controlPlane: false,
      does: [],
      says: /endpoint/,
      after: 10,
    },
    {
      rule: 'waits for the kubeconfig',
      initialized: true,
      kubeconfig: false,
      controlPlane: false,
      does: [],
      says: /kubeconfig/,
      after: 10,
    },
    {
      rule: 'with Ignition is unsupported, and reports that',
      lock: mine,
      spec: { format: 'ignition' },
      does: [],
      says: /Ignition .*: accepted and stored, but not acted on/,
    },
    {
      rule: 'creates the token of the audit webhook before the user data',
      lock: mine,
      push: reporting(absent),
      does: ['create Secret c-audit-webhook'],
    },
    {
      rule: 'waits until it knows whether the user has an audit policy',
      lock: mine,
      push: { ...reporting(absent)!, joined: { state: 'unreadable', reason: 'timeout' } },
      does: [],
      says: /workload cluster to answer/,
      after: 10,
    },
    {
      rule: 'becomes an owner of that token',
      lock: mine,
      push: reporting(found(secret('c-audit-webhook', { token: 'a-token' }))),
      does: ['patch Secret c-audit-webhook', 'create Secret m'],
    },
    { rule: 'is done when its Secret exists', lock: mine, dataSecretOf: 'config', does: [], says: /^$/ },
    { rule: 'adopts a Secret that another config owns', lock: mine, dataSecretOf: 'another', does: ['patch Secret m'] },
    {
      rule: 'refreshes the token until the machine has joined',
      done: true,
      initialized: true,
      spec: withToken,
      token: 10,
      does: ['patch bootstrap-token-abcdef'],
      says: /^$/,
      after: 300,
    },
    {
      rule: 'keeps a fresh token',
      done: true,
      initialized: true,
      spec: withToken,
      token: 14,
      does: [],
      says: /^$/,
      after: 300,
    },
    {
      rule: 'recreates a lost token',
      done: true,
      initialized: true,
      spec: withToken,
      does: ['create bootstrap-token-abcdef'],
      says: /^$/,
      after: 300,
    },
    {
      rule: 'gives a pool another token at half of its lifetime',
      ...ofPool,
      aged: true,
      token: 7,
      does: ['patch Secret m'],
      says: /^$/,
      after: 1,
    },
    {
      rule: 'creates the token of a pool that the cluster does not have',
      ...ofPool,
      does: ['create bootstrap-token-abcdef'],
      says: /^$/,
      after: 300,
    },
    {
      rule: 'keeps the token of a pool until then',
      ...ofPool,
      token: 20,
      does: [],
      says: /^$/,
      after: 300,
    },
    { rule: 'recognises its user data after a restore', restored: true, does: [], says: /^$/ },
    {
      rule: 'makes the data of a pool whose MachinePool names a Secret that does not exist',
      ...ofPool,
      done: false,
      dataSecretOf: undefined,
      restored: true,
      does: ['create Secret m'],
      says: /Waiting for the Secret/,
    },
    {
      rule: 'does not start a host with a damaged key',
      lock: mine,
      damaged: { purpose: 'ca', data: { 'tls.key': 'x' }, fault: 'tls.key is not a private key' },
      does: [],
      says: /certificates/,
      after: 30,
    },
    {
      rule: 'of a worker joins with a damaged key of the authority',
      initialized: true,
      controlPlane: false,
      damaged: { purpose: 'ca', data: { 'tls.key': 'x' }, fault: 'tls.key is not a private key' },
      token: 10,
      does: ['create Secret m'],
    },
    {
      rule: 'of a worker does not join with a damaged certificate of the authority',
      initialized: true,
      controlPlane: false,
      damaged: { purpose: 'ca', data: { 'tls.crt': 'x' }, fault: 'tls.crt is not a certificate in PEM' },
      token: 10,
      does: [],
      says: /certificates/,
      after: 30,
    },
    {
      rule: 'reports a missing Secret of its files',
      lock: mine,
      spec: { files: [{ path: '/a', contentFrom: { secret: { name: 's', key: 'k' } } }] },
      does: ['delete ConfigMap c-lock'],
      says: /file \/a: Secret s does not exist/,
      after: 30,
    },
    {
      rule: 'reports a missing key of a Secret',
      lock: mine,
      sources: { s: { x: 'y' } },
      spec: { users: [{ name: 'u', passwdFrom: { secret: { name: 's', key: 'k' } } }] },
      does: ['delete ConfigMap c-lock'],
      says: /user u: Secret s has no key k/,
      after: 30,
    },
  ])('$rule', ({ does, says, after, ...given }) => {
    const plan = reconcile(observed(given), context);
    expect(story(plan)).toEqual(does);
    if (says) expect(messageOf(plan)).toMatch(says);
    expect(plan.requeueAfter).toBe(after);
  });

  it.each<{ rule: string; done?: boolean; secret: { type?: string; metadata?: object }; claims: boolean }>([
    { rule: 'its owner and its label', secret: { metadata: { ownerReferences: [], labels: {} } }, claims: true },
    { rule: 'its owner', secret: { metadata: { ownerReferences: [] } }, claims: true },
    { rule: 'its label', secret: { metadata: { labels: {} } }, claims: true },
    { rule: 'nothing', secret: {}, claims: false },
    { rule: 'its owner to another controller', secret: { metadata: { ownerReferences: [others] } }, claims: false },
    {
      rule: 'its owner, when a user created it',
      secret: { type: 'Opaque', metadata: { ownerReferences: [] } },
      claims: false,
    },
    {
      rule: 'its owner, when the config has not created it',
      done: false,
      secret: { metadata: { ownerReferences: [] } },
      claims: false,
    },
  ])('reclaims a user-data Secret that lost $rule: $claims', ({ done = true, secret: change, claims }) => {
    const seen = observed({ done, lock: { machine: 'other', exists: true } });
    const owner = controllerReference(seen.config);
    const made = clusterSecret({ namespace, name: 'm', cluster: 'c', owner, values: { value: 'data' } });
    const value = { ...made, ...change, metadata: { ...made.metadata, uid: 's', ...change.metadata } };
    const { actions = [] } = reconcile({ ...seen, dataSecret: found(value) }, context);
    const metadata = { labels: { 'cluster.x-k8s.io/cluster-name': 'c' }, ownerReferences: [owner] };
    expect(actions).toMatchObject(claims ? [{ do: 'patch', kind: 'Secret', name: 'm', patch: { metadata } }] : []);
    expect(actions).toHaveLength(claims ? 1 : 0);
  });

  it('does nothing without an owner or a cluster', () => {
    expect(reconcile({ ...observed({}), machine: undefined }, context)).toEqual({});
    expect(reconcile({ ...observed({}), cluster: { state: 'unreadable', reason: 'x' } }, context)).toEqual({});
  });
});

describe('user data', () => {
  const secretIn = ({ actions = [] }: Plan<KubeadmConfigStatus>): Secret =>
    (actions.find((action) => action.do === 'create') as { object: Secret }).object;

  it('contains a token that no spec contains', () => {
    const plan = reconcile(observed({ initialized: true, controlPlane: false }), context);
    const { joinConfiguration } = mergePatch({} as KubeadmConfigSpec, plan.intent!.spec as JsonObject);
    expect(joinConfiguration?.discovery?.bootstrapToken).toEqual({
      apiServerEndpoint: 'api.example.com:6443',
      caCertHashes: publicKeyHashes(ca['tls.crt']),
    });
    expect(secretValue(secretIn(plan), 'token')).toBe('abcdef.0123456789abcdef');
    expect(secretValue(secretIn(plan), 'value')).toContain('token: abcdef.0123456789abcdef');
  });

  it('contains the token that a user wrote, which stays in the spec', () => {
    const plan = reconcile(observed({ initialized: true, controlPlane: false, spec: withToken }), context);
    expect(plan.intent).toBeUndefined();
    expect(Object.keys(secretIn(plan).data ?? {}).sort()).toEqual(['format', 'value']);
    expect(secretValue(secretIn(plan), 'value')).toContain('token: abcdef.0123456789abcdef');
  });

  it('of another config loses its token', () => {
    const given = { initialized: true, controlPlane: false, spec: withToken, dataSecretOf: 'another' };
    const { actions } = reconcile(observed(given), context);
    expect(actions).toMatchObject([{ do: 'patch', name: 'm', patch: { data: { token: null } } }]);
  });

  it('contains a token that is valid for 15 minutes', () => {
    const { actions = [] } = reconcile(observed(storedToken), context);
    const { input } = actions.find((action) => action.do === 'call')! as unknown as {
      input: { object: { data: JsonObject } };
    };
    const end = Buffer.from(String(input.object.data.expiration), 'base64').toString();
    expect(Date.parse(end) - now).toBe(15 * 60_000);
  });

  it('of the first machine contains certificates, user files and both kubeadm documents, in this order', () => {
    const spec: KubeadmConfigSpec = {
      files: [
        { path: '/etc/plain', content: 'plain' },
        { path: '/etc/secret', contentFrom: { secret: { name: 's', key: 'k' } }, permissions: '0600' },
        { path: '/etc/version', content: 'v={{ .controlPlane.version }}', contentFormat: 'Template' },
      ],
      preKubeadmCommands: ['echo before'],
      postKubeadmCommands: ['echo after'],
    };
    const text = userDataOf(reconcile(observed({ lock: mine, spec, sources: { s: { k: 'hidden' } } }), context));
    const paths = [...text.matchAll(/- path: (\S+)/g)].map(([, path]) => path);
    expect(paths).toEqual([
      ...[
        'ca.crt',
        'ca.key',
        'etcd/ca.crt',
        'etcd/ca.key',
        'front-proxy-ca.crt',
        'front-proxy-ca.key',
        'sa.pub',
        'sa.key',
      ].map((file) => `/etc/kubernetes/pki/${file}`),
      '/etc/plain',
      '/etc/secret',
      '/etc/version',
      '/run/kubeadm/kubeadm.yaml',
      '/run/cluster-api/placeholder',
    ]);
    expect(text).toMatch(/content: \|\n +hidden\n/);
    expect(text).toMatch(/content: \|\n +v=v1.35.0\n/);
    expect(text).toMatch(/kind: ClusterConfiguration[\s\S]*---[\s\S]*kind: InitConfiguration/);
    expect(text).toMatch(
      /"echo before"\n.*"kubeadm init --config \/run\/kubeadm\/kubeadm.yaml && echo success > \/run\/cluster-api\/bootstrap-success.complete"\n.*"echo after"/,
    );
  });

  it('of a worker contains no certificate and taints the node until the Machine controller finds it', () => {
    const text = userDataOf(
      reconcile(observed({ initialized: true, controlPlane: false, spec: withToken, token: 15 }), context),
    );
    expect(text).not.toContain('/etc/kubernetes/pki');
    expect(text).toContain('key: node.cluster.x-k8s.io/uninitialized');
    expect(text).not.toContain('controlPlane');
  });

  it.each([
    { version: 'v1.30.4', api: 'kubeadm.k8s.io/v1beta3' },
    { version: 'v1.31.0', api: 'kubeadm.k8s.io/v1beta4' },
  ])('for $version uses $api', ({ version, api }) => {
    expect(userDataOf(reconcile(observed({ lock: mine, version }), context))).toContain(`apiVersion: ${api}`);
  });
});

describe('the host that starts etcd on a snapshot', () => {
  const file = { location: 'here/uid/a.db', checksum: `sha256:${'ab'.repeat(32)}` };
  const restoring = (link: Read<{ url: string }>, given: Given = {}): Observed => {
    const before = observed({ initialized: true, lock: mine, ...given });
    return { ...before, token: undefined, ingredients: { ...before.ingredients!, restore: { file, link } } };
  };

  it('initializes a cluster that was initialized before, once it has the snapshot', () => {
    const url = "https://storage/a.db?signature=%2B&it's";
    const userData = userDataOf(reconcile(restoring(found({ url })), context));
    expect(userData).toContain('sh /run/capstan/restore-etcd.sh /run/kubeadm/kubeadm.yaml && kubeadm init --config');
    expect(userData).toContain(`url='https://storage/a.db?signature=%2B&it'"'"'s'`);
    expect(userData).toContain(`checksum='${'ab'.repeat(32)}'`);
    expect(userData).toContain('--bump-revision 1000000000 --mark-compacted');
    // kubeadm accepts the directory that is not empty, and keeps the add-ons of the snapshot.
    expect(userData).toMatch(/ignorePreflightErrors:\n\s+- DirAvailable--var-lib-etcd/);
    expect(userData).toMatch(/skipPhases:\n\s+- addon/);
    // cloud-init would read it as an expression.
    expect(userData.slice(userData.indexOf('#!/bin/sh'))).not.toMatch(/\{[{%#]/);
  });

  const signedAt = (minutes: number) => ({
    'capstan.dev/restore-etcd': JSON.stringify(file),
    'capstan.dev/link-signed': new Date(now - minutes * 60_000).toISOString(),
  });
  /** After its user data were stored, with a link signed that many minutes ago. */
  const stored = (
    minutes: number,
    { link, providerID }: { link?: Read<{ url: string }>; providerID?: string } = {},
  ) => {
    const { ingredients, ...before } = restoring(link ?? found({ url: 'later' }), { dataSecretOf: 'config' });
    const status = { initialization: { dataSecretCreated: true }, dataSecretName: 'm' };
    const annotations = signedAt(minutes);
    const { value: machine } = before.machine as { value: Machine };
    const { value: data } = before.dataSecret as { value: Secret };
    return {
      ...before,
      config: { ...before.config, metadata: { ...before.config.metadata, annotations }, status },
      machine: found({ ...machine, spec: { ...machine.spec!, ...(providerID && { providerID }) } }),
      dataSecret: found({ ...data, metadata: { ...data.metadata, annotations } }),
      ingredients: link ? ingredients : undefined,
    };
  };

  it('notes when its link was signed', () => {
    const [save] = reconcile(restoring(found({ url: 'u' })), context).actions!;
    expect(save).toMatchObject({
      object: {
        metadata: { annotations: { 'capstan.dev/link-signed': new Date(now).toISOString().replace('.000', '') } },
      },
    });
  });

  it.each<{ rule: string; given: Observed; patches: number; again: number | undefined }>([
    { rule: 'waits until its link is due', given: stored(2), patches: 0, again: 3 * 60 },
    {
      rule: 'gets a new link while it is not launched',
      given: stored(40, { link: found({ url: 'later' }) }),
      patches: 1,
      again: 30,
    },
    {
      rule: 'keeps its link while no other can be had',
      given: stored(40, { link: { state: 'unreadable', reason: 'refused' } }),
      patches: 0,
      again: 30,
    },
    {
      rule: 'keeps its link once it is launched',
      given: stored(40, { providerID: 'aws:///z/i-1' }),
      patches: 0,
      again: undefined,
    },
  ])('$rule', ({ given, patches, again }) => {
    const plan = reconcile(given, context);
    const saved = (plan.actions ?? []).filter((action) => action.do === 'patch' && 'data' in action.patch);
    expect(saved).toHaveLength(patches);
    expect(plan.requeueAfter).toBe(again);
    expect(conditionsOf(plan).every(({ status }) => status === 'True')).toBe(true);
    for (const { patch } of saved as unknown as { patch: Secret }[]) {
      expect(Buffer.from(patch.data!.value!, 'base64').toString()).toContain("url='later'");
      expect(Date.parse(patch.metadata.annotations!['capstan.dev/link-signed']!)).toBe(now);
    }
  });

  it('keeps what its user skips and ignores, and finds etcd in its directory', () => {
    const spec: KubeadmConfigSpec = {
      clusterConfiguration: { etcd: { local: { dataDir: '/mnt/disk/etcd' } } },
      initConfiguration: { skipPhases: ['mark-control-plane'], nodeRegistration: { ignorePreflightErrors: ['Mem'] } },
    };
    const userData = userDataOf(reconcile(restoring(found({ url: 'u' }), { spec }), context));
    expect(userData).toMatch(/- Mem\n\s+- DirAvailable--mnt-disk-etcd/);
    expect(userData).toMatch(/- mark-control-plane\n\s+- addon/);
  });

  it.each<Read<{ url: string }>>([
    { state: 'unread' },
    { state: 'unreadable', reason: 'refused' },
  ])('waits for its link: %j', (link) => {
    const plan = reconcile(restoring(link), context);
    expect(plan.actions ?? []).toEqual([]);
    expect(messageOf(plan)).toBe('Waiting for the snapshot of etcd');
  });
});

describe('the status', () => {
  it('keeps reporting created user data', () => {
    const plan = reconcile(observed({ done: true, node: true }), context);
    expect(plan.status).toMatchObject({ initialization: { dataSecretCreated: true }, dataSecretName: 'm' });
    expect(conditionsOf(plan).map(({ type, status }) => [type, status])).toEqual([
      ['DataSecretAvailable', 'True'],
      ['CertificatesAvailable', 'True'],
      ['Ready', 'True'],
    ]);
  });
  it('reports why the user-data Secret could not be stored', () => {
    const lastFailure = { port: 'workload', operation: 'create', code: 'Timeout', message: 'no answer', at: now };
    const given = observed({ initialized: true, controlPlane: false });
    expect(messageOf(reconcile(given, { ...context, lastFailure }))).toBe('Failed to workload create: no answer');
  });
  it('reports why the token could not be created, and no user data before it is', () => {
    const lastFailure = { port: 'workload', operation: 'create', code: 'Timeout', message: 'no answer', at: now };
    const plan = reconcile(observed(storedToken), { ...context, lastFailure });
    expect(messageOf(plan)).toBe('Failed to workload create: no answer');
    expect(plan.status).not.toHaveProperty('initialization');
  });
  it('does not report user data before the Secret is observed', () => {
    const plan = reconcile(observed({ lock: mine }), context);
    expect(plan.status).not.toHaveProperty('initialization');
    expect(plan.again).toBe(true);
  });
});
