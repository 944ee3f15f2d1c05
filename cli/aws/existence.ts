/** Whether AWS still has what a stack retains or what stood beside it: only what a read proves is named. */
import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { parameterNameOf } from '../../adapters/aws/marker/parameter.ts';
import { explained, type Tried } from './explain.ts';
import { settings } from './session.ts';
import { type CloudFormation, findStack } from './stack.ts';

/** `why`: what keeps the caller from finding it out. */
export type Existence = { is: 'there' } | { is: 'gone' } | { is: 'unknown'; why: string };

const gone: Existence = { is: 'gone' };
const when = (isThere: boolean): Existence => (isThere ? { is: 'there' } : gone);

const finding = async (tried: Tried, absent: readonly string[], find: () => Promise<boolean>): Promise<Existence> => {
  try {
    return when(await find());
  } catch (error) {
    if (absent.includes((error as Error).name)) return gone;
    return { is: 'unknown', why: explained(error, tried).message };
  }
};

export const findBucket = (Bucket: string, client: Pick<S3Client, 'send'> = new S3Client(settings)) =>
  finding({ action: 's3:ListBucket', what: `the bucket ${Bucket}` }, ['NotFound', 'NoSuchBucket'], async () => {
    await client.send(new HeadBucketCommand({ Bucket }));
    return true;
  });

export const findLogGroup = (
  name: string,
  client: Pick<CloudWatchLogsClient, 'send'> = new CloudWatchLogsClient(settings),
) =>
  finding(
    { action: 'logs:DescribeLogGroups', what: `the log group ${name}` },
    ['ResourceNotFoundException'],
    async () => {
      const { logGroups = [] } = await client.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: name }));
      return logGroups.some(({ logGroupName }) => logGroupName === name);
    },
  );

export const findMark = (installation: string, client: Pick<SSMClient, 'send'> = new SSMClient(settings)) => {
  const Name = parameterNameOf(installation);
  return finding({ action: 'ssm:GetParameter', what: `the parameter ${Name}` }, ['ParameterNotFound'], async () => {
    await client.send(new GetParameterCommand({ Name }));
    return true;
  });
};

export const bootstrapStack = 'CDKToolkit';

export const findBootstrap = (client: CloudFormation) =>
  finding(
    { action: 'cloudformation:DescribeStacks', what: `the stack ${bootstrapStack}` },
    [],
    async () => (await findStack(client, bootstrapStack)) !== undefined,
  );

export const findLoggingRole = (client: Pick<APIGatewayClient, 'send'> = new APIGatewayClient(settings)) =>
  finding({ action: 'apigateway:GET', what: 'the account settings of API Gateway' }, [], async () => {
    const { cloudwatchRoleArn } = await client.send(new GetAccountCommand({}));
    return Boolean(cloudwatchRoleArn);
  });
