/** What functions reach, as ARNs: those with names of their own are known before they are made, so that nothing waits in a circle. */
import type { aws_iam as iam, aws_kms as kms, aws_logs as logs, Stack } from 'aws-cdk-lib';
import { type DefinitionName, definitionNames } from '../stepfunctions/index.ts';
import { arnIn } from './arn.ts';
import type { Mappings } from './mappings.ts';
import {
  type FunctionName,
  functionNames,
  type Names,
  type ScheduleName,
  type Speed,
  scheduleNames,
  type WorkerClass,
} from './names.ts';
import { perQueue, type Queues } from './queues.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

export interface Resources {
  installation: string;
  partition: string;
  region: string;
  account: string;
  tables: { objects: string; work: string };
  /** The stream of the objects' table. */
  stream: string;
  key: string;
  /** The log group of the audit log, with all its streams. */
  auditLog: string;
  queues: Record<WorkerClass, Record<Speed, string>>;
  deadLetters: string;
  functions: Record<FunctionName, string>;
  /** None when the deployment is without workflows. */
  stateMachines: Partial<Record<DefinitionName, string>>;
  /** The parameter that holds the installation's mark. */
  mark: string;
  schedules: Record<ScheduleName, string>;
  /** The role that the scheduler invokes functions under; who updates a schedule passes it. */
  schedulerRole: string;
  /** The mappings of the queues to functions, which are switched off while there is nothing to do. */
  mappings: readonly string[];
  /** The mapping of the objects' stream to the function that dispatches. */
  changes: string;
  /** The rules that deliver events only while there is something that they could be about. */
  rules: readonly string[];
  /** The roles that instances may be given. */
  nodeRoles: readonly string[];
  /** Whether default security groups, which carry no tag, may be emptied. */
  emptyDefaultGroups: boolean;
}

const each = <K extends string>(keys: readonly K[], value: (key: K) => string): Record<K, string> =>
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, string>;

export const stateMachineArnsOf = (stack: Stack, names: Names, { workflows }: Settings): Resources['stateMachines'] =>
  workflows ? each(definitionNames, (name) => arnIn(stack)('states', `stateMachine:${names.stateMachine(name)}`)) : {};

export interface Made {
  names: Names;
  settings: Settings;
  key: kms.Key;
  auditLog: logs.LogGroup;
  tables: Tables;
  queues: Queues;
  mappings: Mappings;
  schedulerRole: iam.Role;
}

export const resourcesOf = (stack: Stack, made: Made): Resources => {
  const { names, settings, key, auditLog, tables, queues, mappings, schedulerRole } = made;
  const { partition, region, account } = stack;
  const arn = arnIn(stack);
  return {
    installation: settings.installation,
    partition,
    region,
    account,
    tables: { objects: tables.objects.tableArn, work: tables.work.tableArn },
    stream: tables.objects.tableStreamArn!,
    key: key.keyArn,
    auditLog: auditLog.logGroupArn,
    queues: perQueue((worker, speed) => queues.of[worker][speed].queueArn),
    deadLetters: queues.deadLetters.queueArn,
    functions: each(functionNames, (name) => arn('lambda', `function:${names.function(name)}`)),
    stateMachines: stateMachineArnsOf(stack, names, settings),
    mark: arn('ssm', `parameter${names.mark}`),
    schedules: each(scheduleNames, (name) =>
      arn('scheduler', `schedule/${names.scheduleGroup}/${names.schedule(name)}`),
    ),
    schedulerRole: schedulerRole.roleArn,
    mappings: Object.values(mappings.queues).flatMap(({ hot, slow }) =>
      [hot, slow].map(({ eventSourceMappingId }) => arn('lambda', `event-source-mapping:${eventSourceMappingId}`)),
    ),
    changes: arn('lambda', `event-source-mapping:${mappings.changes.eventSourceMappingId}`),
    rules: [arn('events', `rule/${names.instanceRule}`)],
    nodeRoles: settings.nodeRoles,
    emptyDefaultGroups: settings.emptyDefaultGroups,
  };
};
