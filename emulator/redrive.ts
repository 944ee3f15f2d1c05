/**
 * Restores after each deployment what MiniStack's CloudFormation omits: dead-letter queues, TTLs and
 * point-in-time recovery.
 */
import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
} from '@aws-sdk/client-cloudformation';
import {
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  type PointInTimeRecoverySpecification,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';

export interface RedriveOptions {
  endpoint: string;
  region: string;
  stack: string;
  onError: (error: unknown) => void;
}

interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
}

interface Redrive {
  deadLetterTargetArn: { 'Fn::GetAtt': [string, string] };
  maxReceiveCount: number;
}

interface TableProperties {
  TimeToLiveSpecification?: { AttributeName: string };
  PointInTimeRecoverySpecification?: PointInTimeRecoverySpecification;
}

/** Physical IDs by logical ID. */
type Physical = ReadonlyMap<string | undefined, string>;

const interval = 2_000;

export const followDeployments = ({ endpoint, region, stack, onError }: RedriveOptions) => {
  const config = { endpoint, region, credentials: { accessKeyId: 'emulator', secretAccessKey: 'emulator' } };
  const formation = new CloudFormationClient(config);
  const queues = new SQSClient(config);
  const tables = new DynamoDBClient(config);
  let applied: string | undefined;

  const arnOf = async (QueueUrl: string): Promise<string> => {
    const { Attributes } = await queues.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
    return Attributes?.QueueArn ?? '';
  };
  const completeQueue = async (QueueUrl: string, { deadLetterTargetArn, maxReceiveCount }: Redrive, of: Physical) => {
    const target = await arnOf(of.get(deadLetterTargetArn['Fn::GetAtt'][0]) ?? '');
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: target, maxReceiveCount });
    await queues.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy } }));
  };
  const completeTable = async (TableName: string, properties: Record<string, unknown>) => {
    const { TimeToLiveSpecification: ttl, PointInTimeRecoverySpecification: recovery } = properties as TableProperties;
    if (recovery)
      await tables.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification: recovery }));
    if (!ttl) return;
    const { TimeToLiveDescription } = await tables.send(new DescribeTimeToLiveCommand({ TableName }));
    if (TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED') return;
    const TimeToLiveSpecification = { AttributeName: ttl.AttributeName, Enabled: true };
    await tables.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  };
  const apply = async (): Promise<void> => {
    const { TemplateBody = '{}' } = await formation.send(new GetTemplateCommand({ StackName: stack }));
    const { StackResources = [] } = await formation.send(new DescribeStackResourcesCommand({ StackName: stack }));
    const physical: Physical = new Map(
      StackResources.map((one) => [one.LogicalResourceId, one.PhysicalResourceId ?? '']),
    );
    const { Resources = {} } = JSON.parse(TemplateBody) as { Resources?: Record<string, Resource> };
    for (const [id, { Type, Properties = {} }] of Object.entries(Resources)) {
      const own = physical.get(id);
      if (own === undefined) continue;
      if (Type === 'AWS::SQS::Queue' && Properties.RedrivePolicy)
        await completeQueue(own, Properties.RedrivePolicy as Redrive, physical);
      if (Type === 'AWS::DynamoDB::Table') await completeTable(own, Properties);
    }
  };
  const look = async (): Promise<void> => {
    // A missing resource is an error in this API.
    const { Stacks = [] } = await formation.send(new DescribeStacksCommand({})).catch(() => ({ Stacks: [] }));
    const found = Stacks.find(({ StackName }) => StackName === stack);
    if (!found || !/^(CREATE|UPDATE)_COMPLETE$/.test(found.StackStatus ?? '')) return;
    const version = `${found.StackId} ${(found.LastUpdatedTime ?? found.CreationTime)?.toISOString()}`;
    if (version === applied) return;
    await apply();
    applied = version;
  };

  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let current = Promise.resolve();
  const round = async () => {
    await look().catch((error: unknown) => {
      if (!isClosed) onError(error);
    });
    if (!isClosed) timer = setTimeout(next, interval);
  };
  const next = () => {
    current = round();
  };
  next();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await current;
      formation.destroy();
      queues.destroy();
      tables.destroy();
    },
  };
};
