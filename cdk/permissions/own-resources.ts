/** The functions' permissions for the installation's own resources: one statement per use. */
import { auditPermissions } from '../../adapters/aws/audit/permissions.ts';
import { tablePermissions } from '../../adapters/aws/dynamodb/permissions.ts';
import { keyPermissions } from '../../adapters/aws/keys/permissions.ts';
import { markerPermissions, removalPermissions } from '../../adapters/aws/marker/permissions.ts';
import { bucketPermissions, objectPermissions, retentionActions } from '../../adapters/aws/objects/permissions.ts';
import { receivePermissions, sendPermissions } from '../../adapters/aws/queue/permissions.ts';
import { stackPermissions } from '../../adapters/aws/stacks/permissions.ts';
import {
  changesPermissions,
  mappingPermissions,
  rulePermissions,
  schedulePermissions,
} from '../../adapters/aws/timers/permissions.ts';
import { webhookPermissions } from '../../adapters/aws/webhook/permissions.ts';
import { executionPermissions, machinePermissions } from '../../adapters/aws/workflows/permissions.ts';
import { speeds, type WorkerClass, workerClasses } from '../names.ts';
import type { Resources } from '../resources.ts';
import { actionsIn, type Statement } from './statement.ts';
import type { Types, Uses } from './uses.ts';

const reading = ['GetItem', 'Query'];
const writing = ['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems'];
/** A slot is filled or left as it is, and the position up to which a log is complete is raised. */
const sealing = ['PutItem', 'UpdateItem', 'TransactWriteItems'];

const table = (sid: string, of: string, use: 'read' | 'write', arn: string): Statement => ({
  sid: `${sid}${use === 'read' ? 'Read' : 'Write'}`,
  why: use === 'read' ? `reads ${of}` : `reads and writes ${of}; cannot scan the table`,
  actions: use === 'read' ? actionsIn(tablePermissions, reading) : actionsIn(tablePermissions),
  resources: [arn],
});

/** The partitions of a type's log and its position. `machinery/store/items.ts` names them. */
const logsOf = (types: readonly string[]): string[] => types.flatMap((type) => [`l#${type}#*`, `h#${type}`]);
/** The partitions of a type: its objects and its log. */
const partitionsOf = (types: readonly string[]): string[] => types.flatMap((type) => [`o#${type}`, ...logsOf([type])]);
/** Large bodies, and the indexes of labels, owners, references and resources, which contain no type. */
const shared = ['b#*', 'c#*', 'w#*', 'f#*', 'r#*'];
/** By these API servers of clusters and ServiceAccounts authenticate. */
const tokens = ['r#audit-webhook/*', 'r#service-account-token/*'];
const dataKeys = 'k#*';
const position = 'position';
const places = 'places#*';
/** Items that change with every object of some kinds, which is told by `KindFacts.mark`. */
const marks = 'm#*';

const keysLike = (keys: readonly string[], not: readonly string[]): NonNullable<Statement['conditions']> => ({
  'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
  ...(not.length > 0 && { 'ForAllValues:StringNotLike': { 'dynamodb:LeadingKeys': not } }),
});

const written = (uses: Uses, { types, but = [] }: Types, arn: string): Statement => {
  const writesSecrets = types.some((type) => type === 'secrets' || type === '*');
  const not = [...partitionsOf(but), ...(writesSecrets ? [] : tokens)];
  const keys = [
    ...partitionsOf(types),
    ...shared,
    ...(uses.secrets === 'write' ? [dataKeys] : []),
    ...(uses.mark ? [position] : []),
    ...(uses.counts ? [places] : []),
    ...(types.includes('*') || uses.marks ? [marks] : []),
  ];
  return {
    sid: 'ObjectsWrite',
    why: 'writes objects of these types, and their log and index entries',
    actions: actionsIn(tablePermissions, writing),
    resources: [arn],
    conditions: keysLike(keys, not),
  };
};

const sealed = (arn: string, { types, but = [] }: Types): Statement => ({
  sid: 'ObjectsSeal',
  why: 'a reader of the end of a log fills the slots that writers left open',
  actions: actionsIn(tablePermissions, sealing).filter((action) => !action.endsWith(':DeleteItem')),
  resources: [arn],
  conditions: keysLike(logsOf(types), logsOf(but)),
});

const objects = (uses: Uses, arn: string): Statement[] => {
  const of = 'objects and the log of their changes';
  if (uses.objects === undefined) return [];
  if (uses.objects === 'write') return [table('Objects', of, 'write', arn)];
  const lists = uses.objects === 'list' || uses.lists === true ? { types: ['*'] } : uses.lists;
  return [
    table('Objects', of, 'read', arn),
    ...(lists ? [sealed(arn, lists)] : []),
    ...(typeof uses.objects === 'string' ? [] : [written(uses, uses.objects, arn)]),
  ];
};

const recordsFormat = (arn: string): Statement => ({
  sid: 'FormatWrite',
  why: 'records the stored format, once all functions read it',
  actions: actionsIn(tablePermissions, ['PutItem']),
  resources: [arn],
  conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['format'] } },
});

/** Single items of partitions of a table. */
const partitions = (
  { sid, why }: Pick<Statement, 'sid' | 'why'>,
  arn: string,
  commands: readonly ('GetItem' | 'UpdateItem')[],
  keys: readonly string[],
): Statement => ({
  sid,
  why,
  actions: actionsIn(tablePermissions, commands),
  resources: [arn],
  conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } },
});
const lookUp = { sid: 'ObjectsLookUp', why: 'looks up entries of an index of objects' };
const requestWork = { sid: 'WorkRequest', why: 'requests work of these controllers' };

/** The store's encryption context: KMS decrypts no data key that was generated for another use or purpose. */
const forObjects = (purposes?: readonly string[]) => ({
  StringEquals: {
    'kms:EncryptionContext:use': 'objects',
    ...(purposes && { 'kms:EncryptionContext:purpose': purposes }),
  },
  'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['use', 'namespace', 'purpose'] },
});
/** Format 1 knows no purposes. */
const ofFormerFormat = {
  StringEquals: { 'kms:EncryptionContext:use': 'objects' },
  'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['use', 'namespace'] },
};

const secrets = (use: NonNullable<Uses['secrets']>, { key, hasFormerSecrets }: Resources): Statement[] => {
  const resources = [key];
  if (use === 'write') {
    const why = 'generates and decrypts the data keys that encrypt Secrets';
    return [{ sid: 'SecretsSeal', why, actions: actionsIn(keyPermissions), resources, conditions: forObjects() }];
  }
  const actions = actionsIn(keyPermissions, ['Decrypt']);
  const why = 'decrypts the data keys of Secrets of these purposes';
  const former = {
    sid: 'SecretsOpenFormer',
    why: 'decrypts Secrets that are not yet encrypted for a purpose; ends with the next deployment',
    actions,
    resources,
    conditions: ofFormerFormat,
  };
  return [
    { sid: 'SecretsOpen', why, actions, resources, conditions: forObjects(use) },
    ...(hasFormerSecrets ? [former] : []),
  ];
};

const signing = ({ key }: Resources): Statement => ({
  sid: 'TokensSign',
  why: 'generates and decrypts the data keys of the keys that sign tokens of ServiceAccounts',
  actions: actionsIn(keyPermissions),
  resources: [key],
  conditions: {
    StringEquals: { 'kms:EncryptionContext:use': 'tokens' },
    'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['use'] },
  },
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
        why: 'compares the position of the objects with the mark in the account',
        actions: actionsIn(markerPermissions, readsMark),
        resources,
      };
    case 'write':
      return {
        sid: 'MarkWrite',
        why: 'raises the mark in the account before it acts',
        actions: actionsIn(markerPermissions),
        resources,
      };
    case 'remove':
      return {
        sid: 'MarkRemove',
        why: 'deletes the mark with the installation when nothing is left',
        actions: [...actionsIn(markerPermissions, readsMark), ...actionsIn(removalPermissions)],
        resources,
      };
    default:
      return use satisfies never;
  }
};

/** AWS takes the key from the mapping, so an update to another function is denied. */
const targets = (functions: readonly string[]) => ({ ArnEquals: { 'lambda:FunctionArn': functions } });

/** The mapping of the stream to dispatch, and the table that owns the stream. */
const changes = ({ changes, functions, tables }: Resources): Statement[] => [
  {
    sid: 'KeepsChanges',
    why: 'enables the stream’s mapping if it was disabled',
    actions: actionsIn(mappingPermissions),
    resources: [changes],
    conditions: targets([functions.dispatch]),
  },
  {
    sid: 'ChangesStream',
    why: 'compares the table’s stream with the one that the mapping reads',
    actions: actionsIn(changesPermissions, ['DescribeTable']),
    resources: [tables.objects],
  },
];

const switches = ({ mappings, schedules, schedulerRole, functions, rules }: Resources): Statement[] => [
  {
    sid: 'SwitchesMappings',
    why: 'enables polling of the queues only while there is work',
    actions: actionsIn(mappingPermissions),
    resources: mappings,
    conditions: targets(workerClasses.map((worker) => functions[`reconcile-${worker}`])),
  },
  {
    sid: 'SwitchesRules',
    why: 'enables instance events only while there is work',
    actions: actionsIn(rulePermissions),
    resources: rules,
  },
  {
    sid: 'SwitchesSchedules',
    why: 'enables the schedules only while there is work',
    actions: actionsIn(schedulePermissions).filter((action) => action.startsWith('scheduler:')),
    resources: Object.values(schedules),
  },
  {
    sid: 'PassesScheduleRole',
    why: 'an update of a schedule passes its role again',
    actions: ['iam:PassRole'],
    resources: [schedulerRole],
    conditions: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  },
];

/** With a bucket key, the bucket is the encryption context of its objects. */
const snapshotFiles = ({ snapshots, snapshotKeysKey, key, region, locksSnapshots }: Resources): Statement[] => [
  {
    sid: 'Snapshots',
    why: 'writes, reads and deletes etcd snapshots and decisions; cannot delete their versions',
    actions: [...actionsIn(objectPermissions), ...(locksSnapshots ? retentionActions : [])],
    resources: [`${snapshots}/*`],
  },
  {
    sid: 'SnapshotBucket',
    why: 'learns that a snapshot is absent, and lists deleted ones',
    actions: actionsIn(bucketPermissions),
    resources: [snapshots],
  },
  {
    sid: 'SnapshotKey',
    why: 'S3 encrypts and decrypts snapshots as this role',
    actions: actionsIn(keyPermissions),
    resources: [key],
    conditions: {
      StringEquals: { 'kms:EncryptionContext:aws:s3:arn': snapshots, 'kms:ViaService': `s3.${region}.amazonaws.com` },
    },
  },
  {
    sid: 'SnapshotKeysKey',
    why: 'encrypts the keys beside snapshots, and decrypts them for a restore',
    actions: actionsIn(keyPermissions),
    resources: [snapshotKeysKey],
    conditions: { StringEquals: { 'kms:EncryptionContext:use': 'snapshots' } },
  },
];

const workflows = ({ stateMachines }: Resources): Statement[] => {
  const machines = Object.values(stateMachines);
  if (machines.length === 0) return [];
  return [
    {
      sid: 'Workflows',
      why: 'starts operations and answers their tasks; IAM checks a task token as its state machine',
      actions: actionsIn(machinePermissions),
      resources: machines,
    },
    {
      sid: 'Executions',
      why: 'describes and stops executions',
      actions: actionsIn(executionPermissions),
      resources: machines.map((machine) => `${machine.replace(':stateMachine:', ':execution:')}:*`),
    },
  ];
};

export const ownStatements = (uses: Uses, resources: Resources): Statement[] => {
  const { tables } = resources;
  return [
    ...objects(uses, tables.objects),
    ...(uses.work ? [table('Work', 'work items', uses.work, tables.work)] : []),
    ...(uses.looksUp ? [partitions(lookUp, tables.objects, ['GetItem'], uses.looksUp)] : []),
    ...(uses.requests ? [partitions(requestWork, tables.work, ['GetItem', 'UpdateItem'], uses.requests)] : []),
    ...(uses.secrets ? secrets(uses.secrets, resources) : []),
    ...(uses.signs ? [signing(resources)] : []),
    ...(uses.format ? [recordsFormat(tables.objects)] : []),
    ...(uses.wakes
      ? [
          {
            sid: 'Wakes',
            why: 'sends wake-up messages to workers',
            actions: actionsIn(sendPermissions),
            resources: queuesOf(resources, uses.wakes),
          },
        ]
      : []),
    ...(uses.handles
      ? [
          {
            sid: 'PutsBack',
            why: 'delays a message while another worker leases its work item',
            actions: actionsIn(receivePermissions),
            resources: queuesOf(resources, [uses.handles]),
          },
        ]
      : []),
    ...(uses.audits
      ? [
          {
            sid: 'Audits',
            why: 'writes audit events; cannot read or delete them',
            actions: actionsIn(auditPermissions),
            resources: [resources.auditLog],
          },
        ]
      : []),
    ...(uses.webhooks
      ? [
          {
            sid: 'Webhooks',
            why: 'calls functions of the account that users name as webhooks, if they are tagged for the installation',
            actions: actionsIn(webhookPermissions),
            resources: [`arn:${resources.partition}:lambda:*:${resources.account}:function:*`],
            conditions: { StringEquals: { 'aws:ResourceTag/capstan.dev/webhook': resources.installation } },
          },
        ]
      : []),
    ...(uses.mark ? [mark(uses.mark, resources.mark)] : []),
    ...(uses.switches ? switches(resources) : []),
    ...(uses.changes ? changes(resources) : []),
    ...(uses.workflows ? workflows(resources) : []),
    ...(uses.snapshots ? snapshotFiles(resources) : []),
    ...(uses.stack
      ? [
          {
            sid: 'Stack',
            why: 'tells a deployment, whose settings it checks, from a rollback',
            actions: actionsIn(stackPermissions),
            resources: [resources.stack],
          },
        ]
      : []),
  ];
};
