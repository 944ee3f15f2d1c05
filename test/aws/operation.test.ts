/** The preflight and the search for remaining resources on a simulated account. */

import { describe, expect, it } from 'vitest';
import { guarded } from '../../adapters/cloud/guarded.ts';
import { localPki } from '../../adapters/pki/index.ts';
import { secretDigest } from '../../kinds/common/secret-purpose.ts';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import type { FormerCluster } from '../../kinds/core/contract/infrastructure.ts';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import { judgePreflight, observePreflight } from '../../kinds/infrastructure-aws/preflight/index.ts';
import { infrastructures } from '../../kinds/infrastructures.ts';
import { observeRemains } from '../../kinds/operations/shared/leftovers.ts';
import { referenceTo } from '../../kinds/references.fixture.ts';
import { mergePatch } from '../../machinery/api/merge.ts';
import type { JsonValue, KubeObject } from '../../machinery/api/object.ts';
import type { Context, OfRole, Read, Reader } from '../../machinery/api/reconcile.ts';
import { addCluster, addMachine, createWorld, type World } from './world.ts';

const kindOf: Record<string, string> = { BootstrapConfig: 'KubeadmConfig', InfrastructureMachine: 'AWSMachine' };
const kinds = ['Machine', 'AWSMachine', 'MachineSet', 'KubeadmConfig', 'ClusterResourceSetBinding', 'WorkloadSnapshot'];
const names = ['demo', 'one', 'demo-ca', 'mine'];

/** As the index of the cluster has it. */
const indexed = (secret: KubeObject | undefined) => {
  if (!secret) return [];
  return [secret.metadata.annotations?.indexedBy === 'an older version' ? {} : secretDigest(secret)];
};

/** Reads in rounds, as the loop does: the reads of one round are available in the next. Returns the number of rounds. */
const observed = async <T>(world: World, observe: (read: Reader) => T): Promise<{ value: T; rounds: number }> => {
  const answers = new Map<string, Read<unknown>>();
  const [cloud, pki] = [guarded(world.account), localPki()];
  for (let rounds = 0; ; rounds += 1) {
    const wanted = new Map<string, () => Promise<Read<unknown>>>();
    const need = (key: string, make: () => Promise<Read<unknown>>) => {
      if (!answers.has(key)) wanted.set(key, make);
      return answers.get(key) ?? { state: 'unread' };
    };
    const reader = {
      get: (kind: string, { name }: { name: string }) =>
        need(`get ${kind} ${name}`, async () => {
          const value = world.find(kind, name);
          return value ? { state: 'found', value } : { state: 'absent' };
        }),
      list: (of: string | OfRole) => {
        const kind = typeof of === 'string' ? of : kindOf[of.role]!;
        return need(`list ${kind}`, async () => ({
          state: 'found',
          value: kinds.includes(kind) ? names.flatMap((name) => world.find(kind, name) ?? []) : [],
        }));
      },
      tombstone: () => ({ state: 'absent' }),
      facts: (kind: string) => ({
        state: 'found',
        value: kind === 'Secret' ? names.flatMap((name) => indexed(world.find(kind, name))) : [],
      }),
      ask: (port: string, operation: string, input: JsonValue) =>
        need(`${operation} ${JSON.stringify(input)}`, async () => {
          try {
            const value = await (port === 'pki'
              ? pki.read(operation as 'inspect', input as never)
              : cloud.read(operation, input));
            return value === undefined ? { state: 'absent' } : { state: 'found', value };
          } catch (error) {
            return { state: 'unreadable', reason: (error as Error).message };
          }
        }),
    } as Reader;
    const value = observe(reader);
    if (wanted.size === 0) return { value, rounds };
    for (const [key, make] of wanted) answers.set(key, await make());
  }
};

const contextOf = (world: World): Context => ({
  now: world.now(),
  random: { suffix: () => 'x', pick: ([first]) => first!, token: () => 't' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'here',
  config: {},
  awaits: [],
});

const preflight = async (world: World) => {
  const { value, rounds } = await observed(world, (read) =>
    observePreflight(world.get<Cluster>('Cluster', 'demo'), read, contextOf(world)),
  );
  return { ...judgePreflight(value), rounds };
};

const whose: FormerCluster = {
  namespace: 'default',
  clusterName: 'demo',
  clusterUid: 'uid-of-demo',
  region: 'eu-west-1',
  installation: 'here',
};
const lookedFor = async (world: World, more: Partial<FormerCluster> = {}) => {
  const { value, rounds } = await observed(world, (read) =>
    observeRemains({ ...whose, ...more }, infrastructures, read),
  );
  // The controller has read the Cluster before, in its own round.
  expect(rounds).toBeLessThanOrEqual(3);
  return value;
};
const remains = async (world: World, more: Partial<FormerCluster> = {}) => (await lookedFor(world, more)).remains;
/** The deletions of resources that no controller deletes, as operation and name. */
const deletions = async (world: World) =>
  (await lookedFor(world)).stranded.map((action) => {
    const { operation, input } = action as { operation: string; input: JsonValue };
    const { SecretId, Name } = (input as { input: Record<string, string> }).input;
    return `${operation} ${SecretId ?? Name}`;
  });
const addOne = (world: World, spec = {}) =>
  addMachine(world, 'one', { spec, machine: { infrastructureRef: referenceTo('AWSMachine', 'one') } });
const built = async (): Promise<World> => {
  const world = createWorld();
  addCluster(world, { bastion: { enabled: true } });
  addOne(world);
  await world.until(() => world.get<AWSCluster>('AWSCluster', 'demo')?.status?.ready === true);
  await world.until(() => (world.get('AWSMachine', 'one').status as { ready?: boolean } | undefined)?.ready === true);
  return world;
};

describe('preflight', () => {
  it('passes in a complete account, in three rounds of reads', async () => {
    const world = createWorld();
    addCluster(world, { sshKeyName: 'default', bastion: { enabled: true } });
    addOne(world);
    expect(await preflight(world)).toEqual({ verdict: 'passed', message: '', rounds: expect.any(Number) });
    expect((await preflight(world)).rounds).toBeLessThanOrEqual(3);
  });

  it('passes again for a built cluster', async () => {
    expect(await preflight(await built())).toMatchObject({ verdict: 'passed', message: '' });
  });

  it.each<{
    rule: string;
    spec: Record<string, unknown>;
    machine: Record<string, unknown>;
    says: string;
    isCertain?: true;
  }>([
    { rule: 'a key pair', spec: { sshKeyName: 'nobody' }, machine: {}, says: 'key pair nobody does not exist' },
    {
      rule: 'an instance type',
      spec: {},
      machine: { instanceType: 'm9.none' },
      says: 'AWSMachine default/one spec.instanceType: instance type m9.none does not exist in eu-west-1',
      isCertain: true,
    },
    {
      rule: 'a profile',
      spec: {},
      machine: { iamInstanceProfile: 'nobody' },
      says: 'instance profile nobody does not exist',
    },
    {
      rule: 'a region',
      spec: { region: 'eu-north-9' },
      machine: {},
      says: 'AWS has no region eu-north-9',
      isCertain: true,
    },
    {
      rule: 'a VPC',
      spec: { network: { vpc: { id: 'vpc-0123456789abcdef0' }, subnets: [{ id: 'a' }] } },
      machine: {},
      says: 'VPC vpc-0123456789abcdef0 does not exist',
    },
    {
      rule: 'an image',
      spec: {},
      machine: { ami: { id: 'ami-0123456789abcdef0' } },
      says: 'image ami-0123456789abcdef0 does not exist',
    },
  ])('refuses $rule that does not exist, or retries', async ({ spec, machine, says, isCertain }) => {
    const world = createWorld({ behaviour: { keyPairs: ['default'] } });
    addCluster(world, spec);
    addOne(world, machine);
    const { verdict, message } = await preflight(world);
    expect(verdict).toBe(isCertain ? 'refused' : 'absent');
    expect(message).toContain(says);
  });

  it('refuses what the quotas do not allow, before AWS does', async () => {
    const world = createWorld({ behaviour: { quotas: { vpcs: 1, addresses: 2, vcpus: 1 } } });
    addCluster(world);
    addOne(world);
    const { message } = await preflight(world);
    expect(message).toContain('VPCs per region in eu-west-1: the quota is 1 and 1 are in use');
    expect(message).toContain('Elastic IP addresses in eu-west-1: the quota is 2, and the cluster needs 3');
    expect(message).toContain('the quota is 1, and the cluster needs 2');
  });

  it.each([
    'DescribeInstanceTypes',
    'DescribeImages',
    'DescribeVpcs',
    '*',
  ])('waits while %s is denied', async (action) => {
    const world = createWorld();
    addCluster(world);
    addOne(world);
    world.account.faults.add({ action, code: 'UnauthorizedOperation' });
    expect((await preflight(world)).verdict).toBe('pending');
  });
});

describe('the search for remaining resources', () => {
  it('finds nothing where nothing was created', async () => {
    const world = createWorld();
    addCluster(world);
    expect(await remains(world)).toEqual({ state: 'found', value: [] });
  });

  it('finds all resources with the tags, and none of another cluster or installation', async () => {
    const world = await built();
    const left = await remains(world, { cluster: world.get<Cluster>('Cluster', 'demo') });
    const value = left.state === 'found' ? left.value : [];
    const sorts = new Set(value.map((one) => one.replace(/ \S+$/, '')));
    expect([...sorts].sort()).toEqual(
      [
        'EBS volume',
        'EC2 instance',
        'Elastic IP address',
        'NAT gateway',
        'VPC',
        'VPC endpoint',
        'internet gateway',
        'load balancer',
        'network interface',
        'route table',
        'secret',
        'security group',
        'subnet',
        'target group',
      ].filter((sort) => sorts.has(sort)),
    );
    expect(sorts.size).toBeGreaterThanOrEqual(12);
    expect(await remains(world, { clusterUid: 'uid-of-another' })).toEqual({ state: 'found', value: [] });
    expect(await remains(world, { installation: 'there' })).toEqual({ state: 'found', value: [] });
  });

  it('finds all resources that the account lists, until they are deleted', async () => {
    const world = await built();
    const unreported = async () => {
      const left = await remains(world);
      const report = left.state === 'found' ? left.value.join('\n') : '';
      const tail = (id: string) => id.split('/').slice(-2)[0]!;
      return world.account
        .list()
        .filter(({ tags }) => tags['capstan.dev/cluster-uid'] === 'uid-of-demo')
        .filter(({ id }) => !report.includes(id.startsWith('arn:aws:elasticloadbalancing') ? tail(id) : id))
        .filter(({ type }) => !/listener|rule|secret/.test(type))
        .map(({ type, id }) => `${type} ${id}`);
    };
    expect(await unreported()).toEqual([]);
    world.remove('AWSMachine', 'one');
    world.remove('AWSCluster', 'demo');
    for (let i = 0; i < 40 && world.find('AWSCluster', 'demo'); i += 1) {
      await world.run(10);
      expect(await unreported()).toEqual([]);
    }
    expect(world.find('AWSCluster', 'demo')).toBeUndefined();
    expect(world.live()).toEqual([]);
    expect(await remains(world)).toEqual({ state: 'found', value: [] });
  });

  it('leaves dependents of a deleted Cluster to garbage collection', async () => {
    const world = createWorld();
    addCluster(world);
    world.put(object('WorkloadSnapshot', 'demo'));
    world.put(object('ClusterResourceSetBinding', 'demo'));
    const cluster = world.get<Cluster>('Cluster', 'demo');
    expect(await remains(world, { cluster })).toMatchObject({ value: { length: 2 } });
    const deleted = { ...cluster, metadata: { ...cluster.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(await remains(world, { cluster: deleted })).toEqual({ state: 'found', value: [] });
  });

  it('finds bootstrap data in every backend', async () => {
    const world = createWorld();
    const Tags = [
      { Key: 'capstan.dev/installation', Value: 'here' },
      { Key: 'capstan.dev/cluster-uid', Value: 'uid-of-demo' },
    ];
    const other = [{ Key: 'capstan.dev/cluster-uid', Value: 'uid-of-demo' }];
    const put = async (tail: string, tags: typeof Tags) => {
      const ClientRequestToken = `${tail}-`.padEnd(32, '0');
      await world.account.call('eu-west-1', 'CreateSecret', {
        Name: `aws.cluster.x-k8s.io/${tail}`,
        ClientRequestToken,
        SecretBinary: 'eA==',
        Tags: tags,
      });
      await world.account.call('eu-west-1', 'PutParameter', {
        Name: `/cluster.x-k8s.io/${tail}`,
        Value: 'x',
        Type: 'SecureString',
        Tags: tags,
      });
    };
    await put('mine', Tags);
    await put('other', other);
    // Visible once reads have caught up.
    await world.run(60);
    expect(await remains(world)).toEqual({
      state: 'found',
      value: ['secret aws.cluster.x-k8s.io/mine', 'parameter /cluster.x-k8s.io/mine'],
    });
    expect(await deletions(world)).toEqual([
      'DeleteSecret aws.cluster.x-k8s.io/mine',
      'DeleteParameter /cluster.x-k8s.io/mine',
    ]);
    const hidden = world.account.faults.add({ action: 'DescribeVolumes', code: 'UnauthorizedOperation' });
    expect(await deletions(world)).toEqual([]);
    world.account.faults.clear(hidden.id);
    await world.account.call('eu-west-1', 'CreateVpc', {
      CidrBlock: '10.9.0.0/16',
      TagSpecifications: [{ ResourceType: 'vpc', Tags }],
    });
    await world.run(60);
    expect(await deletions(world)).toEqual([]);
  });

  it('is unreadable while a part is unreadable', async () => {
    const world = createWorld();
    world.account.faults.add({ action: 'DescribeVolumes', code: 'UnauthorizedOperation' });
    expect(await remains(world)).toMatchObject({
      state: 'unreadable',
      reason: expect.stringContaining('DescribeVolumes'),
    });
  });

  it('finds nothing in a region that does not exist', async () => {
    expect(await remains(createWorld(), { region: 'eu-north-9' })).toEqual({ state: 'found', value: [] });
    expect(await remains(createWorld(), { region: '' })).toEqual({ state: 'found', value: [] });
    const world = createWorld();
    world.account.faults.add({ action: 'DescribeRegions', code: 'UnauthorizedOperation' });
    expect((await remains(world, { region: 'eu-north-9' })).state).toBe('unreadable');
  });

  const object = (
    kind: string,
    name: string,
    owner?: { kind: string; uid: string; apiVersion?: string },
  ): KubeObject => ({
    apiVersion: kind === 'Secret' ? 'v1' : 'cluster.x-k8s.io/v1beta2',
    kind,
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-of-${name}`,
      labels: { 'cluster.x-k8s.io/cluster-name': 'demo' },
      ...(owner && {
        ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', name: 'owner', controller: true, ...owner }],
      }),
    },
  });
  const set = { kind: 'MachineSet', uid: 'uid-of-set' };
  it.each([
    { rule: 'a Machine of a MachineSet', objects: [object('Machine', 'one', set)], left: ['Machine one'] },
    { rule: 'a Machine of a user', objects: [object('Machine', 'one')], left: [] },
    {
      rule: 'a config of a user’s Machine',
      objects: [object('Machine', 'one'), object('KubeadmConfig', 'mine', { kind: 'Machine', uid: 'uid-of-one' })],
      left: [],
    },
    {
      rule: 'a config whose Machine is gone',
      objects: [object('KubeadmConfig', 'mine', { kind: 'Machine', uid: 'uid-of-one' })],
      left: ['KubeadmConfig mine'],
    },
    {
      rule: 'a config of a MachineSet’s Machine',
      objects: [object('Machine', 'one', set), object('KubeadmConfig', 'mine', { kind: 'Machine', uid: 'uid-of-one' })],
      left: ['Machine one', 'KubeadmConfig mine'],
    },
    {
      rule: 'a Secret that a controller created',
      objects: [object('Secret', 'demo-ca', { kind: 'KubeadmControlPlane', uid: 'u' })],
      left: ['Secret demo-ca'],
    },
    { rule: 'a user-provided Secret', objects: [object('Secret', 'demo-ca')], left: [] },
    {
      rule: 'a Secret of which the index of an older version does not tell who created it',
      objects: [
        mergePatch(object('Secret', 'demo-ca'), {
          metadata: { annotations: { indexedBy: 'an older version' } },
        }) as KubeObject,
      ],
      left: ['a Secret that an older version stored'],
    },
    {
      rule: 'a Secret that another tool controls',
      objects: [object('Secret', 'demo-ca', { kind: 'Certificate', uid: 'u', apiVersion: 'cert-manager.io/v1' })],
      left: [],
    },
    {
      rule: 'a binding',
      objects: [object('ClusterResourceSetBinding', 'demo')],
      left: ['ClusterResourceSetBinding demo'],
    },
    { rule: 'a WorkloadSnapshot', objects: [object('WorkloadSnapshot', 'demo')], left: ['WorkloadSnapshot demo'] },
  ])('lists $rule as $left', async ({ objects, left }) => {
    const world = createWorld();
    for (const one of objects) world.put(one);
    expect(await remains(world)).toEqual({ state: 'found', value: left });
  });
});
