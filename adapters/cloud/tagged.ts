/** Finds resources of a region by tag and page: one call for a hundred resources of all clusters. */
import type { Cloud, CloudAction, CloudInput, CloudOutput, Filter } from '../../kinds/ports/cloud.ts';
import type { TaggedResource } from '../../kinds/ports/installation.ts';

/** All pages of a call. */
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

/** An ARN as type and id in the terms of the service's own calls. */
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

/** The tagging API shows deleted resources of these types for about an hour, so ask their service. */
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

/** Resources with all these tags, of some or all types; recently deleted ones may be included. */
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

/** Existing resources of all services with all these tags, except those being deleted. */
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
