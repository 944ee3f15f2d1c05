import { definitionNames } from '../../stepfunctions/index.ts';
import { functionId } from '../functions.ts';
import { functionNames, speeds, workerClasses } from '../names.ts';
import { queueId } from '../queues.ts';
import { reportPath, targets } from '../routes.ts';
import type { Acknowledgement } from './acknowledge.ts';

const functions = functionNames.map(functionId);
const workers = workerClasses.map((worker) => functionId(`reconcile-${worker}`));
const stateMachines = definitionNames.map(functionId);
const queues = workerClasses.flatMap((worker) => speeds.map((speed) => queueId(worker, speed)));
const stage = 'RestApi/DeploymentStage.v1';
const methodOf = (path: string, method: string): string => `RestApi/Default${path === '/' ? '' : path}/${method}`;
const methods = targets.filter(({ path }) => path !== reportPath).map(({ path, method }) => methodOf(path, method));

export const inControlPlane: readonly Acknowledgement[] = [
  {
    rules: ['AwsSolutions-APIG4', 'AwsSolutions-COG4'],
    of: methods,
    reason:
      'Clients of the Kubernetes API send bearer tokens, of AWS or of an OpenID provider: the function verifies them, and rejects users that are not listed.',
  },
  {
    rules: ['AwsSolutions-APIG4', 'AwsSolutions-COG4'],
    of: [methodOf(reportPath, 'POST')],
    reason:
      'API servers of clusters send a token of their cluster, which the function verifies; it can only wake controllers.',
  },
  {
    rules: ['AwsSolutions-APIG2'],
    of: ['RestApi'],
    reason:
      'Bodies come in several encodings and versions of each kind; the function behind validates each against its schema, which the gateway could not.',
  },
  {
    rules: ['AwsSolutions-APIG3', 'NIST.800.53.R5-APIGWAssociatedWithWAF'],
    of: [stage],
    reason:
      'A web ACL costs more than the rest of the stack, and every request needs a token. The stage throttles each method. The setting webAclArn associates one.',
  },
  {
    rules: ['NIST.800.53.R5-APIGWCacheEnabledAndEncrypted'],
    of: [stage],
    reason:
      'Each caller may see something else, and what is read must be what was written last: nothing may be cached.',
  },
  {
    rules: ['NIST.800.53.R5-APIGWSSLEnabled'],
    of: [stage],
    reason: 'A client certificate proves the gateway to an HTTP backend; functions are invoked under IAM.',
  },
  {
    rules: [
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    ],
    of: ['AccountLoggingRole'],
    reason: 'API Gateway takes one role for all logs of the account, and documents this policy for it.',
  },
  {
    rules: ['NIST.800.53.R5-LambdaConcurrency'],
    of: functions,
    reason:
      'A new account has 10 concurrent executions, of which none can be reserved. Where the limit is higher, some are reserved for the API; queues and watches are bounded everywhere.',
  },
  {
    rules: ['NIST.800.53.R5-LambdaInsideVPC'],
    of: functions,
    reason:
      'They speak to AWS and to endpoints of clusters on the internet: a network would cost a NAT gateway and protect nothing. The context vpcId puts the one that speaks to clusters into a network.',
  },
  {
    rules: ['NIST.800.53.R5-LambdaDLQ', 'Serverless-LambdaDLQ'],
    of: ['Api', 'Watch', 'AuditWebhook', 'Operate'],
    reason: 'Invoked by who waits for the answer, and hears of the failure.',
  },
  {
    rules: ['NIST.800.53.R5-LambdaDLQ', 'Serverless-LambdaDLQ'],
    of: ['Dispatch', ...workers],
    reason: 'Invoked by mappings: what fails stays in the queue or the stream, and ends in the queue of dead letters.',
  },
  {
    rules: ['NIST.800.53.R5-LambdaDLQ', 'Serverless-LambdaDLQ'],
    of: ['Guard'],
    reason:
      'CloudFormation waits for its answer and says when there is none; its events hold an address that is a secret while it is valid.',
  },
  {
    rules: ['Serverless-LambdaAsyncFailureDestination'],
    of: ['Executions', 'Instances', 'Sweep'],
    reason: 'Has a queue of dead letters: a destination would keep each event a second time.',
  },
  {
    rules: ['Serverless-LambdaEventSourceMappingDestination'],
    of: queues.map((id) => `${id}Messages`),
    reason: 'Mappings of queues take no destination; the queue itself hands on what cannot be handled.',
  },
  {
    rules: ['Serverless-SQSRedrivePolicy'],
    of: ['DeadLetters'],
    reason: 'It is the queue of dead letters. An alarm tells of each.',
  },
  {
    rules: ['NIST.800.53.R5-SNSEncryptedKMS'],
    of: ['LostChanges'],
    reason: 'What is published is where changes were in the stream, and when: nothing of what they say.',
  },
  {
    rules: ['Serverless-SNSRedrivePolicy'],
    of: ['LostChangesKept'],
    reason: 'It ends in the queue of dead letters.',
  },
  {
    rules: ['NIST.800.53.R5-DynamoDBInBackupPlan'],
    of: ['Objects', 'Work'],
    reason:
      'Point-in-time recovery keeps 35 days. A backup plan belongs to the account, with its own retention and vault.',
  },
  {
    rules: ['AwsSolutions-S1', 'NIST.800.53.R5-S3BucketLoggingEnabled'],
    of: ['Snapshots'],
    reason: 'Access logs need another bucket, which grows with every read; CloudTrail’s data events record the same.',
  },
  {
    rules: ['NIST.800.53.R5-S3BucketReplicationEnabled'],
    of: ['Snapshots'],
    reason: 'Where a second region must hold snapshots, its rules and its key are the account’s to choose.',
  },
  {
    rules: ['NIST.800.53.R5-CloudWatchLogGroupEncrypted'],
    of: ['AccessLog', 'AuditLog', ...[...functions, ...stateMachines].map((id) => `${id}Log`)],
    reason:
      'Logs hold names and identifiers, no secret, and are encrypted by the service. They must be readable when the installation’s key is disabled: that is when they are read.',
  },
  {
    rules: ['NIST.800.53.R5-IAMNoInlinePolicy'],
    of: [
      ...functions.map((id) => `${id}Role/DefaultPolicy`),
      ...stateMachines.map((id) => `${id}/Role/DefaultPolicy`),
      'SchedulesPolicy',
    ],
    reason: 'One role for one purpose: its policy is shared with nothing, and goes when the role goes.',
  },
  {
    rules: ['Serverless-APIGWXrayEnabled'],
    of: [stage],
    reason: 'Traces cost as much as idle clusters do: they are off unless the setting tracing switches them on.',
  },
  {
    rules: ['Serverless-LambdaTracing'],
    of: functions,
    reason: 'Traces cost as much as idle clusters do: they are off unless the setting tracing switches them on.',
  },
  {
    rules: ['AwsSolutions-SF2', 'Serverless-StepFunctionStateMachineXray'],
    of: stateMachines,
    reason: 'Their executions are logged. The setting tracing switches traces on.',
  },
  {
    rules: ['AwsSolutions-IAM5[Resource::*]'],
    of: stateMachines.map((id) => `${id}/Role/DefaultPolicy`),
    reason: 'Log delivery and traces have no resource that a policy could name.',
  },
];
