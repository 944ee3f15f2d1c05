/** Shared by load balancers, listeners and target groups: names, ARNs, tags, errors. */
import type { Tag } from '../../kinds/ports/cloud/index.ts';
import type { Stored } from './collection.ts';
import { refuse, validationError } from './errors.ts';
import { partitionOf } from './regions.ts';
import { isStale } from './staleness.ts';
import type { AccountState, Call } from './state.ts';

export const elbArn = (account: AccountState, region: string, rest: string): string =>
  `arn:${partitionOf(region)}:elasticloadbalancing:${region}:${account.accountId}:${rest}`;

/** At most 32 letters, digits and inner hyphens. */
export const checkName = (what: 'Load balancer' | 'Classic load balancer' | 'Target group', name: string): void => {
  const lower = what.toLowerCase();
  if (!name) validationError(`${what} name cannot be empty`);
  if (name.length > 32) validationError(`${what} name '${name}' cannot be longer than '32' characters`);
  if (!/^[A-Za-z0-9-]+$/.test(name))
    validationError(
      `The ${lower} name '${name}' can only contain characters that are alphanumeric characters and hyphens(-)`,
    );
  if (/^-|-$/.test(name)) validationError(`The ${lower} name '${name}' cannot begin or end with a hyphen(-)`);
  if (what === 'Load balancer' && name.startsWith('internal-'))
    validationError(`The load balancer name '${name}' cannot begin with 'internal-'`);
};

const maxTags = 50;

export const parseElbTags = (tags: Tag[] | undefined): Record<string, string> => {
  const result: Record<string, string> = {};
  for (const { Key, Value } of tags ?? []) {
    if (!Key || Key.length > 128 || (Value ?? '').length > 256)
      validationError(`1 validation error detected: Value '${Key}' at 'tags' failed to satisfy constraint`);
    if (/^aws:/i.test(Key)) validationError(`Tag keys starting with 'aws:' are reserved for internal use`);
    if (Object.hasOwn(result, Key)) refuse('DuplicateTagKeys', `The tag key '${Key}' is specified more than once`);
    Object.defineProperty(result, Key, { value: Value ?? '', enumerable: true, writable: true, configurable: true });
  }
  checkElbTagCount(result);
  return result;
};
export const checkElbTagCount = (tags: Record<string, string>): void => {
  if (Object.keys(tags).length > maxTags)
    refuse('TooManyTags', 'You have reached the limit on the number of tags per resource');
};

/** The resource behind an ARN, for calls that name one. */
export const elbNamed = <T extends Stored>(
  call: Call,
  collection: { get(id: string): T | undefined },
  arn: string,
  what: 'LoadBalancer' | 'TargetGroup' | 'Listener',
  exists: (record: T) => boolean = () => true,
): T => {
  const kind = { LoadBalancer: 'loadbalancer', TargetGroup: 'targetgroup', Listener: 'listener' }[what];
  if (!arn.startsWith('arn:') || !arn.includes(`:${kind}/`))
    validationError(
      `'${arn}' is not a valid ${kind === 'targetgroup' ? 'target group' : kind === 'listener' ? 'listener' : 'load balancer'} ARN`,
    );
  const record = collection.get(arn);
  if (!record || record.region !== call.region || !exists(record) || isStale(call, record))
    return refuse(
      `${what}NotFound`,
      `One or more ${{ LoadBalancer: 'load balancers', TargetGroup: 'target groups', Listener: 'listeners' }[what]} not found`,
    );
  return record;
};
