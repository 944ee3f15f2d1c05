/** IAM actions that the caller of each command needs, besides assuming the CDK's roles. */
import { tablePermissions } from '../../adapters/aws/dynamodb/permissions.ts';
import { keyPermissions } from '../../adapters/aws/keys/permissions.ts';
import { markerPermissions } from '../../adapters/aws/marker/permissions.ts';
import type { Permissions } from '../../adapters/aws/service/permissions.ts';

/** Per SDK command that the CLI sends. */
export const callerPermissions = {
  GetCallerIdentity: ['sts:GetCallerIdentity'],
  DescribeStacks: ['cloudformation:DescribeStacks'],
  DescribeStackEvents: ['cloudformation:DescribeStackEvents'],
  DescribeStackResources: ['cloudformation:DescribeStackResources'],
  GetTemplate: ['cloudformation:GetTemplate'],
  GetAccountSettings: ['lambda:GetAccountSettings'],
  UpdateTerminationProtection: ['cloudformation:UpdateTerminationProtection'],
  DeleteStack: ['cloudformation:DeleteStack'],
  GetParameter: ['ssm:GetParameter'],
  DescribeTable: ['dynamodb:DescribeTable'],
  UpdateTable: ['dynamodb:UpdateTable'],
  DeleteTable: ['dynamodb:DeleteTable'],
  ListBackups: ['dynamodb:ListBackups'],
  ListTables: ['dynamodb:ListTables'],
  ListObjectVersions: ['s3:ListBucketVersions'],
  HeadBucket: ['s3:ListBucket'],
  DescribeLogGroups: ['logs:DescribeLogGroups'],
  DescribeSnapshots: ['ec2:DescribeSnapshots'],
  DescribeKey: ['kms:DescribeKey'],
  ScheduleKeyDeletion: ['kms:ScheduleKeyDeletion'],
  GetMetricData: ['cloudwatch:GetMetricData'],
  FilterLogEvents: ['logs:FilterLogEvents'],
  ListEventSourceMappings: ['lambda:ListEventSourceMappings'],
  ListSchedules: ['scheduler:ListSchedules'],
  DescribeRule: ['events:DescribeRule'],
  // DynamoDB writes the restored table with the caller's permissions.
  RestoreTableToPointInTime: ['dynamodb:RestoreTableToPointInTime', 'dynamodb:Scan', 'dynamodb:BatchWriteItem'],
  GetQueueUrl: ['sqs:GetQueueUrl'],
  GetQueueAttributes: ['sqs:GetQueueAttributes'],
  ReceiveMessage: ['sqs:ReceiveMessage'],
  PurgeQueue: ['sqs:PurgeQueue'],
  ListMessageMoveTasks: ['sqs:ListMessageMoveTasks'],
  GetAccount: ['apigateway:GET'],
  StartMessageMoveTask: ['sqs:StartMessageMoveTask', 'sqs:DeleteMessage', 'sqs:SendMessage'],
} as const satisfies Permissions;

type Command =
  | 'login'
  | 'status'
  | 'logs'
  | 'doctor'
  | 'plan'
  | 'deploy'
  | 'restore'
  | 'dead-letters list'
  | 'dead-letters redrive'
  | 'dead-letters purge'
  | 'destroy'
  | 'destroy --force'
  | 'destroy --delete-data';
type Action = (typeof callerPermissions)[keyof typeof callerPermissions][number];

const found: Action[] = ['sts:GetCallerIdentity', 'cloudformation:DescribeStacks'];
const planned: Action[] = [...found, 'cloudformation:GetTemplate', 'lambda:GetAccountSettings', 'apigateway:GET'];
const destroyed = [
  ...found,
  'cloudformation:DescribeStackEvents',
  'cloudformation:UpdateTerminationProtection',
  'cloudformation:DeleteStack',
  'dynamodb:DescribeTable',
  'dynamodb:ListTables',
  'kms:DescribeKey',
  's3:ListBucket',
  'logs:DescribeLogGroups',
  'ec2:DescribeSnapshots',
  'apigateway:GET',
  ...tablePermissions.Query,
  ...tablePermissions.GetItem,
  ...markerPermissions.GetParameter,
  ...markerPermissions.GetParameterHistory,
] as const;

const listed: Action[] = [...found, 'sqs:GetQueueUrl', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];

/** Creating a token needs no permission: every identity may call sts:GetCallerIdentity. */
export const needed: Readonly<Record<Command, readonly string[]>> = {
  login: found,
  status: ['cloudwatch:GetMetricData'],
  logs: ['logs:FilterLogEvents'],
  doctor: [
    ...found,
    'lambda:ListEventSourceMappings',
    'dynamodb:DescribeTable',
    'scheduler:ListSchedules',
    'events:DescribeRule',
  ],
  plan: planned,
  deploy: [
    ...planned,
    'cloudformation:DescribeStackEvents',
    'cloudformation:DescribeStackResources',
    'cloudformation:UpdateTerminationProtection',
    'ssm:GetParameter',
  ],
  restore: [
    ...found,
    'dynamodb:RestoreTableToPointInTime',
    'dynamodb:Scan',
    'dynamodb:BatchWriteItem',
    'dynamodb:DescribeTable',
    ...Object.values(tablePermissions).flat(),
    ...Object.values(keyPermissions).flat(),
  ],
  'dead-letters list': listed,
  'dead-letters redrive': [
    ...listed,
    'sqs:ListMessageMoveTasks',
    'sqs:StartMessageMoveTask',
    'sqs:DeleteMessage',
    'sqs:SendMessage',
  ],
  'dead-letters purge': [...listed, 'sqs:PurgeQueue'],
  destroy: destroyed,
  'destroy --force': [...destroyed, 'cloudformation:DescribeStackResources', ...tablePermissions.PutItem],
  'destroy --delete-data': [
    ...destroyed,
    'dynamodb:UpdateTable',
    'dynamodb:DeleteTable',
    'dynamodb:ListBackups',
    's3:ListBucketVersions',
    'kms:ScheduleKeyDeletion',
  ],
};
