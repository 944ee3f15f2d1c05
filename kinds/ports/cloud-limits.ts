/**
 * AWS's request rate limits: token buckets by account, region, and action or group of actions. The
 * numbers come from the services' pages on request throttling.
 */
import type { Call } from './cloud/call.ts';
import { calls } from './cloud/calls.ts';
import { type CloudAction, isMutating } from './cloud/index.ts';

/** Named by the prefix of its IAM actions. */
export type CloudService = keyof typeof calls;

const holds = (action: CloudAction) => (resource: object) => Object.hasOwn(resource, action);
export const serviceOf = (action: CloudAction): CloudService =>
  (Object.keys(calls) as CloudService[]).find((service) => calls[service].some(holds(action)))!;
export const callOf = (action: CloudAction): Call =>
  (calls[serviceOf(action)].find(holds(action)) as Readonly<Partial<Record<CloudAction, Call>>>)[action]!;

export interface Bucket {
  capacity: number;
  /** Tokens a second. */
  refill: number;
}
export interface Draw {
  /** Calls with the same bucket name share the bucket. */
  bucket: string;
  limits: Bucket;
  tokens: number;
}

const reading: Bucket = { capacity: 100, refill: 20 };
/** Describe calls without filter and without pagination. */
const sweeping: Bucket = { capacity: 50, refill: 10 };
const mutating: Bucket = { capacity: 50, refill: 5 };
const sweepers: ReadonlySet<CloudAction> = new Set<CloudAction>([
  'DescribeInstances',
  'DescribeNetworkInterfaces',
  'DescribeSecurityGroups',
  'DescribeVolumes',
]);

const exceptions: Partial<Record<CloudAction, Bucket>> = {
  RunInstances: { capacity: 5, refill: 2 },
  TerminateInstances: { capacity: 100, refill: 5 },
  CreateTags: { capacity: 100, refill: 10 },
  DeleteTags: { capacity: 100, refill: 10 },
  ModifyInstanceMetadataOptions: { capacity: 100, refill: 5 },
  CreateNatGateway: { capacity: 10, refill: 1 },
  DeleteNatGateway: { capacity: 10, refill: 1 },
  CreateVpcEndpoint: { capacity: 4, refill: 0.3 },
  DeleteVpcEndpoints: { capacity: 4, refill: 0.3 },
};
/** A token stands for an instance. */
const instances: Partial<Record<CloudAction, Bucket>> = {
  RunInstances: { capacity: 1000, refill: 2 },
  TerminateInstances: { capacity: 1000, refill: 20 },
};
const balancing = { reading: { capacity: 40, refill: 10 }, mutating: { capacity: 20, refill: 3 } };
const elsewhere: Record<Exclude<CloudService, 'ec2' | 'elasticloadbalancing'>, Bucket> = {
  secretsmanager: { capacity: 50, refill: 50 },
  ssm: { capacity: 10, refill: 3 },
  iam: { capacity: 100, refill: 15 },
  autoscaling: { capacity: 20, refill: 5 },
  eks: { capacity: 10, refill: 5 },
  tag: { capacity: 15, refill: 15 },
  servicequotas: { capacity: 10, refill: 10 },
  cloudwatch: { capacity: 9, refill: 9 },
  pricing: { capacity: 10, refill: 10 },
  sts: { capacity: 100, refill: 50 },
};

/** The tokens that a request takes, by bucket. */
export const drawsOf = (action: CloudAction, input: object): Draw[] => {
  const service = serviceOf(action);
  if (service === 'elasticloadbalancing')
    return isMutating(action)
      ? [{ bucket: action, limits: balancing.mutating, tokens: 1 }]
      : [{ bucket: 'elasticloadbalancing/reading', limits: balancing.reading, tokens: 1 }];
  if (service !== 'ec2') return [{ bucket: action, limits: elsewhere[service], tokens: 1 }];
  const isSweep = sweepers.has(action) && Object.values(input).every((value) => value === undefined);
  if (isSweep) return [{ bucket: `${action}/everything`, limits: sweeping, tokens: 1 }];
  const standard = isMutating(action) ? mutating : reading;
  const request = { bucket: action, limits: exceptions[action] ?? standard, tokens: 1 };
  const perInstance = instances[action];
  return perInstance
    ? [request, { bucket: `${action}/instances`, limits: perInstance, tokens: instancesOf(input) }]
    : [request];
};
const instancesOf = ({ InstanceIds, MaxCount }: { InstanceIds?: string[]; MaxCount?: number }): number =>
  InstanceIds?.length ?? MaxCount ?? 1;

const throttled = /Throttl|RequestLimitExceeded|TooManyRequests|SlowDown|BandwidthLimitExceeded/;
/** Whether an error code means throttling. */
export const isThrottled = (code: string): boolean => throttled.test(code);
