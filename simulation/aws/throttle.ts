/** Token buckets as the services have them: per region, and per action or group of actions. */
import { type CloudAction, CloudError, isMutating } from '../../kinds/ports/cloud.ts';
import type { Call } from './state.ts';

export interface Bucket {
  capacity: number;
  /** Tokens a second. */
  refill: number;
}

type Service = 'ec2' | 'elasticloadbalancing' | 'secretsmanager' | 'ssm' | 'iam' | 'tagging' | 'servicequotas';

const elsewhere: Partial<Record<CloudAction, Service>> = {
  GetInstanceProfile: 'iam',
  GetResources: 'tagging',
  GetServiceQuota: 'servicequotas',
  CreateSecret: 'secretsmanager',
  DeleteSecret: 'secretsmanager',
  DescribeSecret: 'secretsmanager',
  ListSecrets: 'secretsmanager',
  PutParameter: 'ssm',
  DescribeParameters: 'ssm',
  ListTagsForResource: 'ssm',
  DeleteParameter: 'ssm',
  AddTags: 'elasticloadbalancing',
  SetSecurityGroups: 'elasticloadbalancing',
  SetSubnets: 'elasticloadbalancing',
};
export const serviceOf = (action: CloudAction): Service =>
  elsewhere[action] ?? (/LoadBalancer|Listener|Target/.test(action) ? 'elasticloadbalancing' : 'ec2');

const mutating: Bucket = { capacity: 50, refill: 5 };
const reading: Bucket = { capacity: 100, refill: 20 };
/** Asked for everything at once. */
const sweeping: Bucket = { capacity: 50, refill: 10 };
const sweepers = new Set<CloudAction>([
  'DescribeInstances',
  'DescribeNetworkInterfaces',
  'DescribeSecurityGroups',
  'DescribeVolumes',
]);

/** EC2's exceptions, from its request-throttling page. */
const ec2: Partial<Record<CloudAction, Bucket>> = {
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
/** Tokens are instances. */
const instanceTokens: Partial<Record<CloudAction, Bucket>> = {
  RunInstances: { capacity: 1000, refill: 2 },
  TerminateInstances: { capacity: 1000, refill: 20 },
};

const elbReading: Bucket = { capacity: 40, refill: 10 };
const elbMutating: Bucket = { capacity: 20, refill: 3 };
const otherServices: Record<Exclude<Service, 'ec2' | 'elasticloadbalancing'>, Bucket> = {
  secretsmanager: { capacity: 50, refill: 50 },
  ssm: { capacity: 10, refill: 3 },
  iam: { capacity: 100, refill: 15 },
  tagging: { capacity: 15, refill: 15 },
  servicequotas: { capacity: 10, refill: 10 },
};

interface Draw {
  bucket: string;
  limits: Bucket;
  tokens: number;
}

/** What a request draws, and from which buckets. */
const drawsOf = (action: CloudAction, input: Record<string, unknown>): Draw[] => {
  const service = serviceOf(action);
  if (service === 'elasticloadbalancing')
    return isMutating(action)
      ? [{ bucket: action, limits: elbMutating, tokens: 1 }]
      : [{ bucket: 'elb/reading', limits: elbReading, tokens: 1 }];
  if (service !== 'ec2') return [{ bucket: action, limits: otherServices[service], tokens: 1 }];
  const narrowed = Object.values(input).some((value) => value !== undefined);
  const request: Draw =
    sweepers.has(action) && !narrowed
      ? { bucket: `${action}/everything`, limits: sweeping, tokens: 1 }
      : { bucket: action, limits: ec2[action] ?? (isMutating(action) ? mutating : reading), tokens: 1 };
  const perInstance = instanceTokens[action];
  const instances = Array.isArray(input.InstanceIds) ? input.InstanceIds.length : 1;
  return perInstance ? [request, { bucket: `${action}/instances`, limits: perInstance, tokens: instances }] : [request];
};

export interface Throttle {
  /** Draws the tokens of one request, or throws the service's refusal. */
  admit(call: Call, action: CloudAction, input: Record<string, unknown>): void;
}

export const createThrottle = (): Throttle => {
  const levels = new Map<string, { tokens: number; at: number }>();
  return {
    admit: ({ account, region, now }, action, input) => {
      if (!account.behaviour.throttling) return;
      const draws = drawsOf(action, input).map((draw) => {
        const name = `${region}/${draw.bucket}`;
        const level = levels.get(name) ?? { tokens: draw.limits.capacity, at: now };
        const refilled = level.tokens + ((now - level.at) / 1000) * draw.limits.refill * account.speed;
        return { ...draw, name, available: Math.min(draw.limits.capacity, refilled) };
      });
      const granted = draws.every(({ available, tokens }) => available >= tokens);
      for (const { name, available, tokens } of draws)
        levels.set(name, { tokens: granted ? available - tokens : available, at: now });
      if (granted) return;
      switch (serviceOf(action)) {
        case 'ec2':
          throw new CloudError('RequestLimitExceeded', 'Request limit exceeded.');
        case 'iam':
          throw new CloudError('Throttling', 'Rate exceeded');
        case 'tagging':
          throw new CloudError('ThrottledException', 'Rate exceeded');
        case 'servicequotas':
          throw new CloudError('TooManyRequestsException', 'Rate exceeded');
        case 'elasticloadbalancing':
        case 'secretsmanager':
        case 'ssm':
          throw new CloudError('ThrottlingException', 'Rate exceeded');
      }
    },
  };
};
