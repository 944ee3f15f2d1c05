/** `capstan cloud console`: what an instance has printed since it booted. */
import { withoutCredentials } from '../kinds/common/credentials.ts';
import type { ApiClient } from './client.ts';
import { listResources } from './cloud.ts';
import type { CloudCall } from './cloud-call.ts';
import { CliError } from './errors.ts';

/** The region of an instance that the account lists. */
export const regionOf = async (client: ApiClient, instance: string): Promise<string> => {
  const zone = (await listResources(client)).find(({ id }) => id === instance)?.zone ?? '';
  const [region] = /^[a-z]+(-[a-z]+)+-\d/.exec(zone) ?? [];
  if (region === undefined) throw new CliError(`no instance ${instance}: capstan cloud list names them`);
  return region;
};

export const readConsole = async (call: CloudCall, instance: string): Promise<string> => {
  const { Output } = await call<{ Output?: string }>('GetConsoleOutput', { InstanceId: instance });
  if (Output === undefined) throw new CliError(`instance ${instance} has printed nothing yet`);
  return withoutCredentials(Buffer.from(Output, 'base64').toString('utf8')).trimEnd();
};
