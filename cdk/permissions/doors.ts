/** What functions need of the installation's own resources: each use is one statement, on the resources that it names. */
import { auditPermissions } from '../../adapters/aws/audit/permissions.ts';
import { tablePermissions } from '../../adapters/aws/dynamodb/permissions.ts';
import { keyPermissions } from '../../adapters/aws/keys/permissions.ts';
import { markerPermissions, removalPermissions } from '../../adapters/aws/marker/permissions.ts';
import { receivePermissions, sendPermissions } from '../../adapters/aws/queue/permissions.ts';
import {
  changesPermissions,
  mappingPermissions,
  rulePermissions,
  schedulePermissions,
} from '../../adapters/aws/timers/permissions.ts';
import { executionPermissions, machinePermissions } from '../../adapters/aws/workflows/permissions.ts';
import { speeds, type WorkerClass, workerClasses } from '../names.ts';
import type { Resources } from '../resources.ts';
import { actionsIn, type Statement } from './statement.ts';
import type { Uses } from './uses.ts';

const reading = ['GetItem', 'Query'];

const table = (sid: string, of: string, use: 'read' | 'write', arn: string): Statement => ({
  sid: `${sid}${use === 'read' ? 'Read' : 'Write'}`,
  why: use === 'read' ? `looks at ${of}` : `reads and changes ${of}; never a whole table at once`,
  actions: use === 'read' ? actionsIn(tablePermissions, reading) : actionsIn(tablePermissions),
  resources: [arn],
});

/** The context that the store seals under: a data key of anything else cannot be opened. */
const sealed = {
  StringEquals: { 'kms:EncryptionContext:use': 'objects' },
  'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['use', 'namespace'] },
};

const secrets = (use: 'read' | 'write', key: string): Statement => ({
  sid: use === 'read' ? 'SecretsOpen' : 'SecretsSeal',
  why: `${use === 'read' ? 'opens' : 'opens and makes'} the data keys that Secrets are encrypted under`,
  actions: actionsIn(keyPermissions, use === 'read' ? ['Decrypt'] : undefined),
  resources: [key],
  conditions: sealed,
});

const queuesOf = ({ queues }: Resources, classes: readonly WorkerClass[]): string[] =>
  classes.flatMap((worker) => speeds.map((speed) => queues[worker][speed]));

const readsMark = ['GetParameter', 'GetParameterHistory'] as const;

const mark = (use: NonNullable<Uses['mark']>, arn: string): Statement => {
  const resources = [arn];
  switch (use) {
    case 'read':
      return {
        sid: 'MarkRead',
        why: 'sees whether the objects fit their account',
        actions: actionsIn(markerPermissions, readsMark),
        resources,
      };
    case 'write':
      return {
        sid: 'MarkWrite',
        why: 'notes in the account that it acts on it',
        actions: actionsIn(markerPermissions),
        resources,
      };
    case 'remove':
      return {
        sid: 'MarkRemove',
        why: 'takes the mark with the installation, when nothing is left',
        actions: [...actionsIn(markerPermissions, readsMark), ...actionsIn(removalPermissions)],
        resources,
      };
    default:
      return use satisfies never;
  }
};

/** AWS reads the key off the mapping: an update that names another function is refused. */
const targets = (functions: readonly string[]) => ({ ArnEquals: { 'lambda:FunctionArn': functions } });

/** Of the mapping that brings changes to dispatch, and of the table that it reads. */
const changes = ({ changes, functions, tables }: Resources): Statement[] => [
  {
    sid: 'KeepsChanges',
    why: 'has changes dispatched, whatever disabled that',
    actions: actionsIn(mappingPermissions),
    resources: [changes],
    conditions: targets([functions.dispatch]),
  },
  {
    sid: 'ChangesStream',
    why: 'sees whether the mapping reads the stream that the table writes to',
    actions: actionsIn(changesPermissions, ['DescribeTable']),
    resources: [tables.objects],
  },
];

const switches = ({ mappings, schedules, schedulerRole, functions, rules }: Resources): Statement[] => [
  {
    sid: 'SwitchesMappings',
    why: 'has the queues polled while there is work, and not while there is none',
    actions: actionsIn(mappingPermissions),
    resources: mappings,
    conditions: targets(workerClasses.map((worker) => functions[`reconcile-${worker}`])),
  },
  {
    sid: 'SwitchesRules',
    why: 'hears of instances while there are machines, and not while there are none',
    actions: actionsIn(rulePermissions),
    resources: rules,
  },
  {
    sid: 'SwitchesSchedules',
    why: 'has the sweep run while there is something to sweep',
    actions: actionsIn(schedulePermissions).filter((action) => action.startsWith('scheduler:')),
    resources: Object.values(schedules),
  },
  {
    sid: 'PassesScheduleRole',
    why: 'an update of a schedule names its role again',
    actions: ['iam:PassRole'],
    resources: [schedulerRole],
    conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  },
];

const workflows = ({ stateMachines }: Resources): Statement[] => {
  const machines = Object.values(stateMachines);
  if (machines.length === 0) return [];
  return [
    {
      sid: 'Workflows',
      why: 'starts operations and answers their tasks; a token is checked as its state machine',
      actions: actionsIn(machinePermissions),
      resources: machines,
    },
    {
      sid: 'Executions',
      why: 'looks at operations and stops them',
      actions: actionsIn(executionPermissions),
      resources: machines.map((machine) => `${machine.replace(':stateMachine:', ':execution:')}:*`),
    },
  ];
};

export const doorStatements = (uses: Uses, resources: Resources): Statement[] => {
  const { tables, key } = resources;
  return [
    ...(uses.objects ? [table('Objects', 'objects and the log of their changes', uses.objects, tables.objects)] : []),
    ...(uses.work ? [table('Work', 'work items', uses.work, tables.work)] : []),
    ...(uses.secrets ? [secrets(uses.secrets, key)] : []),
    ...(uses.wakes
      ? [
          {
            sid: 'Wakes',
            why: 'tells workers that there is something to do',
            actions: actionsIn(sendPermissions),
            resources: queuesOf(resources, uses.wakes),
          },
        ]
      : []),
    ...(uses.handles
      ? [
          {
            sid: 'PutsBack',
            why: 'hides a message that came while another worker holds its work item',
            actions: actionsIn(receivePermissions),
            resources: queuesOf(resources, [uses.handles]),
          },
        ]
      : []),
    ...(uses.audits
      ? [
          {
            sid: 'Audits',
            why: 'records who asked for what; it reads and deletes nothing of that',
            actions: actionsIn(auditPermissions),
            resources: [resources.auditLog],
          },
        ]
      : []),
    ...(uses.mark ? [mark(uses.mark, resources.mark)] : []),
    ...(uses.switches ? switches(resources) : []),
    ...(uses.changes ? changes(resources) : []),
    ...(uses.workflows ? workflows(resources) : []),
  ];
};
