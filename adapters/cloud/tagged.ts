/** A sweep of one region by tag and page: a call for a hundred resources, however many clusters there are. */
import type { Cloud, CloudAction, CloudInput, CloudOutput, Filter } from '../../kinds/ports/cloud.ts';
import type { TaggedResource } from '../../kinds/ports/installation.ts';

/** What a call answers in pages, all of it. */
export const all = async <A extends CloudAction, T>(
  call: (token: string | undefined) => Promise<CloudOutput<A>>,
  items: (page: CloudOutput<A>) => T[],
  next: 'NextToken' | 'NextMarker' | 'PaginationToken',
): Promise<T[]> => {
  const found: T[] = [];
  let token: string | undefined;
  do {
    const page = await call(token);
    found.push(...items(page));
    token = (page as Record<string, unknown>)[next] as string | undefined;
  } while (token);
  return found;
};

const elbTypes: Record<string, string> = { loadbalancer: 'load-balancer', targetgroup: 'target-group' };

/** An ARN in the words that the services' own calls use. */
export const named = (arn: string): Pick<TaggedResource, 'type' | 'id'> => {
  const [, , service = '', , , ...rest] = arn.split(':');
  const resource = rest.join(':');
  const [first = '', ...path] = resource.split(/[/:]/);
  switch (service) {
    case 'ec2':
      return { type: first, id: path.join('/') };
    case 'elasticloadbalancing':
      return { type: elbTypes[first] ?? first, id: arn };
    case 'ssm':
      return { type: first, id: resource.slice(first.length) };
    default:
      return { type: first, id: arn };
  }
};

type Look = (cloud: Cloud, region: string, filters: Filter[]) => Promise<string[]>;

const describing =
  <A extends 'DescribeInstances' | 'DescribeNatGateways' | 'DescribeVpcEndpoints' | 'DescribeCarrierGateways'>(
    action: A,
    input: (filters: Filter[]) => CloudInput<A>,
    live: (page: CloudOutput<A>) => string[],
  ): Look =>
  (cloud, region, filters) =>
    all<A, string>(
      (NextToken) =>
        cloud.call(region, action, { ...input(filters), MaxResults: 1000, ...(NextToken && { NextToken }) }),
      live,
      'NextToken',
    );
const unless =
  (...states: string[]) =>
  ({ State }: { State: string }) =>
    !states.includes(State);

/** Tags outlive these for an hour or so, and the tagging API goes on to show them: only the service knows what is left. */
const lingering: Record<string, Look> = {
  instance: describing(
    'DescribeInstances',
    (Filters) => ({ Filters }),
    ({ Reservations }) =>
      Reservations.flatMap(({ Instances }) => Instances)
        .filter(({ State }) => State.Name !== 'terminated' && State.Name !== 'shutting-down')
        .map(({ InstanceId }) => InstanceId),
  ),
  natgateway: describing(
    'DescribeNatGateways',
    (Filter) => ({ Filter }),
    ({ NatGateways }) => NatGateways.filter(unless('deleted', 'deleting')).map(({ NatGatewayId }) => NatGatewayId),
  ),
  'vpc-endpoint': describing(
    'DescribeVpcEndpoints',
    (Filters) => ({ Filters }),
    ({ VpcEndpoints }) => VpcEndpoints.filter(unless('deleted', 'deleting')).map(({ VpcEndpointId }) => VpcEndpointId),
  ),
  'carrier-gateway': describing(
    'DescribeCarrierGateways',
    (Filters) => ({ Filters }),
    ({ CarrierGateways }) =>
      CarrierGateways.filter(unless('deleted', 'deleting')).map(({ CarrierGatewayId }) => CarrierGatewayId),
  ),
};

/** What the tagging API shows with all the tags, of these types or of all; what is gone may be among it for an hour. */
export const listTagged = (
  cloud: Cloud,
  region: string,
  tags: Record<string, string>,
  ResourceTypeFilters?: string[],
): Promise<TaggedResource[]> =>
  all<'GetResources', TaggedResource>(
    (PaginationToken) =>
      cloud.call(region, 'GetResources', {
        TagFilters: Object.entries(tags).map(([Key, value]) => ({ Key, Values: [value] })),
        ...(ResourceTypeFilters && { ResourceTypeFilters }),
        ...(PaginationToken && { PaginationToken }),
      }),
    (page) =>
      page.ResourceTagMappingList.map(({ ResourceARN, Tags }) => ({
        ...named(ResourceARN),
        tags: Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value])),
      })),
    'PaginationToken',
  );

/** Everything in the region that carries all the tags, of whatever service, and is not on its way out. */
export const taggedResources = async (
  cloud: Cloud,
  region: string,
  tags: Record<string, string>,
): Promise<TaggedResource[]> => {
  const filters = Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
  const listed = await listTagged(cloud, region, tags);
  const types = new Set(listed.map(({ type }) => type));
  const live = new Map<string, Set<string>>();
  for (const [type, look] of Object.entries(lingering))
    if (types.has(type)) live.set(type, new Set(await look(cloud, region, filters)));
  return listed.filter(({ type, id }) => live.get(type)?.has(id) ?? true);
};
