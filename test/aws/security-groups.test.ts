import { describe, expect, it } from 'vitest';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { Role } from '../../kinds/infrastructure-aws/network/security-rules.ts';
import type { CloudAction, CloudInput, IpPermission } from '../../kinds/ports/cloud/index.ts';
import { addCluster, createWorld, type World } from './world.ts';

const region = 'eu-west-1';
const demo = (world: World) => world.get<AWSCluster>('AWSCluster', 'demo');
const ready = async (spec: Record<string, unknown> = {}) => {
  const world = createWorld();
  addCluster(world, spec);
  await world.until(() => demo(world)?.status?.ready === true);
  return world;
};
const groupOf = (world: World, role: Role): string =>
  demo(world).status?.networkStatus?.securityGroups?.[role]?.id ?? '';
const call = <A extends CloudAction>(world: World, action: A, input: CloudInput<A>) =>
  world.account.call(region, action, input);
const permissionsOf = async (world: World, role: Role): Promise<IpPermission[]> => {
  const { SecurityGroups } = await call(world, 'DescribeSecurityGroups', { GroupIds: [groupOf(world, role)] });
  return SecurityGroups[0]!.IpPermissions;
};
const change = async (world: World, spec: object) => {
  const object = demo(world);
  world.put({ ...object, spec: { ...object.spec, ...spec } });
  await world.run(120);
};

describe('the security group in which the in-cluster cloud provider opens ports', () => {
  const tcp = (port: number, CidrIp: string, Description?: string): IpPermission => ({
    IpProtocol: 'tcp',
    FromPort: port,
    ToPort: port,
    IpRanges: [{ CidrIp, ...(Description && { Description }) }],
  });
  const portsOf = async (world: World) => (await permissionsOf(world, 'lb')).map(({ FromPort }) => FromPort ?? 'all');

  it('keeps the ports opened for Services', async () => {
    const world = await ready();
    const { GroupId } = await call(world, 'CreateSecurityGroup', {
      VpcId: demo(world).spec?.network?.vpc?.id ?? '',
      GroupName: 'k8s-elb-a',
      Description: 'of a Service',
      TagSpecifications: [],
    });
    await world.run(60);
    await call(world, 'AuthorizeSecurityGroupIngress', {
      GroupId: groupOf(world, 'lb'),
      IpPermissions: [
        { IpProtocol: '-1', UserIdGroupPairs: [{ GroupId }] },
        tcp(31_234, '0.0.0.0/0', 'kubernetes.io/rule/nlb/client=a'),
      ],
    });
    await world.run(60);
    world.enqueue('AWSCluster', 'demo');
    await world.run(120);
    expect(await portsOf(world)).toEqual([6443, 'all', 31_234]);
  });

  it('loses ports opened for a former load balancer of the API server', async () => {
    const balancer = { loadBalancerType: 'nlb' };
    const world = await ready({
      controlPlaneLoadBalancer: { ...balancer, additionalListeners: [{ port: 8132, protocol: 'TCP' }] },
    });
    expect(await portsOf(world)).toEqual([6443, 8132]);
    await change(world, {
      controlPlaneLoadBalancer: { ...demo(world).spec?.controlPlaneLoadBalancer, additionalListeners: [] },
    });
    expect(await portsOf(world)).toEqual([6443]);
  });
});

it('opens a block once that is written as an address with host bits', async () => {
  const world = await ready({
    network: {
      nodePortIngressRuleCidrBlocks: ['10.1.2.3/16', '2001:DB8:0:0::1/32'],
      additionalNodeIngressRules: [
        { description: 'metrics', protocol: 'tcp', fromPort: 9100, toPort: 9100, cidrBlocks: ['10.9.8.7/24'] },
      ],
    },
  });
  const changes = () => world.account.calls().reduce((sum, { mutating, calls }) => sum + (mutating ? calls : 0), 0);
  await world.run(60);
  const before = changes();
  world.enqueue('AWSCluster', 'demo');
  await world.run(300);
  expect(changes()).toBe(before);
  const permissions = await permissionsOf(world, 'node');
  const sources = permissions.flatMap(({ IpRanges = [], Ipv6Ranges = [] }) => [
    ...IpRanges.map(({ CidrIp }) => CidrIp),
    ...Ipv6Ranges.map(({ CidrIpv6 }) => CidrIpv6),
  ]);
  expect(sources.sort()).toEqual(['10.1.0.0/16', '10.9.8.0/24', '2001:db8::/32']);
  expect(demo(world).status?.conditions?.filter(({ status }) => status !== 'True')).toEqual([]);
});
