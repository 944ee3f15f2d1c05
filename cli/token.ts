/** `capstan token`: an exec plugin whose tokens have the form of `aws eks get-token`. */
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { regionalStsHost } from '../adapters/aws/identity/hosts.ts';
import { chooseProfile } from './aws/profile.ts';
import { CliError } from './errors.ts';

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  expiration?: Date;
}

/** Seconds of validity in the request; STS accepts it for 15 minutes regardless. */
const expiresIn = 60;
/** Milliseconds for which kubectl caches a token. */
const lifetime = 14 * 60_000;
const clusterHeader = 'x-k8s-aws-id';

const hostOf = (region: string): string => {
  try {
    return regionalStsHost(region);
  } catch (error) {
    throw new CliError((error as Error).message, 1, { cause: error });
  }
};

/** A presigned STS request for this cluster. Only the API sends it, so the endpoint is always AWS's. */
export const presign = async (
  credentials: Credentials,
  { region, clusterId, now }: { region: string; clusterId: string; now: number },
): Promise<string> => {
  const host = hostOf(region);
  const signer = new SignatureV4({ credentials, region, service: 'sts', sha256: Sha256 });
  const { query = {} } = await signer.presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname: host,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host, [clusterHeader]: clusterId },
    },
    { expiresIn, signingDate: new Date(now) },
  );
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return `https://${host}/?${pairs.join('&')}`;
};

/** The exec plugin's output for kubectl. */
export const execCredential = (url: string, now: number, expiration?: Date) => {
  const until = Math.min(now + lifetime, expiration?.getTime() ?? Number.POSITIVE_INFINITY);
  return {
    kind: 'ExecCredential',
    apiVersion: 'client.authentication.k8s.io/v1',
    spec: {},
    status: {
      expirationTimestamp: new Date(until).toISOString().replace(/\.\d+Z$/, 'Z'),
      token: `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`,
    },
  };
};

const credentialsOf = async (profile: string | undefined, region: string): Promise<Credentials> => {
  const { fromNodeProviderChain } = await import('@aws-sdk/credential-providers');
  const load = fromNodeProviderChain({ clientConfig: { region }, ...(profile !== undefined && { profile }) });
  try {
    return await load();
  } catch (error) {
    const { explained } = await import('./aws/explain.ts');
    throw explained(error, { action: 'sts:GetCallerIdentity', what: 'AWS', profile, region });
  }
};

export interface TokenOptions {
  clusterId: string;
  region: string;
  profile?: string;
}

export const printToken = async ({ clusterId, region, profile }: TokenOptions): Promise<void> => {
  const credentials = await credentialsOf(chooseProfile(profile), region);
  const now = Date.now();
  const url = await presign(credentials, { region, clusterId, now });
  console.log(JSON.stringify(execCredential(url, now, credentials.expiration)));
};
