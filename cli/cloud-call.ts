/** EC2 calls by a user, on the simulated account or the emulator. */
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

const onEmulator = async (endpoint: string, region: string): Promise<CloudCall> => {
  if (!isLoopback(endpoint)) throw new CliError(`${endpoint} is no emulator on this machine: it is left alone`);
  const sdk = (await import('@aws-sdk/client-ec2')) as unknown as Record<string, new (input: object) => object>;
  const { EC2Client } = await import('@aws-sdk/client-ec2');
  const client = new EC2Client({ endpoint, region });
  return async <T>(action: string, input: object) => {
    const Sent = sdk[`${action}Command`]!;
    return (await client.send(new Sent(input) as never)) as T;
  };
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
