/** The caller's identity and region, determined before any other call. */
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { canonicalArn } from '../../adapters/aws/identity/arn.ts';
import { partitions } from '../../adapters/aws/identity/hosts.ts';
import { CliError } from '../errors.ts';
import { proxyVariables } from '../proxy.ts';
import { asking, type Tried } from './explain.ts';
import { chooseProfile } from './profile.ts';

export interface SessionOptions {
  profile?: string | undefined;
  region?: string | undefined;
}

export interface Session {
  region: string;
  profile: string | undefined;
  account: string;
  /** The principal as policies name it: the role of an assumed-role session. */
  caller: string;
  /** Whether an emulator answers. */
  isEmulated: boolean;
}

const proxy = proxyVariables();

/** Proxy, timeout in milliseconds and attempts of a client. */
export const settings = {
  customUserAgent: 'capstan',
  maxAttempts: 3,
  requestHandler: {
    connectionTimeout: 5_000,
    requestTimeout: 30_000,
    throwOnRequestTimeout: true,
    ...(proxy && { httpsAgent: { proxyEnv: { ...proxy } } }),
  },
};

/**
 * Selects profile and region for all clients of this process and its children. The AWS CLI reads
 * AWS_DEFAULT_REGION, the SDK does not.
 */
const choose = ({ profile, region }: SessionOptions): void => {
  chooseProfile(profile);
  const chosen = region ?? process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  if (chosen) process.env.AWS_REGION = chosen;
};

const expectKnown = (region: string): void => {
  if (Object.values(partitions).some(({ regions }) => regions.includes(region))) return;
  throw new CliError(
    `there is no region ${region} of AWS that Capstan knows: name one such as eu-central-1 with --region`,
  );
};

/** The region without a call to AWS. */
export const chosenRegion = async (options: SessionOptions): Promise<string> => {
  choose(options);
  const tried: Tried = { action: 'sts:GetCallerIdentity', what: 'AWS', profile: process.env.AWS_PROFILE };
  const region = await asking(new STSClient(settings).config.region(), tried);
  expectKnown(region);
  process.env.AWS_REGION = region;
  return region;
};

/** Throws CliError with advice if AWS cannot be used. */
export const openSession = async (options: SessionOptions): Promise<Session> => {
  const region = await chosenRegion(options);
  const profile = process.env.AWS_PROFILE;
  const client = new STSClient({ ...settings, region });
  const { Arn, Account } = await asking(client.send(new GetCallerIdentityCommand({})), {
    action: 'sts:GetCallerIdentity',
    what: `AWS STS in ${region}`,
    profile,
    region,
  });
  if (!Arn || !Account) throw new CliError('AWS STS did not say who the caller is');
  const isEmulated = process.env.AWS_ENDPOINT_URL !== undefined;
  return { region, profile, account: Account, caller: canonicalArn(Arn), isEmulated };
};
