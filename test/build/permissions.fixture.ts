/** An example installation for policies. */
import { type FunctionName, functionNames, namesOf, speeds, workerClasses } from '../../cdk/names.ts';
import { policiesFor } from '../../cdk/permissions/policies.ts';
import type { Resources } from '../../cdk/resources.ts';
import { scheduleNames } from '../../cdk/scheduled.ts';
import { definitionNames } from '../../stepfunctions/index.ts';

const names = namesOf('capstan');
const arn = (service: string, resource: string) => `arn:aws:${service}:REGION:ACCOUNT:${resource}`;
const each = <K extends string, T>(keys: readonly K[], make: (key: K) => T) =>
  Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, T>;

export const resources: Resources = {
  installation: 'capstan',
  partition: 'aws',
  region: 'REGION',
  account: 'ACCOUNT',
  tables: { objects: arn('dynamodb', 'table/OBJECTS'), work: arn('dynamodb', 'table/WORK') },
  stack: arn('cloudformation', 'stack/Capstan-capstan/*'),
  stream: arn('dynamodb', 'table/OBJECTS/stream/TIME'),
  key: arn('kms', 'key/KEY'),
  snapshots: 'arn:aws:s3:::SNAPSHOTS',
  snapshotKeysKey: arn('kms', 'key/SNAPSHOT-KEYS'),
  auditLog: arn('logs', 'log-group:AUDIT:*'),
  queues: each(workerClasses, (worker) => each(speeds, (speed) => arn('sqs', names.queue(worker, speed)))),
  deadLetters: arn('sqs', names.deadLetters),
  functions: each(functionNames, (name) => arn('lambda', `function:${names.function(name)}`)),
  stateMachines: each(definitionNames, (name) => arn('states', `stateMachine:${names.stateMachine(name)}`)),
  mark: arn('ssm', `parameter${names.mark}`),
  schedules: each(scheduleNames, (name) => arn('scheduler', `schedule/${names.scheduleGroup}/${names.schedule(name)}`)),
  schedulerRole: 'arn:aws:iam::ACCOUNT:role/SCHEDULES',
  mappings: [arn('lambda', 'event-source-mapping:MAPPING')],
  changes: arn('lambda', 'event-source-mapping:CHANGES'),
  rules: [arn('events', `rule/${names.instanceRule}`)],
  assumedRoles: [],
  emptyDefaultGroups: false,
  locksSnapshots: false,
  hasFormerSecrets: false,
  eksRoles: [],
  machinePools: false,
  nodeRoles: ['control-plane.cluster-api-provider-aws.sigs.k8s.io', 'nodes.cluster-api-provider-aws.sigs.k8s.io'],
};

export const statementsOf = (fn: FunctionName, changed: Partial<Resources> = {}) =>
  Object.values(policiesFor(fn, { ...resources, ...changed })).flat();
