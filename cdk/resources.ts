/**
 * ARNs of what functions use. Resources with fixed names are known before they are created, which avoids
 * circular dependencies.
 */
import type { aws_iam as iam, aws_kms as kms, aws_logs as logs, Stack, aws_s3 as s3 } from 'aws-cdk-lib';
import { type DefinitionName, definitionNames } from '../stepfunctions/index.ts';
import { arnIn } from './arn.ts';
import type { Mappings } from './mappings.ts';
import { type FunctionName, functionNames, type Names, type Speed, stackOf, type WorkerClass } from './names.ts';
import { perQueue, type Queues } from './queues.ts';
import { type ScheduleName, scheduleNames } from './scheduled.ts';
import type { Settings } from './settings.ts';
import type { Tables } from './tables.ts';

export interface Resources {
  installation: string;
  partition: string;
  region: string;
  account: string;
  tables: { objects: string; work: string };
  /** The stack of the control plane. */
  stack: string;
  /** The stream of the objects' table. */
  stream: string;
  key: string;
  /** The bucket of etcd snapshots. */
  snapshots: string;
  /** The key of the keys beside them. */
  snapshotKeysKey: string;
  /** The log group of the audit log, with all its streams. */
  auditLog: string;
  queues: Record<WorkerClass, Record<Speed, string>>;
  deadLetters: string;
  functions: Record<FunctionName, string>;
  /** Empty without workflows. */
  stateMachines: Partial<Record<DefinitionName, string>>;
  /** The parameter that holds the installation's mark. */
  mark: string;
  schedules: Record<ScheduleName, string>;
  /** The role under which the scheduler invokes functions; an update of a schedule passes it. */
  schedulerRole: string;
  /** The mappings of the queues, which are disabled while there is no work. */
  mappings: readonly string[];
  /** The mapping of the objects' stream to dispatch. */
  changes: string;
  /** Rules that are enabled only while there is work. */
  rules: readonly string[];
  /** Roles that instances may have. */
  nodeRoles: readonly string[];
  /** Roles that EKS may take; without any, there are no clusters of EKS. */
  eksRoles: readonly string[];
  /** Whether machine pools may have Auto Scaling groups. */
  machinePools: boolean;
  /** Roles that identities of clusters may name. */
  assumedRoles: readonly string[];
  /** Whether default security groups, which carry no tag, may be emptied. */
  emptyDefaultGroups: boolean;
  /** Whether new files of snapshots are locked. */
  locksSnapshots: boolean;
  /** Whether an older version wrote Secrets, which may not be encrypted for a purpose yet. */
  hasFormerSecrets: boolean;
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
  snapshots: s3.Bucket;
  snapshotKeysKey: kms.Key;
  queues: Queues;
  mappings: Mappings;
  hasFormerSecrets: boolean;
  schedulerRole: iam.Role;
}

export const resourcesOf = (stack: Stack, made: Made): Resources => {
  const { names, settings, key, auditLog, tables, snapshots, snapshotKeysKey, queues, mappings } = made;
  const { schedulerRole, hasFormerSecrets } = made;
  const { partition, region, account } = stack;
  const arn = arnIn(stack);
  return {
    installation: settings.installation,
    partition,
    region,
    account,
    tables: { objects: tables.objects.tableArn, work: tables.work.tableArn },
    stack: arn('cloudformation', `stack/${stackOf(settings.installation)}/*`),
    stream: tables.objects.tableStreamArn!,
    key: key.keyArn,
    snapshots: snapshots.bucketArn,
    snapshotKeysKey: snapshotKeysKey.keyArn,
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
    eksRoles: settings.eksRoles,
    machinePools: settings.machinePools,
    assumedRoles: settings.assumedRoles,
    emptyDefaultGroups: settings.emptyDefaultGroups,
    locksSnapshots: settings.snapshotLockDays !== undefined,
    hasFormerSecrets,
  };
};
