/** How AWS lists each type of resource: by tag, page by page, and by id. */
import type { ClassicLoadBalancer, CloudAction, CloudActions, CloudOutput, Filter, Instance } from './cloud/index.ts';

export interface List<T> {
  action: CloudAction;
  /** The parameters that narrow the list. Load balancing has no filters. */
  filtered: (filters: Filter[]) => object;
  /** The parameters that ask for these resources. */
  named: (ids: string[]) => object;
  /** The largest page; undefined when the action has no such parameter. */
  pageSize: number | undefined;
  /** The token of the next page: its parameter, and its field in a page. */
  next: readonly ['NextToken', 'NextToken'] | readonly ['Marker', 'NextMarker'];
  items: (page: unknown) => T[];
  id(one: T): string;
}

/** What a page of DescribeXs lists in its field Xs. */
type Item<A extends CloudAction> = A extends `Describe${infer Field}`
  ? CloudOutput<A> extends Record<Field, (infer T)[]>
    ? T
    : never
  : never;

/** `id`: the field with the id. The parameter for several ids is its plural. */
const list = <A extends keyof CloudActions, T = Item<A>>(
  action: A,
  id: keyof NoInfer<T> & string,
  more: Partial<List<NoInfer<T>>> = {},
): List<T> => ({
  action,
  filtered: (Filters) => ({ Filters }),
  named: (ids) => ({ [`${id}s`]: ids }),
  pageSize: 1000,
  next: ['NextToken', 'NextToken'],
  items: (page) => (page as Record<string, T[]>)[action.slice('Describe'.length)]!,
  id: (one) => one[id] as string,
  ...more,
});

const ofBalancing = { filtered: () => ({}), pageSize: undefined, next: ['Marker', 'NextMarker'] } as const;

/** Named as in an installation's survey. */
export const lists = {
  instances: list<'DescribeInstances', Instance>('DescribeInstances', 'InstanceId', {
    items: (page) => (page as CloudOutput<'DescribeInstances'>).Reservations.flatMap(({ Instances }) => Instances),
  }),
  vpcs: list('DescribeVpcs', 'VpcId'),
  subnets: list('DescribeSubnets', 'SubnetId'),
  internetGateways: list('DescribeInternetGateways', 'InternetGatewayId'),
  carrierGateways: list('DescribeCarrierGateways', 'CarrierGatewayId'),
  natGateways: list('DescribeNatGateways', 'NatGatewayId', { filtered: (Filter) => ({ Filter }) }),
  addresses: list('DescribeAddresses', 'AllocationId', { pageSize: undefined }),
  routeTables: list('DescribeRouteTables', 'RouteTableId', { pageSize: 100 }),
  vpcEndpoints: list('DescribeVpcEndpoints', 'VpcEndpointId'),
  volumes: list('DescribeVolumes', 'VolumeId'),
  snapshots: list('DescribeSnapshots', 'SnapshotId', { filtered: (Filters) => ({ OwnerIds: ['self'], Filters }) }),
  networkInterfaces: list('DescribeNetworkInterfaces', 'NetworkInterfaceId'),
  securityGroups: list('DescribeSecurityGroups', 'GroupId'),
  loadBalancers: list('DescribeLoadBalancers', 'LoadBalancerArn', ofBalancing),
  classicLoadBalancers: list<'DescribeClassicLoadBalancers', ClassicLoadBalancer>(
    'DescribeClassicLoadBalancers',
    'LoadBalancerName',
    {
      ...ofBalancing,
      items: (page) => (page as CloudOutput<'DescribeClassicLoadBalancers'>).LoadBalancerDescriptions,
    },
  ),
  targetGroups: list('DescribeTargetGroups', 'TargetGroupArn', ofBalancing),
};

/** Whether AWS lists them by tag. */
export const isTagged = (name: string): boolean =>
  !['loadBalancers', 'classicLoadBalancers', 'targetGroups'].includes(name);

export type ListName = keyof typeof lists;
export type Listed = { [K in ListName]: (typeof lists)[K] extends List<infer T> ? T[] : never };

export const emptyLists = (): Listed => {
  const empty = {} as Listed;
  for (const name of Object.keys(lists) as ListName[]) empty[name] = [];
  return empty;
};
