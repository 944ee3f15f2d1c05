/** What the caller of each command must be allowed, besides to assume the roles that the CDK made when it was bootstrapped. */
import { tablePermissions } from '../../adapters/aws/dynamodb/permissions.ts';
import { markerPermissions } from '../../adapters/aws/marker/permissions.ts';
import type { Permissions } from '../../adapters/aws/service/permissions.ts';

/** By the commands of the SDK that are sent from here. */
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
  DescribeKey: ['kms:DescribeKey'],
  ScheduleKeyDeletion: ['kms:ScheduleKeyDeletion'],
  GetMetricData: ['cloudwatch:GetMetricData'],
  FilterLogEvents: ['logs:FilterLogEvents'],
  ListEventSourceMappings: ['lambda:ListEventSourceMappings'],
} as const satisfies Permissions;

type Command =
  | 'login'
  | 'status'
  | 'logs'
  | 'doctor'
  | 'plan'
  | 'deploy'
  | 'destroy'
  | 'destroy --force'
  | 'destroy --delete-data';
type Action = (typeof callerPermissions)[keyof typeof callerPermissions][number];

const found: Action[] = ['sts:GetCallerIdentity', 'cloudformation:DescribeStacks'];
const planned: Action[] = [...found, 'cloudformation:GetTemplate', 'lambda:GetAccountSettings'];
const destroyed = [
  ...found,
  'cloudformation:DescribeStackEvents',
  'cloudformation:UpdateTerminationProtection',
  'cloudformation:DeleteStack',
  'dynamodb:DescribeTable',
  'kms:DescribeKey',
  ...tablePermissions.Query,
  ...tablePermissions.GetItem,
  ...markerPermissions.GetParameter,
  ...markerPermissions.GetParameterHistory,
] as const;

/** Whoever has only a token made needs nothing: AWS lets everybody ask who they are. */
export const needed: Readonly<Record<Command, readonly string[]>> = {
  login: found,
  status: ['cloudwatch:GetMetricData'],
  logs: ['logs:FilterLogEvents'],
  doctor: [...found, 'lambda:ListEventSourceMappings', 'dynamodb:DescribeTable'],
  plan: planned,
  deploy: [
    ...planned,
    'cloudformation:DescribeStackEvents',
    'cloudformation:UpdateTerminationProtection',
    'ssm:GetParameter',
  ],
  destroy: destroyed,
  'destroy --force': [...destroyed, 'cloudformation:DescribeStackResources', ...tablePermissions.PutItem],
  'destroy --delete-data': [...destroyed, 'dynamodb:UpdateTable', 'dynamodb:DeleteTable', 'kms:ScheduleKeyDeletion'],
};
