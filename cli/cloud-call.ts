/** Calls of AWS by a user, on the simulated account or the emulator. */
import { accountPath } from './account.ts';
import type { ApiClient, Connect } from './client.ts';
import { CliError } from './errors.ts';

export type CloudCall = <T>(action: string, input: object) => Promise<T>;

const onSimulated =
  (client: ApiClient, region: string): CloudCall =>
  async <T>(action: string, input: object) => {
    const body = JSON.stringify({ region, action, input });
    return (await client.json<{ output: T }>('POST', `${accountPath}/actions`, { body })).output;
  };

const isLoopback = (url: string): boolean => /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(new URL(url).hostname);

type Constructor<T> = new (input: object) => T;
type Client = { send(command: never): Promise<unknown> };

/** A service's SDK and its client. */
interface Service {
  sdk: () => Promise<object>;
  client: string;
}
const ec2: Service = { sdk: () => import('@aws-sdk/client-ec2'), client: 'EC2Client' };
const balancing: Service = {
  sdk: () => import('@aws-sdk/client-elastic-load-balancing-v2'),
  client: 'ElasticLoadBalancingV2Client',
};
const classic: Service = {
  sdk: () => import('@aws-sdk/client-elastic-load-balancing'),
  client: 'ElasticLoadBalancingClient',
};

/** Actions of other services than EC2, and their commands there. */
const elsewhere: Record<string, Service & { command: string }> = {
  AddTags: { ...balancing, command: 'AddTags' },
  RemoveTags: { ...balancing, command: 'RemoveTags' },
  AddClassicLoadBalancerTags: { ...classic, command: 'AddTags' },
  RemoveClassicLoadBalancerTags: { ...classic, command: 'RemoveTags' },
};

const onEmulator = (endpoint: string, region: string): CloudCall => {
  if (!isLoopback(endpoint)) throw new CliError(`${endpoint} is no emulator on this machine: it is left alone`);
  return async <T>(action: string, input: object) => {
    const { sdk, client, command } = elsewhere[action] ?? { ...ec2, command: action };
    const loaded = (await sdk()) as Record<string, Constructor<never>>;
    const sender = new loaded[client]!({ endpoint, region }) as Client;
    return (await sender.send(new loaded[`${command}Command`]!(input))) as T;
  };
};

const isMissing = (error: unknown): boolean =>
  /\.NotFound|NotFound:|does not exist|not found/i.test(`${(error as Error).name} ${(error as Error).message}`);

/** A resource that is not found may be in another region. */
export const namingRegion =
  (call: CloudCall, region: string): CloudCall =>
  async <T>(action: string, input: object) => {
    try {
      return await call<T>(action, input);
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new CliError(`${(error as Error).message} (looked in ${region}; --region names another region)`, 1, {
        cause: error,
      });
    }
  };

/** The emulator whose variables are set in this shell, else the simulated account of the local control plane. */
export const openCloud = async (connect: Connect, region: string): Promise<CloudCall> => {
  const endpoint = process.env.AWS_ENDPOINT_URL_EC2;
  if (endpoint) return onEmulator(endpoint, region);
  const client = await connect();
  if (client.deployment)
    throw new CliError(
      'this kubeconfig leads to a deployed control plane, whose AWS account is real: use the AWS CLI there; this command works on a local control plane and on the emulator',
    );
  return onSimulated(client, region);
};
