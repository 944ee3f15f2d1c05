/** The AWS provider's controllers on an independent implementation of AWS. */
import { CreateInstanceProfileCommand, IAMClient } from '@aws-sdk/client-iam';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { awsCloud } from '../../../adapters/aws/cloud/index.ts';
import { taggedResources } from '../../../adapters/cloud/tagged.ts';
import { systemClock } from '../../../adapters/memory/clock.ts';
import type { CloudCall } from '../../../cli/cloud-call.ts';
import { createNetwork } from '../../../cli/cloud-network.ts';
import type { AWSCluster } from '../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Cloud, CloudAction, CloudInput } from '../../../kinds/ports/cloud/index.ts';
import { addCluster, addMachine, createWorld } from '../../aws/world.ts';
import { type Moto, startMoto } from './moto.ts';

const region = 'eu-west-1';
const minute = 60_000;
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

let moto: Moto;
let cloud: Cloud;
beforeAll(async () => {
  moto = await startMoto(inject('programs').motoServer);
});
afterAll(() => moto.stop());
beforeEach(async () => {
  await moto.reset();
  cloud = awsCloud({
    clock: systemClock,
    clients: { endpoint: moto.endpoint, credentials },
    resolveEndpoint: async (at) => ({ ...at, Resolves: true }),
  });
});

const census = async (): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { type } of await taggedResources(cloud, region, { 'capstan.dev/installation': 'here' }))
    counts[type] = (counts[type] ?? 0) + 1;
  return counts;
};

/** What the account needs beforehand: the instance profile of control plane machines. */
const makeProfile = async (): Promise<void> => {
  const client = new IAMClient({ region, endpoint: moto.endpoint, credentials });
  const InstanceProfileName = 'control-plane.cluster-api-provider-aws.sigs.k8s.io';
  await client.send(new CreateInstanceProfileCommand({ InstanceProfileName }));
  client.destroy();
};

it('creates a complete cluster with a machine, and deletes all of it', { timeout: 5 * minute }, async () => {
  await makeProfile();
  const world = createWorld({ cloud });
  addCluster(world);
  const cluster = () => world.get<AWSCluster>('AWSCluster', 'demo');
  await world.until(() => cluster()?.status?.ready === true);
  expect(cluster().status?.conditions?.filter(({ status }) => status !== 'True')).toEqual([]);
  addMachine(world, 'one');
  const machine = () => world.get<AWSMachine>('AWSMachine', 'one');
  await world.until(() => machine()?.status?.ready === true);
  await world.run(120);
  expect(await census()).toMatchObject({
    vpc: 1,
    subnet: 6,
    'internet-gateway': 1,
    natgateway: 3,
    'route-table': 6,
    'security-group': 4,
    instance: 1,
    'load-balancer': 1,
    'target-group': 1,
  });

  world.remove('AWSMachine', 'one');
  await world.until(() => world.find('AWSMachine', 'one') === undefined);
  world.remove('AWSCluster', 'demo');
  await world.until(() => world.find('AWSCluster', 'demo') === undefined);
  expect(await census()).toEqual({});
  const { SecretList } = await cloud.call(region, 'ListSecrets', {});
  expect(SecretList).toEqual([]);
});

it('balances a control plane classically by default, and deletes all of it', { timeout: 5 * minute }, async () => {
  await makeProfile();
  const world = createWorld({ cloud });
  addCluster(world, { controlPlaneLoadBalancer: undefined });
  const cluster = () => world.get<AWSCluster>('AWSCluster', 'demo');
  await world.until(() => cluster()?.status?.ready === true);
  const { name = '' } = cluster().status?.networkStatus?.apiServerElb ?? {};
  const balancer = async () =>
    (await cloud.call(region, 'DescribeClassicLoadBalancers', { LoadBalancerNames: [name] }))
      .LoadBalancerDescriptions[0];
  expect((await balancer())?.HealthCheck.Target).toBe('TCP:6443');
  addMachine(world, 'one');
  const machine = () => world.get<AWSMachine>('AWSMachine', 'one');
  await world.until(() => machine()?.status?.ready === true);
  await world.run(60);
  expect((await balancer())?.Instances).toEqual([{ InstanceId: machine().spec?.instanceID }]);
  world.remove('AWSMachine', 'one');
  await world.until(() => world.find('AWSMachine', 'one') === undefined);
  world.remove('AWSCluster', 'demo');
  await world.until(() => world.find('AWSCluster', 'demo') === undefined);
  const { LoadBalancerDescriptions } = await cloud.call(region, 'DescribeClassicLoadBalancers', {});
  expect(LoadBalancerDescriptions).toEqual([]);
  expect(await census()).toEqual({});
});

it('deletes one of two clusters in a region, and leaves the other complete', { timeout: 5 * minute }, async () => {
  const world = createWorld({ cloud });
  const names = ['demo', 'other'];
  for (const name of names) addCluster(world, {}, name);
  const isReady = (name: string) => world.get<AWSCluster>('AWSCluster', name)?.status?.ready === true;
  await world.until(() => names.every(isReady));
  const both = await census();
  world.remove('AWSCluster', 'demo');
  await world.until(() => world.find('AWSCluster', 'demo') === undefined);
  expect(await census()).toEqual(Object.fromEntries(Object.entries(both).map(([type, count]) => [type, count / 2])));
  await world.run(120);
  expect(world.get<AWSCluster>('AWSCluster', 'other')?.status?.ready).toBe(true);
  world.remove('AWSCluster', 'other');
  await world.until(() => world.find('AWSCluster', 'other') === undefined);
  expect(await census()).toEqual({});
});

it('leaves a user’s VPC unchanged, NAT gateway included', { timeout: 5 * minute }, async () => {
  await makeProfile();
  const call: CloudCall = async <T>(action: string, input: object) =>
    (await cloud.call(region, action as CloudAction, input as CloudInput<CloudAction>)) as T;
  const { vpc, publicSubnets, privateSubnets } = await createNetwork(call, {
    region,
    name: 'team',
    cidr: '10.7.0.0/16',
    zones: 2,
  });
  const vpcFilter = [{ Name: 'vpc-id', Values: [vpc] }];
  const network = async () => {
    const { NatGateways } = await cloud.call(region, 'DescribeNatGateways', { Filter: vpcFilter });
    const { Subnets } = await cloud.call(region, 'DescribeSubnets', { Filters: vpcFilter });
    const { RouteTables } = await cloud.call(region, 'DescribeRouteTables', { Filters: vpcFilter });
    const { SecurityGroups } = await cloud.call(region, 'DescribeSecurityGroups', { Filters: vpcFilter });
    // The cloud provider of the cluster finds subnets by tags, which remain.
    const subnets = Subnets.map(({ AvailableIpAddressCount: _, Tags: __, ...one }) => one);
    return { NatGateways, subnets, RouteTables, SecurityGroups };
  };
  const before = await network();
  expect(before.NatGateways.map(({ State }) => State)).toEqual(['available']);

  const world = createWorld({ cloud });
  const subnets = [...publicSubnets, ...privateSubnets].map((id) => ({ id }));
  addCluster(world, { network: { vpc: { id: vpc }, subnets } });
  await world.until(() => world.get<AWSCluster>('AWSCluster', 'demo')?.status?.ready === true);
  const { spec } = world.get<AWSCluster>('AWSCluster', 'demo');
  expect(spec?.network?.subnets?.map(({ isPublic }) => isPublic)).toEqual([true, true, false, false]);
  addMachine(world, 'one');
  await world.until(() => world.get<AWSMachine>('AWSMachine', 'one')?.status?.ready === true);
  const ours = ['instance', 'load-balancer', 'secret', 'security-group', 'target-group', 'volume'];
  expect(Object.keys(await census()).sort()).toEqual(ours);

  world.remove('AWSMachine', 'one');
  await world.until(() => world.find('AWSMachine', 'one') === undefined);
  world.remove('AWSCluster', 'demo');
  await world.until(() => world.find('AWSCluster', 'demo') === undefined);
  expect(await census()).toEqual({});
  expect(await network()).toEqual(before);
});
