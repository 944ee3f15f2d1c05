/** Tag actions on existing resources: EC2 by id, load balancing by ARN, and any resource by tag. */

import type { Collection, Stored } from './collection.ts';
import { type Collections, collections } from './collections.ts';
import { checkElbTagCount, parseElbTags } from './elb-shared.ts';
import { invalidParameter, refuse, validationError } from './errors.ts';
import { isGone } from './instance.ts';
import { loadBalancerExists } from './load-balancer.ts';
import { type IdErrors, idErrorsOf, notFound } from './naming.ts';
import { page, placeOf } from './paging.ts';
import { resourcesOf } from './resources.ts';
import { isStale } from './staleness.ts';
import type { Call, Handlers } from './state.ts';
import { checkTagCount, parseTags, tagList } from './tags.ts';

/** A tagged item, and how to save a change of its tags. */
interface Holder {
  tags: Record<string, string>;
  save(): void;
}

const ofCollection = <T extends Stored>(call: Call, collection: Collection<T>, id: string): Holder | undefined => {
  const record = collection.get(id);
  if (!record || record.region !== call.region || isStale(call, record)) return undefined;
  return { tags: record.tags, save: () => collection.put(record) };
};

/** A volume or interface inside its instance's record. */
const partOfInstance = (call: Call, kind: 'volume' | 'interface', id: string): Holder | undefined => {
  const { instances } = call.account;
  const [instance] = instances.by(kind, id);
  if (!instance || instance.region !== call.region || isGone(instance, call.now) || isStale(call, instance))
    return undefined;
  const part = (kind === 'volume' ? instance.volumes : instance.interfaces).find((one) => one.id === id)!;
  return { tags: part.tags, save: () => instances.put(instance) };
};

type Find = (call: Call, id: string) => Holder | undefined;

const partOf =
  (kind: 'volume' | 'interface'): Find =>
  (call, id) =>
    partOfInstance(call, kind, id);

/** By id prefix: where to find the resource, and EC2's error when it does not exist. */
const finders = new Map<string, { find: Find; errors: IdErrors }>([
  ['vol', { find: partOf('volume'), errors: idErrorsOf('vol', 'InvalidVolume', 'volume') }],
  ['eni', { find: partOf('interface'), errors: idErrorsOf('eni', 'InvalidNetworkInterfaceID', 'networkInterface ID') }],
  ...Object.entries(collections as Record<string, { errors?: IdErrors }>).flatMap(([name, { errors }]) => {
    const find: Find = (call, id) =>
      ofCollection(call, call.account[name as keyof Collections] as Collection<Stored>, id);
    return errors ? [[errors.prefix, { find, errors }] as const] : [];
  }),
]);

const holderOf = (call: Call, id: string): Holder => {
  const prefix = id.slice(0, Math.max(0, id.lastIndexOf('-')));
  const finder = finders.get(prefix) ?? refuse('InvalidID', `The ID '${id}' is not valid`);
  return finder.find(call, id) ?? notFound([id], finder.errors);
};

const elbHolder = (call: Call, arn: string): Holder => {
  const { loadBalancers, listeners, targetGroups } = call.account;
  const kind = /:(loadbalancer|listener|targetgroup)\//.exec(arn)?.[1];
  const balancer = loadBalancers.get(arn);
  if (kind === 'loadbalancer')
    return (
      (balancer && loadBalancerExists(balancer) ? ofCollection(call, loadBalancers, arn) : undefined) ??
      refuse('LoadBalancerNotFound', 'One or more load balancers not found')
    );
  if (kind === 'listener')
    return ofCollection(call, listeners, arn) ?? refuse('ListenerNotFound', 'One or more listeners not found');
  return ofCollection(call, targetGroups, arn) ?? refuse('TargetGroupNotFound', 'One or more target groups not found');
};

const assignTags = (holder: Holder, tags: Record<string, string>): void => {
  for (const [key, value] of Object.entries(tags))
    Object.defineProperty(holder.tags, key, { value, enumerable: true, writable: true, configurable: true });
};

/** The tagging API's name of each type. */
const arnTypes: Record<string, string> = {
  'elastic-ip': 'ec2:elastic-ip',
  'load-balancer': 'elasticloadbalancing:loadbalancer',
  listener: 'elasticloadbalancing:listener',
  'target-group': 'elasticloadbalancing:targetgroup',
  secret: 'secretsmanager:secret',
  parameter: 'ssm:parameter',
};

/** Resources that only their service lists by tag. */
const unlisted = new Set(['auto-scaling-group']);

/** Load balancing's limit for one request. */
const mostDescribed = 20;
const expectOne = (arns: readonly string[]): void => {
  if (arns.length > 1) validationError('Only one resource can be tagged at a time');
};

export const tagActions = {
  CreateTags: (call, { Resources, Tags }) => {
    const tags = parseTags(Tags);
    const holders = Resources.map((id) => holderOf(call, id));
    for (const holder of holders) checkTagCount({ ...holder.tags, ...tags });
    for (const holder of holders) {
      assignTags(holder, tags);
      holder.save();
    }
    return {};
  },

  DeleteTags: (call, { Resources, Tags }) => {
    for (const { Key } of Tags)
      if (/^aws:/i.test(Key)) invalidParameter("Tag keys starting with 'aws:' are reserved for internal use");
    for (const holder of Resources.map((id) => holderOf(call, id))) {
      for (const { Key, Value } of Tags) if (Value === undefined || holder.tags[Key] === Value) delete holder.tags[Key];
      holder.save();
    }
    return {};
  },

  DescribeLoadBalancerTags: (call, { ResourceArns }) => {
    if (ResourceArns.length > mostDescribed)
      validationError(`Up to ${mostDescribed} resources can have their tags described in one request`);
    return {
      TagDescriptions: ResourceArns.map((arn) => ({ ResourceArn: arn, Tags: tagList(elbHolder(call, arn).tags) })),
    };
  },

  AddTags: (call, { ResourceArns, Tags }) => {
    expectOne(ResourceArns);
    const tags = parseElbTags(Tags);
    const holders = ResourceArns.map((arn) => elbHolder(call, arn));
    for (const holder of holders) checkElbTagCount({ ...holder.tags, ...tags });
    for (const holder of holders) {
      assignTags(holder, tags);
      holder.save();
    }
    return {};
  },

  RemoveTags: (call, { ResourceArns, TagKeys }) => {
    expectOne(ResourceArns);
    for (const holder of ResourceArns.map((arn) => elbHolder(call, arn))) {
      for (const key of TagKeys) delete holder.tags[key];
      holder.save();
    }
    return {};
  },

  GetResources: (call, { TagFilters, ResourceTypeFilters, PaginationToken }) => {
    const tag = TagFilters.find(({ Values }) => Values?.length);
    const tagged = tag?.Values && { key: tag.Key, values: tag.Values };
    const rest = resourcesOf(call.account, call.region, call.now, { tagged, after: placeOf(PaginationToken) });
    const found = rest.filter((resource) => {
      const type = arnTypes[resource.type] ?? `ec2:${resource.type}`;
      return (
        (!ResourceTypeFilters ||
          ResourceTypeFilters.some((wanted) => wanted === type || type.startsWith(`${wanted}:`))) &&
        TagFilters.every(({ Key, Values }) => {
          const value = Object.hasOwn(resource.tags, Key) ? resource.tags[Key] : undefined;
          return value !== undefined && (!Values?.length || Values.includes(value));
        }) &&
        Object.keys(resource.tags).length > 0 &&
        !unlisted.has(resource.type) &&
        !isStale(call, resource)
      );
    });
    const { items, NextToken } = page(
      call,
      found,
      { MaxResults: 100, ...(PaginationToken && { NextToken: PaginationToken }) },
      { least: 1, most: 100 },
    );
    return {
      ResourceTagMappingList: items.map(({ arn, tags }) => ({ ResourceARN: arn, Tags: tagList(tags) })),
      ...(NextToken && { PaginationToken: NextToken }),
    };
  },
} satisfies Handlers;
