/** Whom AWS takes the caller for, and where: looked at before anything is done. */
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { canonicalArn } from '../../adapters/aws/identity/arn.ts';
import { partitions } from '../../adapters/aws/identity/hosts.ts';
import { CliError } from '../errors.ts';
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
  /** As policies name the caller: the role of an assumed-role session. */
  caller: string;
  /** Whether another implementation of AWS's API answers. */
  isEmulated: boolean;
}

/** How long a client waits for an answer, in milliseconds, and how often it asks. */
export const settings = {
  customUserAgent: 'capstan',
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 5_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
} as const;

/**
 * Makes every client of this process, and every process that it starts, use this profile and region. AWS_DEFAULT_REGION
 * is what the AWS CLI reads and the SDK does not.
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

/** The region alone, without asking AWS. */
export const chosenRegion = async (options: SessionOptions): Promise<string> => {
  choose(options);
  const tried: Tried = { action: 'sts:GetCallerIdentity', what: 'AWS', profile: process.env.AWS_PROFILE };
  const region = await asking(new STSClient(settings).config.region(), tried);
  expectKnown(region);
  process.env.AWS_REGION = region;
  return region;
};

/** Throws CliError for each way in which AWS cannot be used. */
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
