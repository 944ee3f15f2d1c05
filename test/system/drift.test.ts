import { afterEach, beforeAll, expect, it } from 'vitest';
import type { CloudAction, CloudInput, CloudOutput } from '../../kinds/ports/cloud/index.ts';
import { hoursBetween, isDue, sweptHours } from '../../machinery/controller/resync.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment, type World } from './world.ts';

const region = 'eu-central-1';
let world: World;
let quickstart: Moment;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const call = <A extends CloudAction>(action: A, input: CloudInput<A>): Promise<CloudOutput<A>> =>
  world.wait(world.system.account.call(region, action, input));
const passesOf = (controller: string) =>
  Object.entries(world.passes).reduce((sum, [name, count]) => sum + (name.includes(controller) ? count : 0), 0);
const nodeGroup = () => world.live('security-group').find(({ tags }) => tags.Name === 'quickstart-node')!.id;
const openPorts = async () => {
  const { SecurityGroups } = await call('DescribeSecurityGroups', { GroupIds: [nodeGroup()] });
  return SecurityGroups[0]!.IpPermissions.map(({ FromPort }) => FromPort).sort();
};

it('a change by another client is repaired after the next sweep, without polling by the controllers', async () => {
  world = await createWorld({ from: quickstart });
  // Every object is reconciled once after a start.
  await world.pass(90);
  const before = await openPorts();
  expect(passesOf('aws-cluster#')).toBeGreaterThan(0);
  const looks = { cluster: passesOf('aws-cluster#'), machine: passesOf('aws-machine#') };
  const calls = world.calls();
  const from = world.now();
  await world.pass(6 * 60);
  const hours = hoursBetween(from, world.now());
  const due = (kind: 'AWSCluster' | 'AWSMachine') =>
    world.all(kind).filter(({ metadata }) => isDue(`default/${metadata.name}`, sweptHours, hours)).length;
  expect({ cluster: passesOf('aws-cluster#'), machine: passesOf('aws-machine#') }).toEqual({
    cluster: looks.cluster + due('AWSCluster'),
    machine: looks.machine + due('AWSMachine'),
  });
  const asked = Object.entries(world.calls()).reduce((sum, [name, count]) => sum + count - (calls[name] ?? 0), 0);
  // A page of each type per hour.
  expect(asked).toBeLessThanOrEqual(7 * 11);

  const IpPermissions = [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
  await call('AuthorizeSecurityGroupIngress', { GroupId: nodeGroup(), IpPermissions });
  expect(await openPorts()).toContain(22);
  await world.pass(65);
  expect(await openPorts()).toEqual(before);

  const RouteTables = (await call('DescribeRouteTables', {})).RouteTables;
  const [table] = RouteTables.filter(({ Routes }) => Routes.some(({ NatGatewayId }) => NatGatewayId));
  const [association] = table!.Associations;
  await call('DisassociateRouteTable', { AssociationId: association!.RouteTableAssociationId });
  await world.pass(65);
  const [after] = (await call('DescribeRouteTables', { RouteTableIds: [table!.RouteTableId] })).RouteTables;
  expect(after!.Associations.map(({ SubnetId }) => SubnetId)).toEqual([association!.SubnetId]);
}, 60_000);

it('a failed step is cleared when another client did it meanwhile', async () => {
  world = await createWorld({ from: quickstart });
  await world.pass(90);
  const isReady = () => world.condition('AWSCluster', 'quickstart', 'ClusterSecurityGroupsReady')?.status === 'True';
  world.system.account.faults.add({ action: 'RevokeSecurityGroupIngress', code: 'OperationNotPermitted' });
  const IpPermissions = [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
  await call('AuthorizeSecurityGroupIngress', { GroupId: nodeGroup(), IpPermissions });
  await world.until('refused', () => !isReady(), 65);
  world.system.account.faults.clear();
  await call('RevokeSecurityGroupIngress', { GroupId: nodeGroup(), IpPermissions });
  await world.pass(2);
  expect(isReady()).toBe(true);
}, 60_000);
