/** `capstan cloud tag`: changes tags as a user outside of Capstan would. */
import type { CloudCall } from './cloud-call.ts';
import { CliError } from './errors.ts';

interface Tag {
  Key: string;
  Value: string;
}

export interface TagChange {
  resources: string[];
  set: Tag[];
  removed: string[];
}

/** Parses `vpc-1 team=a owner-`, the notation of kubectl label. A pure function. */
export const tagChangeOf = (args: readonly string[]): TagChange => {
  const set = args.filter((arg) => /^[^=]+=/.test(arg) && !arg.startsWith('arn:'));
  const removed = args.filter((arg) => !set.includes(arg) && arg.endsWith('-'));
  const resources = args.filter((arg) => !set.includes(arg) && !removed.includes(arg));
  if (resources.length === 0) throw new CliError('name a resource, such as vpc-0123456789abcdef0, or its ARN', 2);
  if (set.length + removed.length === 0) throw new CliError('say key=value to set a tag, or key- to remove it', 2);
  return {
    resources,
    set: set.map((arg) => ({ Key: arg.slice(0, arg.indexOf('=')), Value: arg.slice(arg.indexOf('=') + 1) })),
    removed: removed.map((arg) => arg.slice(0, -1)),
  };
};

/** Which API tags it, and by which name. */
type Target = { api: 'ec2' | 'elb' | 'classic'; name: string; region?: string };

const parsed = (resource: string): Target => {
  if (!resource.startsWith('arn:')) return { api: 'ec2', name: resource };
  const [, , service, region = '', , ...rest] = resource.split(':');
  const [type = '', ...path] = rest.join(':').split('/');
  if (service === 'ec2') return { api: 'ec2', name: path.at(-1) ?? '', region };
  if (service !== 'elasticloadbalancing')
    throw new CliError(`${resource}: this command changes tags of EC2 and of load balancing only`, 2);
  // The ARN of a classic load balancer has its name alone.
  if (type === 'loadbalancer' && path.length === 1) return { api: 'classic', name: path[0]!, region };
  return { api: 'elb', name: resource, region };
};

/** Each region with the resources in it: an ARN says where it is. */
export const byRegion = (resources: readonly string[], otherwise: string): Map<string, string[]> =>
  Map.groupBy(resources, (resource) => parsed(resource).region ?? otherwise);

/** Changes the tags of resources of one region. */
export const changeTags = async (call: CloudCall, { resources, set, removed }: TagChange): Promise<void> => {
  const targets = Object.groupBy(resources.map(parsed), ({ api }) => api);
  const names = (api: Target['api']) => (targets[api] ?? []).map(({ name }) => name);
  const Keys = removed.map((Key) => ({ Key }));
  const ids = names('ec2');
  if (ids.length > 0 && set.length > 0) await call('CreateTags', { Resources: ids, Tags: set });
  if (ids.length > 0 && removed.length > 0) await call('DeleteTags', { Resources: ids, Tags: Keys });
  // Load balancing tags one resource a request.
  for (const arn of names('elb')) {
    if (set.length > 0) await call('AddTags', { ResourceArns: [arn], Tags: set });
    if (removed.length > 0) await call('RemoveTags', { ResourceArns: [arn], TagKeys: removed });
  }
  for (const name of names('classic')) {
    const LoadBalancerNames = [name];
    if (set.length > 0) await call('AddClassicLoadBalancerTags', { LoadBalancerNames, Tags: set });
    if (removed.length > 0) await call('RemoveClassicLoadBalancerTags', { LoadBalancerNames, Tags: Keys });
  }
};
