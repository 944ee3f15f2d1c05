/**
 * Resources of an account, as Describe calls return them. A comparison before and after a run shows
 * any change of unmanaged ones.
 */
import type { Account } from '../../../../simulation/aws/index.ts';
import { region } from '../tags.ts';

/** By id: what Describe returns. */
export type Belongings = ReadonlyMap<string, string>;

type Call = Account['call'];

/** By id prefix: describes all resources of a type, or these. */
const tellers: Record<string, (call: Call, ids?: string[]) => Promise<[id: string, told: unknown][]>> = {
  'vpc-': async (call, ids) =>
    (await call(region, 'DescribeVpcs', { ...(ids && { VpcIds: ids }) })).Vpcs.map((one) => [one.VpcId, one]),
  // Without the number of free addresses, which changes with each network interface.
  'subnet-': async (call, ids) =>
    (await call(region, 'DescribeSubnets', { ...(ids && { SubnetIds: ids }) })).Subnets.map(
      ({ AvailableIpAddressCount: _, ...one }) => [one.SubnetId, one],
    ),
  'igw-': async (call, ids) =>
    (await call(region, 'DescribeInternetGateways', { ...(ids && { InternetGatewayIds: ids }) })).InternetGateways.map(
      (one) => [one.InternetGatewayId, one],
    ),
  'rtb-': async (call, ids) =>
    (await call(region, 'DescribeRouteTables', { ...(ids && { RouteTableIds: ids }) })).RouteTables.map((one) => [
      one.RouteTableId,
      one,
    ]),
  'sg-': async (call, ids) =>
    (await call(region, 'DescribeSecurityGroups', { ...(ids && { GroupIds: ids }) })).SecurityGroups.map((one) => [
      one.GroupId,
      one,
    ]),
  'eni-': async (call, ids) =>
    (
      await call(region, 'DescribeNetworkInterfaces', { ...(ids && { NetworkInterfaceIds: ids }) })
    ).NetworkInterfaces.map((one) => [one.NetworkInterfaceId, one]),
  'nat-': async (call, ids) =>
    (await call(region, 'DescribeNatGateways', { ...(ids && { NatGatewayIds: ids }) })).NatGateways.map((one) => [
      one.NatGatewayId,
      one,
    ]),
  'eipalloc-': async (call, ids) =>
    (await call(region, 'DescribeAddresses', { ...(ids && { AllocationIds: ids }) })).Addresses.map((one) => [
      one.AllocationId,
      one,
    ]),
  'arn:': async (call, ids) => {
    const balancers = (await call(region, 'DescribeLoadBalancers', { ...(ids && { LoadBalancerArns: ids }) }))
      .LoadBalancers;
    if (balancers.length === 0) return [];
    const ResourceArns = balancers.map(({ LoadBalancerArn }) => LoadBalancerArn);
    const { TagDescriptions } = await call(region, 'DescribeLoadBalancerTags', { ResourceArns });
    return balancers.map((one) => [
      one.LoadBalancerArn,
      { ...one, Tags: TagDescriptions.find(({ ResourceArn }) => ResourceArn === one.LoadBalancerArn)?.Tags },
    ]);
  },
};

/** Clusters tag their subnets for the cloud provider, also unmanaged ones. */
const isOurs = (key: unknown) => /^kubernetes\.io\//.test(String(key));
/** The text of a resource without fields that AWS changes by itself. */
const textOf = (described: unknown): string =>
  JSON.stringify(described, (key, value) => {
    if (/^(State|Status)$/.test(key)) return undefined;
    return key === 'Tags' ? (value as { Key: string }[]).filter(({ Key }) => !isOurs(Key)) : value;
  });

/**
 * All resources, including AWS's own. With `of`, only these; it rejects with the account's error
 * when one is gone.
 */
export const belongingsOf = async ({ call }: Pick<Account, 'call'>, of?: Belongings): Promise<Belongings> => {
  const all = new Map<string, string>();
  for (const [start, tell] of Object.entries(tellers)) {
    const ids = of && [...of.keys()].filter((id) => id.startsWith(start));
    if (ids?.length === 0) continue;
    for (const [id, described] of await tell(call, ids)) all.set(id, textOf(described));
  }
  return all;
};
