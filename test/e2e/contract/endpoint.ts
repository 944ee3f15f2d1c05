/** The implementation of the AWS API that the suites run against. */
import { inject } from 'vitest';

const given = (service: string): string | undefined =>
  process.env[`AWS_ENDPOINT_URL_${service}`] ?? process.env.AWS_ENDPOINT_URL ?? inject('endpoint');

/** The client settings; those of an account where no endpoint is named. */
export const clientConfig = (service: string) => {
  const endpoint = given(service);
  const region = process.env.AWS_REGION ?? 'us-east-1';
  if (endpoint === undefined) return { region };
  return { region, endpoint, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
};

/** Whether the endpoint is MiniStack, whose deviations are known. */
export const isMiniStack = async (service: string): Promise<boolean> => {
  const endpoint = given(service);
  if (endpoint === undefined) return false;
  const { ok } = await fetch(new URL('/_ministack/health', endpoint));
  return ok;
};
