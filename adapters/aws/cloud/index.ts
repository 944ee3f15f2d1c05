/** The Cloud port on AWS. */
import {
  type Caller,
  type Cloud,
  type CloudAction,
  CloudError,
  type CloudInput,
  type CloudOutput,
  isMutating,
} from '../../../kinds/ports/cloud/index.ts';
import { serviceOf } from '../../../kinds/ports/cloud-limits.ts';
import { type Clock, sleep } from '../../../machinery/ports.ts';
import { type Buckets, createBuckets, paced } from '../../cloud/buckets.ts';
import { type ResolveEndpoint, resolveByName } from './endpoint.ts';
import { isPassing, translated } from './errors.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { type Api, apiOf } from './permissions.ts';

export { iamActionOf, iamActionsOf } from './permissions.ts';

export interface AwsCloudOptions {
  clock: Clock;
  /** Overrides for emulators; by default the SDK reads AWS's variables and files. */
  clients?: Partial<Pick<ClientConfig, 'endpoint' | 'credentials' | 'requestHandler'>>;
  /** Resolves a listener's endpoint; by default by the load balancer's name. */
  resolveEndpoint?: ResolveEndpoint;
  /** Share of the account's request limits that this process may use; 1 by default. */
  share?: number;
}

/** Each client is loaded with its first call. */
const load: { [T in Api]: (config: ClientConfig, resolve: ResolveEndpoint) => Promise<Operations<T>> } = {
  ec2: async (config) => (await import('./ec2.ts')).operations(config),
  elasticloadbalancing: async (config, resolve) => (await import('./elbv2.ts')).operations(config, resolve),
  classic: async (config, resolve) => (await import('./elb.ts')).operations(config, resolve),
  secretsmanager: async (config) => (await import('./secrets-manager.ts')).operations(config),
  ssm: async (config) => (await import('./ssm.ts')).operations(config),
  autoscaling: async (config) => (await import('./autoscaling.ts')).operations(config),
  eks: async (config) => (await import('./eks.ts')).operations(config),
  iam: async (config) => (await import('./iam.ts')).operations(config),
  servicequotas: async (config) => (await import('./service-quotas.ts')).operations(config),
  cloudwatch: async (config) => (await import('./cloudwatch.ts')).operations(config),
  pricing: async (config) => (await import('./pricing.ts')).operations(config),
  sts: async (config) => (await import('./sts.ts')).operations(config),
  tag: async (config) => (await import('./tagging.ts')).operations(config),
};

const requestHandler = { connectionTimeout: 3_000, requestTimeout: 20_000, throwOnRequestTimeout: true } as const;

const mostAttempts = 3;
/** An immediate retry would meet the same problem. */
const pauses = [100, 400];

/** A controller repeats mutating calls itself, after it has observed their outcome. */
const mayRepeat = (action: CloudAction, { code }: CloudError, attempt: number): boolean =>
  !isMutating(action) && isPassing(code) && attempt < mostAttempts;

/** Calls of the process, and of other callers. Clients are created per caller, API and region on first use. */
export const awsCloud = ({ clock, share, ...options }: AwsCloudOptions): Cloud =>
  callerCloud({ clock, ...options }, createBuckets({ clock, ...(share && { share }) }));

const providing =
  ({ credentials }: Caller) =>
  async () => {
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = await credentials();
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: SessionToken,
      expiration: new Date(Expiration),
    };
  };

const callerCloud = (options: Omit<AwsCloudOptions, 'share'>, buckets: Buckets): Cloud => {
  const { clock, clients, resolveEndpoint = resolveByName } = options;
  const apis = new Map<string, Promise<unknown>>();

  const operationsOf = <T extends Api>(api: T, region: string): Promise<Operations<T>> => {
    const key = `${api}/${region}`;
    const config: ClientConfig = {
      requestHandler,
      ...clients,
      region,
      customUserAgent: 'capstan',
      maxAttempts: 1,
    };
    const known = apis.get(key) ?? load[api](config, resolveEndpoint);
    apis.set(key, known);
    return known as Promise<Operations<T>>;
  };

  const send = async <A extends CloudAction>(
    region: string,
    action: A,
    input: CloudInput<A>,
  ): Promise<CloudOutput<A>> => {
    const service = serviceOf(action);
    try {
      const operations = (await operationsOf(apiOf(action), region)) as Record<
        A,
        (input: CloudInput<A>) => Promise<CloudOutput<A>>
      >;
      const answer = await operations[action](input);
      return (await import('../../cloud/filtered.ts')).filtered(action, input, answer);
    } catch (error) {
      throw translated(error, action, `${service} in ${region}`);
    }
  };
  const once = paced({ call: send }, buckets);

  return {
    call: async (region, action, input) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once.call(region, action, input);
        } catch (error) {
          if (!(error instanceof CloudError) || !mayRepeat(action, error, attempt)) throw error;
          await sleep(clock, pauses[attempt - 1] ?? 0);
        }
      }
    },
    as: (caller) =>
      callerCloud({ ...options, clients: { ...clients, credentials: providing(caller) } }, buckets.of(caller.account)),
  };
};
