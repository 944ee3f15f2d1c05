/** The role of the controllers allows exactly their calls on the account. */
import { expect, it } from 'vitest';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import { policed } from './policy.fixture.ts';
import { addCluster, addMachine, createWorld, type World } from './world.ts';

const region = 'eu-west-1';
const cluster = (world: World) => world.get<AWSCluster>('AWSCluster', 'demo');
const machine = (world: World, name: string) => world.get<AWSMachine>('AWSMachine', name);
const isReady = (world: World) => () => cluster(world)?.status?.ready === true;
const isRunning = (world: World, name: string) => () => machine(world, name)?.status?.ready === true;
const areGone =
  (world: World, ...names: string[]) =>
  () =>
    names.every((name) => !world.find('AWSMachine', name));
const refusals = (world: World, ...names: string[]) =>
  JSON.stringify([cluster(world).status, ...names.map((name) => machine(world, name).status)]).match(
    /the role may not.*?\}/g,
  );

const open = (installation?: string) => {
  const cloud = policed(() => world.account, installation);
  const world: World = createWorld({ cloud, behaviour: { inconsistency: 0 } });
  return { world, cloud };
};
const nodes = 'nodes.cluster-api-provider-aws.sigs.k8s.io';

it(
  'the role suffices to create, repair and delete a cluster with all machine settings',
  { timeout: 60_000 },
  async () => {
    const { world, cloud } = open();
    const ami = world.account.addImage(region, { name: 'bastion', architecture: 'x86_64' });
    addCluster(world, { bastion: { enabled: true, ami } });
    await world.until(isReady(world));
    addMachine(world, 'one', { spec: { publicIP: true } });
    const cloudInit = { secureSecretsBackend: 'ssm-parameter-store' };
    addMachine(world, 'two', { controlPlane: false, spec: { iamInstanceProfile: nodes, cloudInit } });
    await world.until(isRunning(world, 'one'));
    await world.until(isRunning(world, 'two'));
    const spec = { ...machine(world, 'one').spec, additionalTags: { team: 'a' } };
    world.put({ ...machine(world, 'one'), spec } as never);
    const tagged = (additionalTags: object) =>
      world.put({ ...cluster(world), spec: { ...cluster(world).spec, additionalTags } } as never);
    tagged({ team: 'b' });
    await world.run(120);
    tagged({});
    await world.run(120);
    for (const action of ['CreateTags', 'DeleteTags', 'AddTags', 'RemoveTags'])
      expect(cloud.asked.get(action), action).toBeGreaterThan(0);
    expect(refusals(world, 'one', 'two')).toBeNull();
    const InstanceId = machine(world, 'one').spec!.instanceID!;
    const proof = [{ Key: 'capstan.dev/cluster-uid' }];
    await world.account.call(region, 'DeleteTags', { Resources: [InstanceId], Tags: proof });
    world.enqueue('AWSMachine', 'one');
    await world.run(120);
    expect(world.account.list().find(({ id }) => id === InstanceId)?.tags).toHaveProperty([proof[0]!.Key]);
    for (const name of ['one', 'two']) world.remove('AWSMachine', name);
    await world.until(areGone(world, 'one', 'two'));
    world.remove('AWSCluster', 'demo');
    await world.until(() => world.find('AWSCluster', 'demo') === undefined);
    expect(world.live().filter((id) => id !== ami)).toEqual([]);
  },
);

it('the role suffices for an unmanaged network, which stays unchanged', { timeout: 60_000 }, async () => {
  const { world } = open();
  const { call } = world.account;
  const none = { TagSpecifications: [] };
  const { Vpc } = await call(region, 'CreateVpc', { CidrBlock: '10.7.0.0/16', ...none });
  const { InternetGateway } = await call(region, 'CreateInternetGateway', none);
  const { InternetGatewayId } = InternetGateway;
  await call(region, 'AttachInternetGateway', { InternetGatewayId, VpcId: Vpc.VpcId });
  const { Subnet } = await call(region, 'CreateSubnet', {
    VpcId: Vpc.VpcId,
    CidrBlock: '10.7.0.0/24',
    AvailabilityZone: 'eu-west-1a',
    ...none,
  });
  const { RouteTable } = await call(region, 'CreateRouteTable', { VpcId: Vpc.VpcId, ...none });
  const { RouteTableId } = RouteTable;
  await call(region, 'CreateRoute', { RouteTableId, DestinationCidrBlock: '0.0.0.0/0', GatewayId: InternetGatewayId });
  await call(region, 'AssociateRouteTable', { RouteTableId, SubnetId: Subnet.SubnetId });
  const unmanaged = world.live();
  addCluster(world, { network: { vpc: { id: Vpc.VpcId }, subnets: [{ id: Subnet.SubnetId }] } });
  await world.until(isReady(world));
  addMachine(world, 'one', { spec: { publicIP: true } });
  await world.until(isRunning(world, 'one'));
  expect(refusals(world, 'one')).toBeNull();
  world.remove('AWSMachine', 'one');
  await world.until(areGone(world, 'one'));
  world.remove('AWSCluster', 'demo');
  await world.until(() => world.find('AWSCluster', 'demo') === undefined);
  expect(world.live()).toEqual(unmanaged);
});

it('the role of another installation can create nothing for this one, and reports that', async () => {
  const { world } = open('another');
  addCluster(world);
  await world.run(30);
  expect(world.live()).toEqual([]);
  expect(JSON.stringify(cluster(world).status)).toContain('the role may not ec2:CreateVpc');
});
