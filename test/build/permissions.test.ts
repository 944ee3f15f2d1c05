import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditPermissions } from '../../adapters/aws/audit/permissions.ts';
import { cloudPermissions } from '../../adapters/aws/cloud/permissions.ts';
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
import { functionNames } from '../../cdk/names.ts';
import { reachOf } from '../../cdk/permissions/policies.ts';
import { actionsIn, isRead } from '../../cdk/permissions/statement.ts';
import { reachedAndUnused, type Uses, uses } from '../../cdk/permissions/uses.ts';
import type { CloudAction } from '../../kinds/ports/cloud.ts';
import { isAllowed } from './iam.fixture.ts';
import { statementsOf } from './permissions.fixture.ts';

const root = join(import.meta.dirname, '../..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file))
    .map((file) => `${folder}/${file}`);
const sentBy = (file: string): string[] =>
  [...textOf(file).matchAll(/\bnew ([A-Z]\w*)Command\(/g)].map(([, command]) => command!);

/** Where commands are sent, and what says which permissions they need. */
const declared: Record<string, Record<string, readonly string[]>> = {
  'adapters/aws/dynamodb/table.ts': tablePermissions,
  'adapters/aws/keys/kms.ts': keyPermissions,
  'adapters/aws/audit/log-group.ts': auditPermissions,
  'adapters/aws/marker/parameter.ts': markerPermissions,
  'adapters/aws/marker/remove.ts': removalPermissions,
  'adapters/aws/queue/receive.ts': receivePermissions,
  'adapters/aws/queue/send.ts': sendPermissions,
  'adapters/aws/timers/changes.ts': changesPermissions,
  'adapters/aws/timers/mappings.ts': mappingPermissions,
  'adapters/aws/timers/rules.ts': rulePermissions,
  'adapters/aws/timers/schedules.ts': schedulePermissions,
  'adapters/aws/workflows/step-functions.ts': { ...executionPermissions, ...machinePermissions },
};
const isOfCloud = (file: string) => file.startsWith('adapters/aws/cloud/');

describe('what is sent to AWS', () => {
  const senders = [...sourcesIn('adapters/aws'), ...sourcesIn('lambdas')].filter((file) => sentBy(file).length > 0);

  it('is sent by adapters that say which permissions it needs', () =>
    expect(senders.filter((file) => !isOfCloud(file)).sort()).toEqual(Object.keys(declared).sort()));

  it.each(Object.entries(declared))('by %s is declared, and nothing else is', (file, permissions) =>
    expect([...new Set(sentBy(file))].sort()).toEqual(Object.keys(permissions).sort()));

  it('on the account is declared, and nothing else is but what AWS checks on the way', () => {
    const sent = new Set(sourcesIn('adapters/aws').filter(isOfCloud).flatMap(sentBy));
    const onTheWay = [
      'elasticloadbalancing:AddTags',
      'ec2:GetSecurityGroupsForVpc',
      'iam:CreateServiceLinkedRole',
      'iam:PassRole',
      'secretsmanager:TagResource',
      'ssm:AddTagsToResource',
    ];
    const allowed = actionsIn(cloudPermissions).map((action) => action.split(':')[1]!);
    expect([...sent].filter((command) => !allowed.includes(command))).toEqual([]);
    const extra = actionsIn(cloudPermissions).filter((action) => !sent.has(action.split(':')[1]!));
    expect(extra.filter((action) => !onTheWay.includes(action))).toEqual([]);
  });
});

/** The adapters that a use calls. */
const adaptersOf = (of: Uses): string[] => [
  ...(of.objects || of.work ? ['dynamodb/table'] : []),
  ...(of.secrets ? ['keys/kms'] : []),
  ...(of.wakes ? ['queue/send'] : []),
  ...(of.handles ? ['queue/receive'] : []),
  ...(of.mark ? ['marker/parameter'] : []),
  ...(of.mark === 'remove' ? ['marker/remove'] : []),
  ...(of.switches ? ['timers/mappings', 'timers/rules', 'timers/schedules'] : []),
  ...(of.changes ? ['timers/changes'] : []),
  ...(of.workflows ? ['workflows/step-functions'] : []),
  ...(of.account ? ['cloud'] : []),
  ...(of.audits ? ['audit/log-group'] : []),
];

describe('a role', () => {
  it.each(functionNames)('of %s is allowed what its bundle can reach, and what it leaves out is explained', (fn) => {
    const unused = reachedAndUnused.filter(({ functions }) => functions.includes(fn)).map(({ adapter }) => adapter);
    expect([...adaptersOf(uses[fn]), ...unused].sort()).toEqual([...reachOf(fn).adapters].sort());
  });

  it('of what acts on the account is allowed every call that its code names, and no other', () => {
    const calls = reachOf('reconcile-aws').account as CloudAction[];
    const granted = new Set(statementsOf('reconcile-aws').flatMap(({ actions }) => actions));
    const needed = actionsIn(cloudPermissions, calls);
    expect(needed.filter((action) => !granted.has(action))).toEqual([]);
    const services = new Set(needed.map((action) => action.split(':')[0]));
    const own = [...granted].filter((action) => services.has(action.split(':')[0]!));
    const doors = ['ssm:GetParameter', 'ssm:GetParameterHistory'];
    expect(own.filter((action) => !needed.includes(action) && !doors.includes(action))).toEqual([]);
  });

  it('of what hears of every instance of the account is allowed nothing in the account', () => {
    const services = statementsOf('instances').flatMap(({ actions }) => actions.map((one) => one.split(':')[0]));
    expect([...new Set(services)].sort()).toEqual(['dynamodb', 'sqs']);
  });

  it.each(functionNames)('of %s names every action in full, and says what each statement is for', (fn) => {
    const statements = statementsOf(fn);
    expect(statements.flatMap(({ actions }) => actions).filter((action) => action.includes('*'))).toEqual([]);
    expect(new Set(statements.map(({ sid }) => sid)).size).toBe(statements.length);
    for (const { sid, why, actions, resources } of statements) {
      expect(sid).toMatch(/^[A-Za-z0-9]+$/);
      expect(why).not.toBe('');
      expect(actions.length * resources.length).toBeGreaterThan(0);
    }
  });

  it.each(functionNames)('of %s reads no value of a secret in the account', (fn) => {
    const reading = statementsOf(fn).flatMap(({ actions }) => actions.filter(isRead));
    expect(reading.filter((action) => /GetSecretValue|GetParameters|BatchGet/.test(action))).toEqual([]);
  });
});

const ours = { 'aws:ResourceTag/capstan.dev/installation': 'capstan' };
const theirs = { 'aws:ResourceTag/capstan.dev/installation': 'another' };
const tagging = { 'aws:RequestTag/capstan.dev/installation': 'capstan' };
const ec2 = (what: string, account = 'ACCOUNT') => `arn:aws:ec2:eu-west-1:${account}:${what}`;
const launched = (what: string) => ['ec2:RunInstances', ec2(what)] as const;
const secret = 'arn:aws:secretsmanager:eu-west-1:ACCOUNT:secret:aws.cluster.x-k8s.io/1234-0-AbCdEf';
const parameter = 'arn:aws:ssm:eu-west-1:ACCOUNT:parameter/cluster.x-k8s.io/1234-0';
const elb = (what: string) => `arn:aws:elasticloadbalancing:eu-west-1:ACCOUNT:${what}`;
type Situation = [rule: string, action: string, resource: string, context: Record<string, string | string[]>];

const allowed: Situation[] = [
  ['a machine is launched with our tag', ...launched('instance/*'), tagging],
  ['its volume has it', ...launched('volume/*'), tagging],
  ['its interface has it', ...launched('network-interface/*'), tagging],
  ['it goes into a subnet that a user brought', ...launched('subnet/subnet-1'), {}],
  ['or one that another account shares', 'ec2:RunInstances', ec2('subnet/subnet-1', '222222222222'), {}],
  ['with security groups that a user brought', ...launched('security-group/sg-1'), {}],
  ['or an interface', ...launched('network-interface/eni-1'), {}],
  ['from anybody’s image', 'ec2:RunInstances', ec2('image/ami-1', ''), {}],
  ['with a key pair', ...launched('key-pair/admin'), {}],
  ['a security group is made in a VPC that a user brought', 'ec2:CreateSecurityGroup', ec2('vpc/vpc-1'), {}],
  ['and has our tag', 'ec2:CreateSecurityGroup', ec2('security-group/*'), tagging],
  [
    'what is made is tagged as it is made',
    'ec2:CreateTags',
    ec2('volume/*'),
    { ...tagging, 'ec2:CreateAction': 'RunInstances' },
  ],
  ['our instance gets a tag that it lost', 'ec2:CreateTags', ec2('instance/i-1'), { ...ours, 'aws:TagKeys': ['Name'] }],
  ['so does our network', 'ec2:CreateTags', ec2('natgateway/nat-1'), { ...ours, 'aws:TagKeys': ['team'] }],
  ['a tag is taken off our instance', 'ec2:DeleteTags', ec2('instance/i-1'), { ...ours, 'aws:TagKeys': ['team'] }],
  [
    'and off our load balancer',
    'elasticloadbalancing:RemoveTags',
    elb('loadbalancer/net/demo/1'),
    { ...ours, 'aws:TagKeys': ['team'] },
  ],
  [
    'which gets others',
    'elasticloadbalancing:AddTags',
    elb('loadbalancer/net/demo/1'),
    { ...ours, 'aws:TagKeys': ['team'] },
  ],
  [
    'a brought subnet is told which clusters use it',
    'ec2:CreateTags',
    ec2('subnet/subnet-1'),
    {
      'aws:TagKeys': ['kubernetes.io/cluster/demo', 'kubernetes.io/role/elb'],
      'aws:RequestTag/kubernetes.io/role/elb': '1',
    },
  ],
  ['our instance is terminated', 'ec2:TerminateInstances', ec2('instance/i-1'), ours],
  ['a load balancer is made', 'elasticloadbalancing:CreateLoadBalancer', elb('loadbalancer/net/demo/*'), tagging],
  ['a listener is made on ours', 'elasticloadbalancing:CreateListener', elb('loadbalancer/net/demo/1'), ours],
  ['a secret is made', 'secretsmanager:CreateSecret', secret, tagging],
  ['and tagged as it is made', 'secretsmanager:TagResource', secret, tagging],
  ['our secret is deleted', 'secretsmanager:DeleteSecret', secret, ours],
  [
    'an instance is given a node’s role',
    'iam:PassRole',
    'arn:aws:iam::ACCOUNT:role/nodes.cluster-api-provider-aws.sigs.k8s.io',
    { 'iam:PassedToService': 'ec2.amazonaws.com' },
  ],
];

const refused: Situation[] = [
  ['a machine without our tag', ...launched('instance/*'), {}],
  ['a machine with another installation’s tag', ...launched('instance/*'), theirs],
  ['an interface without our tag', ...launched('network-interface/*'), {}],
  ['a VPC without our tag', 'ec2:CreateVpc', ec2('vpc/*'), {}],
  ['terminating what is nobody’s', 'ec2:TerminateInstances', ec2('instance/i-1'), {}],
  ['terminating another installation’s machine', 'ec2:TerminateInstances', ec2('instance/i-1'), theirs],
  [
    'other groups on an interface that is not ours',
    'ec2:ModifyNetworkInterfaceAttribute',
    ec2('network-interface/eni-1'),
    {},
  ],
  ['opening a group that a user brought', 'ec2:AuthorizeSecurityGroupIngress', ec2('security-group/sg-1'), {}],
  ['closing it', 'ec2:RevokeSecurityGroupIngress', ec2('security-group/sg-1'), {}],
  ['routes in a table that a user brought', 'ec2:CreateRoute', ec2('route-table/rtb-1'), {}],
  ['a subnet in a VPC that a user brought', 'ec2:CreateSubnet', ec2('vpc/vpc-1'), {}],
  ['deleting a brought subnet', 'ec2:DeleteSubnet', ec2('subnet/subnet-1'), {}],
  [
    'claiming a brought subnet as ours',
    'ec2:CreateTags',
    ec2('subnet/subnet-1'),
    { 'aws:TagKeys': ['capstan.dev/installation'], ...tagging },
  ],
  [
    'claiming it beside what may be written',
    'ec2:CreateTags',
    ec2('subnet/subnet-1'),
    { 'aws:TagKeys': ['kubernetes.io/cluster/demo', 'capstan.dev/installation'], ...tagging },
  ],
  ['claiming an instance as ours', 'ec2:CreateTags', ec2('instance/i-1'), tagging],
  [
    'giving our instance away',
    'ec2:CreateTags',
    ec2('instance/i-1'),
    { ...ours, 'aws:RequestTag/capstan.dev/installation': 'another' },
  ],
  [
    'giving our gateway to another cluster',
    'ec2:CreateTags',
    ec2('natgateway/nat-1'),
    { ...ours, 'aws:TagKeys': ['team', 'Capstan.dev/cluster-uid'] },
  ],
  ['taking all tags away', 'ec2:DeleteTags', ec2('instance/i-1'), ours],
  [
    'taking away whose it is',
    'ec2:DeleteTags',
    ec2('instance/i-1'),
    { ...ours, 'aws:TagKeys': ['team', 'capstan.dev/installation'] },
  ],
  ['taking tags off a brought subnet', 'ec2:DeleteTags', ec2('subnet/subnet-1'), { 'aws:TagKeys': ['team'] }],
  [
    'taking away whose a load balancer is',
    'elasticloadbalancing:RemoveTags',
    elb('loadbalancer/net/demo/1'),
    { ...ours, 'aws:TagKeys': ['capstan.dev/cluster-uid'] },
  ],
  [
    'giving our load balancer away',
    'elasticloadbalancing:AddTags',
    elb('loadbalancer/net/demo/1'),
    { ...ours, 'aws:TagKeys': ['capstan.dev/installation'] },
  ],
  ['a load balancer without our tag', 'elasticloadbalancing:CreateLoadBalancer', elb('loadbalancer/net/demo/*'), {}],
  ['a listener on somebody’s load balancer', 'elasticloadbalancing:CreateListener', elb('loadbalancer/net/demo/1'), {}],
  ['claiming a load balancer as ours', 'elasticloadbalancing:AddTags', elb('loadbalancer/net/demo/1'), tagging],
  ['deleting somebody’s secret', 'secretsmanager:DeleteSecret', secret, {}],
  ['deleting another installation’s', 'secretsmanager:DeleteSecret', secret, theirs],
  ['taking another installation’s over', 'secretsmanager:TagResource', secret, { ...tagging, ...theirs }],
  ['reading one', 'secretsmanager:GetSecretValue', secret, ours],
  [
    'one outside of our names',
    'secretsmanager:CreateSecret',
    secret.replace('aws.cluster.x-k8s.io/', 'prod/'),
    tagging,
  ],
  ['overwriting a parameter', 'ssm:PutParameter', parameter, { ...tagging, 'ssm:Overwrite': 'true' }],
  [
    'giving an instance an administrator’s role',
    'iam:PassRole',
    'arn:aws:iam::ACCOUNT:role/admin',
    { 'iam:PassedToService': 'ec2.amazonaws.com' },
  ],
  [
    'giving a node’s role to a function',
    'iam:PassRole',
    'arn:aws:iam::ACCOUNT:role/nodes.cluster-api-provider-aws.sigs.k8s.io',
    { 'iam:PassedToService': 'lambda.amazonaws.com' },
  ],
  [
    'opening a data key of something else',
    'kms:Decrypt',
    'arn:aws:kms:REGION:ACCOUNT:key/KEY',
    { 'kms:EncryptionContext:use': 'payroll', 'kms:EncryptionContextKeys': ['use'] },
  ],
];

describe('what acts on the account', () => {
  const statements = statementsOf('reconcile-aws');
  it.each(allowed)('may: %s', (_, action, resource, context) =>
    expect(isAllowed(statements, { action, resource, context })).toBe(true));
  it.each(refused)('may not: %s', (_, action, resource, context) =>
    expect(isAllowed(statements, { action, resource, context })).toBe(false));
});
