/** The user's additional tags on all resources of a cluster during its life. */
import { describe, expect, it } from 'vitest';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import { appliedTagsAnnotation } from '../../kinds/infrastructure-aws/engine/additional-tags.ts';
import { addCluster, addMachine, createWorld, join, type World } from './world.ts';

type Tags = Record<string, string>;
const region = 'eu-west-1';
const cluster = (world: World) => world.get<AWSCluster>('AWSCluster', 'demo');
const machine = (world: World) => world.get<AWSMachine>('AWSMachine', 'one');
const ask = (world: World, of: 'AWSCluster' | 'AWSMachine', additionalTags: Tags) => {
  const object = of === 'AWSCluster' ? cluster(world) : machine(world);
  world.put({ ...object, spec: { ...object.spec, additionalTags } } as never);
};
const noted = (world: World, of: 'AWSCluster' | 'AWSMachine') =>
  (of === 'AWSCluster' ? cluster(world) : machine(world)).metadata.annotations?.[appliedTagsAnnotation];

/** The team tags by the resource that carries them, without bootstrap data, which lasts for one boot. */
const teams = (world: World): Record<string, Tags> => {
  const live = world.account
    .list()
    .filter(({ type, tags, state }) => type !== 'secret' && tags['capstan.dev/cluster-uid'] && state !== 'terminated');
  return Object.fromEntries(
    live.map(({ type, id, tags }) => [
      `${type} ${id}`,
      Object.fromEntries(Object.entries(tags).filter(([key]) => key.startsWith('team'))),
    ]),
  );
};
const distinct = (world: World) => [...new Set(Object.values(teams(world)).map((tags) => JSON.stringify(tags)))];
const typesOf = (world: World) => new Set(Object.keys(teams(world)).map((name) => name.split(' ')[0]));

const open = async (seed: number, additionalTags: Tags = {}, spec: Record<string, unknown> = {}) => {
  const world = createWorld({ seed });
  const ami = world.account.addImage(region, { name: 'bastion', architecture: 'x86_64' });
  addCluster(world, { additionalTags, bastion: { enabled: true, ami } });
  await world.until(() => cluster(world)?.status?.ready === true);
  addMachine(world, 'one', { spec });
  await world.until(() => machine(world)?.status?.ready === true);
  join(world, 'one');
  return world;
};

describe('tags of a cluster', () => {
  it(
    'reach all resources of the cluster, are changed and removed there, and leave other tags alone',
    { timeout: 60_000 },
    async () => {
      const world = await open(1, { 'team-a': '1' });
      expect(typesOf(world)).toEqual(
        new Set([
          'vpc',
          'subnet',
          'internet-gateway',
          'natgateway',
          'elastic-ip',
          'route-table',
          'security-group',
          'load-balancer',
          'target-group',
          'listener',
          'instance',
          'volume',
          'network-interface',
        ]),
      );
      expect(distinct(world)).toEqual(['{"team-a":"1"}']);
      await world.run(300);
      for (const id of world.live('vpc'))
        await world.account.call(region, 'CreateTags', {
          Resources: [id],
          Tags: [{ Key: 'team-x', Value: 'a person' }],
        });
      ask(world, 'AWSCluster', { 'team-a': '2', 'team-b': '1' });
      await world.run(300);
      for (const [name, tags] of Object.entries(teams(world)))
        expect({ name, tags }).toEqual({
          name,
          tags: { 'team-a': '2', 'team-b': '1', ...(name.startsWith('vpc') && { 'team-x': 'a person' }) },
        });
      expect(cluster(world).status?.conditions?.every(({ status }) => status === 'True')).toBe(true);
      expect(JSON.parse(noted(world, 'AWSCluster')!)).toEqual({ 'team-a': '2', 'team-b': '1' });

      const balanced = Object.keys(teams(world)).flatMap(
        (name) => /^(?:listener|target-group) (.*)/.exec(name)?.[1] ?? [],
      );
      for (const arn of balanced)
        await world.account.call(region, 'RemoveTags', { ResourceArns: [arn], TagKeys: ['team-b'] });
      ask(world, 'AWSCluster', { 'team-b': '1' });
      await world.run(600);
      for (const [name, tags] of Object.entries(teams(world)))
        expect({ name, tags }).toEqual({
          name,
          tags: { 'team-b': '1', ...(name.startsWith('vpc') && { 'team-x': 'a person' }) },
        });
      expect(JSON.parse(noted(world, 'AWSCluster')!)).toEqual({ 'team-b': '1' });

      const { writes } = world;
      await world.run(3600);
      expect(world.writes).toBe(writes);
    },
  );

  it('are recorded before they are applied, so that none remains after a crash', { timeout: 120_000 }, async () => {
    for (let actions = 0; actions < 12; actions++) {
      const world = await open(actions + 2);
      ask(world, 'AWSCluster', { 'team-a': '1' });
      ask(world, 'AWSMachine', { 'team-m': '1' });
      world.crashAfter(actions);
      await world.run(2);
      ask(world, 'AWSCluster', {});
      ask(world, 'AWSMachine', {});
      await world.run(600);
      expect({ actions, tags: distinct(world) }).toEqual({ actions, tags: ['{}'] });
      expect(JSON.parse(noted(world, 'AWSMachine') ?? '{}')).toEqual({});
    }
  });
});

const later = async (world: World, seconds: number) => {
  await world.run(seconds);
  return teams(world);
};
const carrying = (all: Record<string, Tags>, key: string) =>
  Object.keys(all).filter((name) => Object.hasOwn(all[name]!, key));

describe('tags that are no longer requested', () => {
  it('belong to another tool when they reappear later', { timeout: 60_000 }, async () => {
    const world = await open(40, { 'team-a': '1' });
    ask(world, 'AWSCluster', {});
    expect(carrying(await later(world, 600), 'team-a')).toEqual([]);
    const [id = ''] = world.live('security-group');
    await world.account.call(region, 'CreateTags', { Resources: [id], Tags: [{ Key: 'team-a', Value: '1' }] });
    world.enqueue('AWSCluster', 'demo');
    expect(carrying(await later(world, 600), 'team-a')).toEqual([`security-group ${id}`]);
  });

  it('remain where the network requests them itself', { timeout: 60_000 }, async () => {
    const world = createWorld({ seed: 41 });
    addCluster(world, { additionalTags: { 'team-a': '1' }, network: { vpc: { tags: { 'team-a': 'network' } } } });
    await world.until(() => cluster(world)?.status?.ready === true);
    const ofNetwork = (all: Record<string, Tags>) => Object.entries(all).find(([name]) => name.startsWith('vpc'))![1];
    expect(ofNetwork(teams(world))).toEqual({ 'team-a': 'network' });
    ask(world, 'AWSCluster', {});
    expect(ofNetwork(await later(world, 600))).toEqual({ 'team-a': 'network' });
    expect(carrying(teams(world), 'team-a')).toHaveLength(1);
  });
});

describe('tags of one resource', () => {
  it('are changed and removed with the spec, and stay where others set them', { timeout: 60_000 }, async () => {
    const world = createWorld({ seed: 42 });
    addCluster(world, { network: { vpc: { tags: { 'team-v': '1', 'team-w': '1' } } } });
    await world.until(() => cluster(world)?.status?.ready === true);
    const network = () => cluster(world).spec!.network!;
    const change = (tags: Tags | undefined, ofVpc: Tags) => {
      const { vpc, subnets = [] } = network();
      const others = Object.fromEntries(Object.entries(vpc!.tags!).filter(([key]) => !key.startsWith('team')));
      const changed = {
        ...network(),
        vpc: { ...vpc, tags: { ...others, ...ofVpc } },
        subnets: subnets.map(({ tags: _, ...subnet }, i) => (i === 0 && tags ? { ...subnet, tags } : subnet)),
      };
      world.put({ ...cluster(world), spec: { ...cluster(world).spec, network: changed } } as never);
    };
    change({ 'team-a': '1', 'team-b': '1' }, { 'team-v': '1', 'team-w': '1' });
    const [one, another = ''] = network().subnets!.map(({ resourceID }) => resourceID);
    expect((await later(world, 300))[`subnet ${one}`]).toEqual({ 'team-a': '1', 'team-b': '1' });
    for (const id of [another, world.live('security-group')[0]!])
      await world.account.call(region, 'CreateTags', { Resources: [id], Tags: [{ Key: 'team-b', Value: 'a person' }] });
    change({ 'team-a': '2' }, { 'team-v': '2' });
    const all = await later(world, 300);
    expect(all[`subnet ${one}`]).toEqual({ 'team-a': '2' });
    expect(all[`subnet ${another}`]).toEqual({ 'team-b': 'a person' });
    expect(all[`vpc ${network().vpc!.id}`]).toEqual({ 'team-v': '2' });
    expect(carrying(all, 'team-b')).toHaveLength(2);
    expect(carrying(all, 'team-w')).toEqual([]);
    change(undefined, {});
    expect(carrying(await later(world, 600), 'team-a')).toEqual([]);
    expect(carrying(teams(world), 'team-v')).toEqual([]);
    const { writes } = world;
    await world.run(24 * 3600);
    expect(world.writes).toBe(writes);
  });
});

describe('tags that AWS refuses', () => {
  const denied = async (seed: number, action: 'CreateTags' | 'AddTags') => {
    const world = await open(seed);
    await world.run(600);
    const { id } = world.account.faults.add({ action, code: 'UnauthorizedOperation', message: 'not you' });
    ask(world, 'AWSCluster', { 'team-a': '1' });
    ask(world, 'AWSMachine', { 'team-m': '1' });
    return { world, lift: () => world.account.faults.clear(id) };
  };
  it('are reported in Events, without a condition turning False', { timeout: 60_000 }, async () => {
    const { world } = await denied(50, 'CreateTags');
    await world.run(600);
    for (const reason of ['FailedTagVPC', 'FailedTagInstance'])
      expect(world.events).toContainEqual(
        expect.stringMatching(`^${reason}: CreateTags: UnauthorizedOperation: not you`),
      );
    const conditions = [...cluster(world).status!.conditions!, ...machine(world).status!.conditions!];
    expect(conditions.filter(({ status }) => status !== 'True')).toEqual([]);
  });
  it.each(['CreateTags', 'AddTags'] as const)(
    'are not retried after an hour (%s)',
    { timeout: 60_000 },
    async (action) => {
      const { world, lift } = await denied(51, action);
      await world.run(2 * 3600);
      const { writes } = world;
      await world.run(24 * 3600);
      expect(world.writes).toBe(writes);
      lift();
      for (const [kind, name] of [['AWSCluster', 'demo'] as const, ['AWSMachine', 'one'] as const])
        world.enqueue(kind, name);
      const all = await later(world, 300);
      const own = Object.keys(all).filter((name) => !/^(instance|volume|network-interface) /.test(name));
      expect(carrying(all, 'team-a')).toEqual(expect.arrayContaining(own));
      expect(carrying(all, 'team-m')).toContain(`instance ${machine(world).spec!.instanceID}`);
    },
  );
  it('are all reported, not only the first', { timeout: 60_000 }, async () => {
    const { world } = await denied(52, 'CreateTags');
    world.account.faults.add({ action: 'AddTags', code: 'AccessDenied', message: 'not you' });
    await world.run(600);
    for (const what of ['VPC', 'Subnet', 'NATGateway', 'LoadBalancer', 'Listener', 'TargetGroup'])
      expect(world.events).toContainEqual(expect.stringMatching(`^FailedTag${what}: `));
  });
  it('do not keep tags from other resources of the same type', { timeout: 60_000 }, async () => {
    const world = await open(54);
    const [id = ''] = world.live('subnet');
    const Tags = Array.from({ length: 42 }, (_, n) => ({ Key: `x-${n}`, Value: 'x' }));
    await world.account.call(region, 'CreateTags', { Resources: [id], Tags });
    await world.run(300);
    ask(world, 'AWSCluster', { 'team-a': '1', 'team-b': '1' });
    const all = await later(world, 600);
    const without = Object.keys(all).filter(
      (name) => name.startsWith('subnet ') && !carrying(all, 'team-a').includes(name),
    );
    expect(without).toEqual([`subnet ${id}`]);
    await world.run(3 * 3600);
    const { writes } = world;
    await world.run(24 * 3600);
    expect(world.writes).toBe(writes);
  });
  it('are applied again when they disappeared while their call was throttled', { timeout: 60_000 }, async () => {
    const world = await open(55, {});
    ask(world, 'AWSCluster', { 'team-a': '1' });
    await world.run(3 * 3600);
    const [id = ''] = world.live('vpc');
    await world.account.call(region, 'DeleteTags', { Resources: [id], Tags: [{ Key: 'team-a' }] });
    const held = world.account.faults.add({ action: 'CreateTags', code: 'RequestLimitExceeded' });
    await world.run(60);
    world.enqueue('AWSCluster', 'demo');
    await world.run(3);
    world.account.faults.clear(held.id);
    expect(carrying(await later(world, 600), 'team-a')).toContain(`vpc ${id}`);
  });
  it('hide no other failure of a machine', { timeout: 60_000 }, async () => {
    const { world } = await denied(53, 'CreateTags');
    const GroupId = world.live('security-group')[0]!;
    const { Reservations } = await world.account.call(region, 'DescribeInstances', {
      InstanceIds: [machine(world).spec!.instanceID!],
    });
    const { NetworkInterfaceId } = Reservations[0]!.Instances[0]!.NetworkInterfaces[0]!;
    await world.account.call(region, 'ModifyNetworkInterfaceAttribute', { NetworkInterfaceId, Groups: [GroupId] });
    world.account.faults.add({ action: 'ModifyNetworkInterfaceAttribute', code: 'UnauthorizedOperation' });
    world.enqueue('AWSMachine', 'one');
    await world.run(300);
    expect(machine(world).status?.conditions?.find(({ type }) => type === 'SecurityGroupsReady')).toMatchObject({
      status: 'False',
      reason: 'SecurityGroupsFailed',
    });
  });
});

describe('tags of a load balancer', () => {
  it('are removed from all listeners, even from more than one call describes', { timeout: 60_000 }, async () => {
    const world = createWorld({ seed: 33 });
    const additionalListeners = Array.from({ length: 12 }, (_, index) => ({ port: 8000 + index }));
    addCluster(world, {
      additionalTags: { 'team-a': '1' },
      controlPlaneLoadBalancer: { loadBalancerType: 'nlb', additionalListeners },
    });
    await world.until(() => cluster(world)?.status?.ready === true);
    ask(world, 'AWSCluster', {});
    await world.run(300);
    expect(distinct(world)).toEqual(['{}']);
  });
});

describe('tags of a subnet', () => {
  it('override those of the cluster, and follow the spec', { timeout: 60_000 }, async () => {
    const world = createWorld({ seed: 31 });
    const subnets = (tags: Tags) =>
      [true, false].map((isPublic, index) => ({
        id: isPublic ? 'outside' : 'inside',
        availabilityZone: 'eu-west-1a',
        cidrBlock: `10.0.${index}.0/24`,
        isPublic,
        tags: isPublic ? tags : {},
      }));
    addCluster(world, { additionalTags: { 'team-a': '1' }, network: { subnets: subnets({ 'team-a': 'own' }) } });
    await world.until(() => cluster(world)?.status?.ready === true);
    const carried = () => {
      const { id } = world.account.list().find(({ tags }) => tags.Name === 'outside')!;
      return teams(world)[`subnet ${id}`];
    };
    expect(carried()).toEqual({ 'team-a': 'own' });
    const { spec } = cluster(world);
    const network = {
      ...spec?.network,
      subnets: spec?.network?.subnets?.map((one) =>
        one.id === 'outside' ? { ...one, tags: { 'team-a': 'other', 'team-b': '2' } } : one,
      ),
    };
    world.put({ ...cluster(world), spec: { ...spec, network } } as never);
    await world.run(120);
    expect(carried()).toEqual({ 'team-a': 'other', 'team-b': '2' });
  });
});

describe('tags that identify resources or prove ownership', () => {
  it('cannot be set by a user: no machine becomes a bastion, and the cloud provider finds one security group', async () => {
    const additionalTags = { 'capstan.dev/purpose': 'bastion', 'kubernetes.io/cluster/demo': 'owned' };
    const world = await open(30, additionalTags);
    world.put({ ...cluster(world), spec: { ...cluster(world).spec, bastion: { enabled: false } } } as never);
    await world.run(600);
    expect(machine(world).status?.ready).toBe(true);
    const groups = world.account
      .list()
      .filter(({ type, tags }) => type === 'security-group' && tags['kubernetes.io/cluster/demo'] === 'owned');
    expect(groups.map(({ tags }) => tags['sigs.k8s.io/cluster-api-provider-aws/role'])).toEqual(['lb']);
  });
});

describe('tags for the in-cluster cloud provider', () => {
  it('are restored when another client removed them', { timeout: 60_000 }, async () => {
    const world = await open(32);
    const finders = () =>
      world.account.list().flatMap(({ type, id, tags, state }) => {
        const keys = Object.keys(tags).filter((key) => key.startsWith('kubernetes.io/'));
        return /^(vpc|subnet|security-group)$/.test(type) && state !== 'deleted'
          ? keys.map((key) => `${type} ${id} ${key}`)
          : [];
      });
    const before = finders();
    expect(before.length).toBeGreaterThan(4);
    for (const one of before) {
      const [, id = '', Key = ''] = one.split(' ');
      await world.account.call(region, 'DeleteTags', { Resources: [id], Tags: [{ Key }] });
    }
    ask(world, 'AWSCluster', { 'team-a': '1' });
    await world.run(120);
    expect(finders().sort()).toEqual(before.sort());
  });
});

describe('tags of a machine', () => {
  it('are set on its Elastic IP address, too', { timeout: 60_000 }, async () => {
    const world = await open(60, { 'team-a': 'cluster' }, { publicIP: true, elasticIpPool: {} });
    ask(world, 'AWSMachine', { 'team-m': '1' });
    await world.run(300);
    const address = world.account.list().find(({ type, tags }) => type === 'elastic-ip' && tags.MachineName);
    expect(address?.tags).toMatchObject({ 'team-a': 'cluster', 'team-m': '1' });
    ask(world, 'AWSMachine', { 'team-a': 'mine' });
    const mine = Object.values(await later(world, 600)).filter((tags) => tags['team-a'] === 'mine');
    expect(mine).toHaveLength(4);
    expect(carrying(teams(world), 'team-m')).toEqual([]);
  });

  it('override those of the cluster, and give way to them when they are removed', { timeout: 60_000 }, async () => {
    const world = await open(20, { 'team-a': 'cluster' });
    const own = () =>
      Object.entries(teams(world)).find(([name]) => name === `instance ${machine(world).spec!.instanceID}`)![1];
    expect(own()).toEqual({ 'team-a': 'cluster' });
    expect(noted(world, 'AWSMachine')).toBeUndefined();
    ask(world, 'AWSMachine', { 'team-a': 'mine', 'team-b': '1' });
    await world.run(120);
    expect(own()).toEqual({ 'team-a': 'mine', 'team-b': '1' });
    ask(world, 'AWSMachine', {});
    await world.run(120);
    expect(own()).toEqual({ 'team-a': 'cluster' });
  });
});
