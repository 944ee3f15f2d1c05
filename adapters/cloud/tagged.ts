/** Finds resources of a region by tag and page: one call for a hundred resources of all clusters. */
import type { Cloud, CloudAction, CloudInput, CloudOutput, Filter } from '../../kinds/ports/cloud/index.ts';
import type { TaggedResource } from '../../kinds/ports/installation.ts';
import { type List, lists } from '../../kinds/ports/lists.ts';

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

/** Every page of a list. */
export const listed = <T>(cloud: Cloud, region: string, list: List<T>, filters: Filter[]): Promise<T[]> => {
  const { action, filtered, pageSize, next, items } = list;
  const [parameter, field] = next;
  return all(
    (token) =>
      cloud.call(region, action, {
        ...filtered(filters),
        ...(pageSize && { MaxResults: pageSize }),
        ...(token && { [parameter]: token }),
      } as CloudInput<typeof action>),
    items,
    field,
  );
};

const over = new Set(['terminated', 'shutting-down', 'deleted', 'deleting']);
const living =
  <T extends { State: string | { Name: string } }>(list: List<T>) =>
  async (cloud: Cloud, region: string, filters: Filter[]): Promise<string[]> =>
    (await listed(cloud, region, list, filters))
      .filter(({ State }) => !over.has(typeof State === 'string' ? State : State.Name))
      .map(list.id);

/** The tagging API shows deleted resources of these types for about an hour, so ask their service. */
const lingering: Record<string, ReturnType<typeof living>> = {
  instance: living(lists.instances),
  natgateway: living(lists.natGateways),
  'vpc-endpoint': living(lists.vpcEndpoints),
  'carrier-gateway': living(lists.carrierGateways),
  snapshot: living(lists.snapshots),
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

const groupsWith = async (
  cloud: Cloud,
  region: string,
  filters: Filter[],
  wanted: Record<string, string>,
): Promise<TaggedResource[]> =>
  (await listed(cloud, region, lists.autoScalingGroups, filters))
    .filter(({ Status }) => !Status)
    .map(({ AutoScalingGroupName, Tags }) => ({
      type: 'auto-scaling-group',
      id: AutoScalingGroupName,
      tags: Object.fromEntries(Tags.map(({ Key, Value }) => [Key, Value])),
    }))
    .filter(({ tags }) => Object.entries(wanted).every(([key, value]) => tags[key] === value));

/**
 * Existing resources of all services with all these tags, except those being deleted. The tagging API does not
 * list Auto Scaling groups, so their service is asked for them where there is a launch template.
 */
export const taggedResources = async (
  cloud: Cloud,
  region: string,
  tags: Record<string, string>,
): Promise<TaggedResource[]> => {
  const filters = Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
  const tagged = await listTagged(cloud, region, tags);
  const types = new Set(tagged.map(({ type }) => type));
  const live = new Map<string, Set<string>>();
  for (const [type, look] of Object.entries(lingering))
    if (types.has(type)) live.set(type, new Set(await look(cloud, region, filters)));
  const groups = types.has('launch-template') ? await groupsWith(cloud, region, filters, tags) : [];
  return [...tagged.filter(({ type, id }) => live.get(type)?.has(id) ?? true), ...groups];
};
