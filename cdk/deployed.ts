/**
 * Reads the settings of the deployed installation, which a deployment keeps unless it names them. The CDK says
 * which account it deploys to; without credentials for that account the settings stay unknown.
 */
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  type StackStatus,
} from '@aws-sdk/client-cloudformation';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type DeployedContext, deployedIn } from './context.ts';

export interface Found extends DeployedContext {
  /** Whether the account was asked: then an installation without settings does not exist. */
  isKnown: boolean;
}

export interface Destination {
  account: string;
  region: string;
}

const nothing: DeployedContext = { context: {}, named: [] };

/** The CDK waits for the app, so an unreachable AWS must not hold it for long. */
const settings = {
  customUserAgent: 'capstan',
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

const isPlanned: StackStatus = 'REVIEW_IN_PROGRESS';

const templateOf = async (client: CloudFormationClient, StackName: string): Promise<string | undefined> => {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    if (Stacks[0]?.StackStatus === isPlanned) return undefined;
  } catch (error) {
    if (/does not exist/.test((error as Error).message)) return undefined;
    throw error;
  }
  return (await client.send(new GetTemplateCommand({ StackName, TemplateStage: 'Original' }))).TemplateBody;
};

/** `say` gets a sentence when the settings cannot be read. */
export const findDeployed = async (
  stack: string,
  destination: Destination | undefined,
  say: (line: string) => void,
): Promise<Found> => {
  if (!destination) return { ...nothing, isKnown: false };
  const { account, region } = destination;
  try {
    const { Account } = await new STSClient({ ...settings, region }).send(new GetCallerIdentityCommand({}));
    if (Account !== account)
      throw new Error(`the credentials of this shell are of account ${Account}; with --profile, set AWS_PROFILE, too`);
    const template = await templateOf(new CloudFormationClient({ ...settings, region }), stack);
    return { ...(template === undefined ? nothing : deployedIn(template)), isKnown: true };
  } catch (error) {
    say(
      `The settings of ${stack} in ${region} of account ${account} cannot be read: ${(error as Error).message}. A deployment that would change settings that it does not name is refused.`,
    );
    return { ...nothing, isKnown: false };
  }
};
