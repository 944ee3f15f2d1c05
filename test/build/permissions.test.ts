import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditPermissions } from '../../adapters/aws/audit/permissions.ts';
import { cloudPermissions } from '../../adapters/aws/cloud/permissions.ts';
import { tablePermissions } from '../../adapters/aws/dynamodb/permissions.ts';
import { keyPermissions } from '../../adapters/aws/keys/permissions.ts';
import { markerPermissions, removalPermissions } from '../../adapters/aws/marker/permissions.ts';
import { bucketPermissions, linkPermissions, objectPermissions } from '../../adapters/aws/objects/permissions.ts';
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
import { type FunctionName, functionNames } from '../../cdk/names.ts';
import { policiesFor, reachOf } from '../../cdk/permissions/policies.ts';
import { actionsIn, isRead } from '../../cdk/permissions/statement.ts';
import { reachedAndUnused, type Uses, uses } from '../../cdk/permissions/uses.ts';
import type { Resources } from '../../cdk/resources.ts';
import { type SecretPurpose, secretPurposes } from '../../kinds/common/secret-purpose.ts';
import { eksClusterCalls } from '../../kinds/ports/cloud/eks/cluster.ts';
import { madeRoles } from '../../kinds/ports/cloud/iam/role.ts';
import type { CloudAction } from '../../kinds/ports/cloud/index.ts';
import { isAllowed } from './iam.fixture.ts';
import { resources, statementsOf } from './permissions.fixture.ts';

const root = join(import.meta.dirname, '../..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file))
    .map((file) => `${folder}/${file}`);
/** Of the SDK's clients, and of requests without a client, which name their target. */
const sentBy = (file: string): string[] =>
  [...textOf(file).matchAll(/\bnew ([A-Z]\w*)Command\(|'x-amz-target': '\w+\.(\w+)'/g)].map(
    ([, command, target]) => command ?? target!,
  );

/** The files that send commands, and the permissions that they declare. */
const declared: Record<string, Record<string, readonly string[]>> = {
  'adapters/aws/dynamodb/table.ts': tablePermissions,
  'adapters/aws/keys/kms.ts': keyPermissions,
  'adapters/aws/audit/log-group.ts': auditPermissions,
  'adapters/aws/marker/parameter.ts': markerPermissions,
  'adapters/aws/marker/remove.ts': removalPermissions,
  'adapters/aws/objects/link.ts': linkPermissions,
  'adapters/aws/objects/s3.ts': { ...objectPermissions, ...bucketPermissions },
  'adapters/aws/queue/receive.ts': receivePermissions,
  'adapters/aws/queue/send.ts': sendPermissions,
  'adapters/aws/stacks/status.ts': stackPermissions,
  'adapters/aws/timers/changes.ts': changesPermissions,
  'adapters/aws/timers/mappings.ts': mappingPermissions,
  'adapters/aws/timers/rules.ts': rulePermissions,
  'adapters/aws/timers/schedules.ts': schedulePermissions,
  'adapters/aws/webhook/invoke.ts': webhookPermissions,
  'adapters/aws/workflows/step-functions.ts': { ...executionPermissions, ...machinePermissions },
};
const isOfCloud = (file: string) => file.startsWith('adapters/aws/cloud/');

describe('the commands sent to AWS', () => {
  const senders = [...sourcesIn('adapters/aws'), ...sourcesIn('lambdas')].filter((file) => sentBy(file).length > 0);

  it('are sent by adapters that declare their permissions', () =>
    expect(senders.filter((file) => !isOfCloud(file)).sort()).toEqual(Object.keys(declared).sort()));

  it.each(Object.entries(declared))('by %s are exactly the declared ones', (file, permissions) =>
    expect([...new Set(sentBy(file))].sort()).toEqual(Object.keys(permissions).sort()));

  it('on the account are exactly the declared ones and those that AWS checks implicitly', () => {
    const sent = new Set(sourcesIn('adapters/aws').filter(isOfCloud).flatMap(sentBy));
    // Signed here: EKS has no client.
    const signed = Object.keys(eksClusterCalls).filter((call) => call !== 'GetClusterToken');
    for (const call of signed) sent.add(call);
    const onTheWay = [
      'eks:TagResource',
      'sts:GetCallerIdentity',
      'elasticloadbalancing:AddTags',
      'ec2:GetSecurityGroupsForVpc',
      'iam:CreateServiceLinkedRole',
      'iam:PassRole',
      'iam:TagRole',
      'secretsmanager:TagResource',
      'ssm:AddTagsToResource',
    ];
    const allowed = actionsIn(cloudPermissions).map((action) => action.split(':')[1]!);
    expect([...sent].filter((command) => !allowed.includes(command))).toEqual([]);
    const extra = actionsIn(cloudPermissions).filter((action) => !sent.has(action.split(':')[1]!));
    expect(extra.filter((action) => !onTheWay.includes(action))).toEqual([]);
  });
});

/** The adapters that a function calls. */
const adaptersOf = (of: Uses): string[] => [
  ...(of.objects || of.work || of.looksUp || of.requests ? ['dynamodb/table'] : []),
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
  ...(of.webhooks ? ['webhook/invoke'] : []),
  ...(of.stack ? ['stacks/status'] : []),
  ...(of.snapshots ? ['objects/link', 'objects/s3'] : []),
];

describe('a role', () => {
  it.each(functionNames)('of %s allows what its bundle can reach, and exceptions are explained', (fn) => {
    const unused = reachedAndUnused.filter(({ functions }) => functions.includes(fn)).map(({ adapter }) => adapter);
    expect([...adaptersOf(uses[fn]), ...unused].sort()).toEqual([...reachOf(fn).adapters].sort());
  });

  it('of the account’s worker allows exactly the calls in its code', () => {
    const calls = reachOf('reconcile-aws').account as CloudAction[];
    const withEks = { ...resources, eksRoles: ['eks-controlplane', madeRoles], machinePools: true };
    const statements = Object.values(policiesFor('reconcile-aws', withEks)).flat();
    const granted = new Set(statements.flatMap(({ actions }) => actions));
    const needed = actionsIn(cloudPermissions, calls);
    // Only of roles that the deployment names.
    expect(needed.filter((action) => !granted.has(action))).toEqual(['sts:AssumeRole']);
    const named = statementsOf('reconcile-aws', { assumedRoles: ['arn:aws:iam::222233334444:role/clusters'] });
    expect(named.filter(({ actions }) => actions.includes('sts:AssumeRole'))).toMatchObject([
      { resources: ['arn:aws:iam::222233334444:role/clusters'] },
    ]);
    const services = new Set(needed.map((action) => action.split(':')[0]));
    const own = [...granted].filter((action) => services.has(action.split(':')[0]!));
    const allowed = ['ssm:GetParameter', 'ssm:GetParameterHistory'];
    expect(own.filter((action) => !needed.includes(action) && !allowed.includes(action))).toEqual([]);
  });

  it('of the function for instance events allows nothing in the account', () => {
    const services = statementsOf('instances').flatMap(({ actions }) => actions.map((one) => one.split(':')[0]));
    expect([...new Set(services)].sort()).toEqual(['dynamodb', 'sqs']);
  });

  it('of the function for reports reads no Secret, and wakes only the two controllers', () => {
    const statements = statementsOf('audit-webhook');
    const allows = (action: string, resource: string, key: string) =>
      isAllowed(statements, { action, resource, context: { 'dynamodb:LeadingKeys': [key] } });
    const table = (sid: string) => statements.find((one) => one.sid === sid)!.resources[0]!;
    const [objects, work] = [table('ObjectsLookUp'), table('WorkRequest')];
    const updates = (partition: string) => allows('dynamodb:UpdateItem', work, partition);
    expect(allows('dynamodb:GetItem', objects, 'r#audit-webhook/0a')).toBe(true);
    expect(updates('k#workload-prober#clusters.cluster.x-k8s.io')).toBe(true);
    expect(updates('k#autoscaler#scalingplans.capstan.dev')).toBe(true);

    expect(allows('dynamodb:GetItem', objects, 'o#secrets')).toBe(false);
    expect(allows('dynamodb:GetItem', objects, 'r#i-0a')).toBe(false);
    expect(updates('k#aws-machine#awsmachines.infrastructure.cluster.x-k8s.io')).toBe(false);
    expect(updates('awake')).toBe(false);
    const actions = statements.flatMap((one) => one.actions);
    expect([...new Set(actions)].sort()).toEqual(['dynamodb:GetItem', 'dynamodb:UpdateItem', 'sqs:SendMessage']);
  });

  const machine = 'machines.cluster.x-k8s.io';
  const awsMachine = 'awsmachines.infrastructure.cluster.x-k8s.io';
  const identity = 'awsclusterroleidentities.infrastructure.cluster.x-k8s.io';
  const usersKind = 'widgets.example.com';
  const rights = ['clusterrolebindings.rbac.authorization.k8s.io', 'accessentries.capstan.dev'];
  /**
   * Whether it may write an object of this type, and fill a slot of its log. Of `neither` it may do
   * neither: a slot shows readers of the log an object, and these decide on rights.
   */
  it.each<{ fn: FunctionName; writes: string[]; fills?: string[]; not: string[]; neither?: string[] }>([
    { fn: 'api', writes: ['secrets', 'namespaces', machine, identity, usersKind], not: [] },
    {
      fn: 'watch',
      writes: ['namespaces', 'installations.capstan.dev'],
      fills: ['secrets', machine, usersKind],
      not: ['secrets', 'configmaps', machine, identity, usersKind],
    },
    { fn: 'dispatch', writes: [], fills: [machine, usersKind], not: ['secrets', 'namespaces', machine, usersKind] },
    { fn: 'sweep', writes: [], fills: [machine, usersKind], not: ['secrets', 'namespaces', machine, usersKind] },
    {
      fn: 'reconcile-core',
      writes: [machine, awsMachine, 'events'],
      fills: ['resourcequotas', usersKind],
      not: ['secrets', 'namespaces', usersKind],
      neither: [identity, ...rights],
    },
    {
      fn: 'reconcile-aws',
      writes: [machine, awsMachine, 'events'],
      fills: ['resourcequotas', usersKind],
      not: ['secrets', 'namespaces', usersKind],
      neither: [identity, ...rights],
    },
    {
      fn: 'reconcile-workload',
      writes: [machine, 'secrets'],
      fills: ['resourcequotas', usersKind],
      not: ['namespaces', usersKind],
      neither: [identity, ...rights],
    },
    { fn: 'reconcile-gc', writes: ['secrets', 'namespaces', machine, identity, usersKind], not: [] },
    { fn: 'instances', writes: [awsMachine], not: ['secrets', machine, identity, usersKind] },
  ])('of $fn writes objects of $writes, and not of $not', ({ fn, writes, fills = [], not, neither = [] }) => {
    const may = (pk: string) => {
      const context = { 'dynamodb:LeadingKeys': [pk] };
      return isAllowed(statementsOf(fn), { action: 'dynamodb:PutItem', resource: resources.tables.objects, context });
    };
    expect(writes.filter((type) => !may(`o#${type}`) || !may(`l#${type}#7`) || !may(`h#${type}`))).toEqual([]);
    expect(fills.filter((type) => !may(`l#${type}#7`) || !may(`h#${type}`))).toEqual([]);
    expect(not.filter((type) => may(`o#${type}`))).toEqual([]);
    const hidden = fills.length > 0 ? neither : [...not, ...neither];
    expect(hidden.filter((type) => may(`o#${type}`) || may(`l#${type}#7`) || may(`h#${type}`))).toEqual([]);
  });

  it('writes data keys, entries of webhook tokens and places of watches only where it needs them', () => {
    const may = (fn: FunctionName, pk: string) => {
      const context = { 'dynamodb:LeadingKeys': [pk] };
      return isAllowed(statementsOf(fn), { action: 'dynamodb:PutItem', resource: resources.tables.objects, context });
    };
    const allowed = (pk: string) => functionNames.filter((fn) => may(fn, pk));
    expect(allowed('k#default')).toEqual(['api', 'reconcile-gc', 'reconcile-workload']);
    expect(allowed('r#audit-webhook/0a')).toEqual(['api', 'reconcile-gc', 'reconcile-workload']);
    expect(allowed('r#i-0a')).toContain('reconcile-aws');
    expect(allowed('places#watches')).toEqual(['api', 'watch']);
  });

  describe('of Secrets', () => {
    const context = (purpose: string | undefined) => ({
      'kms:EncryptionContext:use': 'objects',
      ...(purpose !== undefined && { 'kms:EncryptionContext:purpose': purpose }),
      'kms:EncryptionContextKeys': ['use', 'namespace', ...(purpose === undefined ? [] : ['purpose'])],
    });
    const using = (action: string, purpose: string | undefined, changed: Partial<Resources> = {}) =>
      functionNames.filter((fn) =>
        isAllowed(statementsOf(fn, changed), { action, resource: resources.key, context: context(purpose) }),
      );
    const all: FunctionName[] = ['api', 'reconcile-gc', 'reconcile-workload'];
    const withAws: FunctionName[] = ['api', 'reconcile-aws', 'reconcile-gc', 'reconcile-workload'];
    const opening: Record<SecretPurpose, FunctionName[]> = {
      authorities: all,
      access: all,
      bootstrap: withAws,
      others: withAws,
    };

    it.each(secretPurposes)('for %s opens them only where they are read, and seals them where written', (purpose) => {
      expect(using('kms:Decrypt', purpose)).toEqual(opening[purpose]);
      expect(using('kms:GenerateDataKey', purpose)).toEqual(all);
    });

    it('of the former format opens them where authorities are read, and after its last deployment where it must', () => {
      expect(using('kms:Decrypt', undefined)).toEqual(all);
      expect(using('kms:Decrypt', undefined, { hasFormerSecrets: true })).toEqual(withAws);
      expect(using('kms:Decrypt', 'authorities', { hasFormerSecrets: true })).toEqual(all);
    });

    it('opens no purpose that is unknown where purposes are named', () => {
      expect(using('kms:Decrypt', 'payroll')).toEqual(all);
    });
  });

  it('records the stored format only by the function that knows the deployment', () => {
    const may = (fn: FunctionName) =>
      isAllowed(statementsOf(fn), {
        action: 'dynamodb:PutItem',
        resource: resources.tables.objects,
        context: { 'dynamodb:LeadingKeys': ['format'] },
      });
    expect(functionNames.filter(may)).toEqual(['api', 'guard']);
  });

  it.each(functionNames)('of %s names every action in full, and explains each statement', (fn) => {
    const statements = statementsOf(fn);
    expect(statements.flatMap(({ actions }) => actions).filter((action) => action.includes('*'))).toEqual([]);
    expect(new Set(statements.map(({ sid }) => sid)).size).toBe(statements.length);
    for (const { sid, why, actions, resources } of statements) {
      expect(sid).toMatch(/^[A-Za-z0-9]+$/);
      expect(why).not.toBe('');
      expect(actions.length * resources.length).toBeGreaterThan(0);
    }
  });

  it.each(functionNames)('of %s reads no secret value in the account', (fn) => {
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
type Given = [rule: string, action: string, resource: string, context: Record<string, string | string[]>];

const allowed: Given[] = [
  ['launching an instance with Capstan’s tag', ...launched('instance/*'), tagging],
  ['launching its volume with the tag', ...launched('volume/*'), tagging],
  ['launching its interface with the tag', ...launched('network-interface/*'), tagging],
  ['launching into a user’s subnet', ...launched('subnet/subnet-1'), {}],
  [
    'launching into a subnet that another account shares',
    'ec2:RunInstances',
    ec2('subnet/subnet-1', '222222222222'),
    {},
  ],
  ['launching with a user’s security groups', ...launched('security-group/sg-1'), {}],
  ['launching with a user’s interface', ...launched('network-interface/eni-1'), {}],
  ['launching from any image', 'ec2:RunInstances', ec2('image/ami-1', ''), {}],
  ['launching with a key pair', ...launched('key-pair/admin'), {}],
  ['creating a security group in a user’s VPC', 'ec2:CreateSecurityGroup', ec2('vpc/vpc-1'), {}],
  ['creating a security group with Capstan’s tag', 'ec2:CreateSecurityGroup', ec2('security-group/*'), tagging],
  [
    'tagging a resource at its creation',
    'ec2:CreateTags',
    ec2('volume/*'),
    { ...tagging, 'ec2:CreateAction': 'RunInstances' },
  ],
  [
    'restoring a tag of Capstan’s instance',
    'ec2:CreateTags',
    ec2('instance/i-1'),
    { ...ours, 'aws:TagKeys': ['Name'] },
  ],
  [
    'restoring a tag of Capstan’s NAT gateway',
    'ec2:CreateTags',
    ec2('natgateway/nat-1'),
    { ...ours, 'aws:TagKeys': ['team'] },
  ],
  [
    'removing a tag from Capstan’s instance',
    'ec2:DeleteTags',
    ec2('instance/i-1'),
    { ...ours, 'aws:TagKeys': ['team'] },
  ],
  [
    'removing a tag from Capstan’s load balancer',
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
    'setting cluster tags on a user’s subnet',
    'ec2:CreateTags',
    ec2('subnet/subnet-1'),
    {
      'aws:TagKeys': ['kubernetes.io/cluster/demo', 'kubernetes.io/role/elb'],
      'aws:RequestTag/kubernetes.io/role/elb': '1',
    },
  ],
  ['copying a disk of Capstan’s instance', 'ec2:CreateSnapshot', ec2('volume/vol-1'), ours],
  ['making the copy with Capstan’s tag', 'ec2:CreateSnapshot', ec2('snapshot/*', ''), tagging],
  ['tagging the copy', 'ec2:CreateTags', ec2('snapshot/*', ''), { ...tagging, 'ec2:CreateAction': 'CreateSnapshot' }],
  ['deleting Capstan’s copy of a disk', 'ec2:DeleteSnapshot', ec2('snapshot/snap-1', ''), ours],
  ['terminating Capstan’s instance', 'ec2:TerminateInstances', ec2('instance/i-1'), ours],
  ['creating a classic load balancer', 'elasticloadbalancing:CreateLoadBalancer', elb('loadbalancer/demo'), tagging],
  [
    'tagging it at its creation',
    'elasticloadbalancing:AddTags',
    elb('loadbalancer/demo'),
    { ...tagging, 'elasticloadbalancing:CreateAction': 'CreateLoadBalancer' },
  ],
  [
    'registering an instance with Capstan’s classic load balancer',
    'elasticloadbalancing:RegisterInstancesWithLoadBalancer',
    elb('loadbalancer/demo'),
    ours,
  ],
  ['creating a load balancer', 'elasticloadbalancing:CreateLoadBalancer', elb('loadbalancer/net/demo/*'), tagging],
  [
    'creating a listener on Capstan’s load balancer',
    'elasticloadbalancing:CreateListener',
    elb('loadbalancer/net/demo/1'),
    ours,
  ],
  ['creating a secret', 'secretsmanager:CreateSecret', secret, tagging],
  ['tagging a secret at its creation', 'secretsmanager:TagResource', secret, tagging],
  ['deleting Capstan’s secret', 'secretsmanager:DeleteSecret', secret, ours],
  [
    'giving an instance the role of a node',
    'iam:PassRole',
    'arn:aws:iam::ACCOUNT:role/nodes.cluster-api-provider-aws.sigs.k8s.io',
    { 'iam:PassedToService': 'ec2.amazonaws.com' },
  ],
];

const refused: Given[] = [
  ['launching an instance without Capstan’s tag', ...launched('instance/*'), {}],
  ['launching an instance with another installation’s tag', ...launched('instance/*'), theirs],
  ['launching an interface without Capstan’s tag', ...launched('network-interface/*'), {}],
  ['creating a VPC without Capstan’s tag', 'ec2:CreateVpc', ec2('vpc/*'), {}],
  ['copying a volume of others', 'ec2:CreateSnapshot', ec2('volume/vol-1'), {}],
  ['making a copy without Capstan’s tag', 'ec2:CreateSnapshot', ec2('snapshot/*', ''), {}],
  ['deleting another installation’s snapshot', 'ec2:DeleteSnapshot', ec2('snapshot/snap-1', ''), theirs],
  ['terminating an untagged instance', 'ec2:TerminateInstances', ec2('instance/i-1'), {}],
  ['terminating another installation’s instance', 'ec2:TerminateInstances', ec2('instance/i-1'), theirs],
  [
    'changing the groups of an interface that is not Capstan’s',
    'ec2:ModifyNetworkInterfaceAttribute',
    ec2('network-interface/eni-1'),
    {},
  ],
  ['opening a user’s security group', 'ec2:AuthorizeSecurityGroupIngress', ec2('security-group/sg-1'), {}],
  ['closing a user’s security group', 'ec2:RevokeSecurityGroupIngress', ec2('security-group/sg-1'), {}],
  ['creating routes in a user’s route table', 'ec2:CreateRoute', ec2('route-table/rtb-1'), {}],
  ['creating a subnet in a user’s VPC', 'ec2:CreateSubnet', ec2('vpc/vpc-1'), {}],
  ['deleting a user’s subnet', 'ec2:DeleteSubnet', ec2('subnet/subnet-1'), {}],
  [
    'claiming a user’s subnet',
    'ec2:CreateTags',
    ec2('subnet/subnet-1'),
    { 'aws:TagKeys': ['capstan.dev/installation'], ...tagging },
  ],
  [
    'claiming a user’s subnet beside an allowed tag',
    'ec2:CreateTags',
    ec2('subnet/subnet-1'),
    { 'aws:TagKeys': ['kubernetes.io/cluster/demo', 'capstan.dev/installation'], ...tagging },
  ],
  ['claiming an instance', 'ec2:CreateTags', ec2('instance/i-1'), tagging],
  [
    'giving Capstan’s instance to another installation',
    'ec2:CreateTags',
    ec2('instance/i-1'),
    { ...ours, 'aws:RequestTag/capstan.dev/installation': 'another' },
  ],
  [
    'giving Capstan’s NAT gateway to another cluster',
    'ec2:CreateTags',
    ec2('natgateway/nat-1'),
    { ...ours, 'aws:TagKeys': ['team', 'Capstan.dev/cluster-uid'] },
  ],
  ['removing all tags', 'ec2:DeleteTags', ec2('instance/i-1'), ours],
  [
    'removing the ownership tag',
    'ec2:DeleteTags',
    ec2('instance/i-1'),
    { ...ours, 'aws:TagKeys': ['team', 'capstan.dev/installation'] },
  ],
  ['removing tags from a user’s subnet', 'ec2:DeleteTags', ec2('subnet/subnet-1'), { 'aws:TagKeys': ['team'] }],
  [
    'removing the ownership tag of a load balancer',
    'elasticloadbalancing:RemoveTags',
    elb('loadbalancer/net/demo/1'),
    { ...ours, 'aws:TagKeys': ['capstan.dev/cluster-uid'] },
  ],
  [
    'giving Capstan’s load balancer to another installation',
    'elasticloadbalancing:AddTags',
    elb('loadbalancer/net/demo/1'),
    { ...ours, 'aws:TagKeys': ['capstan.dev/installation'] },
  ],
  [
    'creating a load balancer without Capstan’s tag',
    'elasticloadbalancing:CreateLoadBalancer',
    elb('loadbalancer/net/demo/*'),
    {},
  ],
  [
    'creating a listener on another owner’s load balancer',
    'elasticloadbalancing:CreateListener',
    elb('loadbalancer/net/demo/1'),
    {},
  ],
  [
    'registering an instance with another owner’s classic load balancer',
    'elasticloadbalancing:RegisterInstancesWithLoadBalancer',
    elb('loadbalancer/demo'),
    {},
  ],
  ['deleting another owner’s load balancer', 'elasticloadbalancing:DeleteLoadBalancer', elb('loadbalancer/demo'), {}],
  ['claiming a load balancer', 'elasticloadbalancing:AddTags', elb('loadbalancer/net/demo/1'), tagging],
  ['deleting another owner’s secret', 'secretsmanager:DeleteSecret', secret, {}],
  ['deleting another installation’s secret', 'secretsmanager:DeleteSecret', secret, theirs],
  ['claiming another installation’s secret', 'secretsmanager:TagResource', secret, { ...tagging, ...theirs }],
  ['reading a secret', 'secretsmanager:GetSecretValue', secret, ours],
  [
    'creating a secret outside Capstan’s names',
    'secretsmanager:CreateSecret',
    secret.replace('aws.cluster.x-k8s.io/', 'prod/'),
    tagging,
  ],
  ['overwriting a parameter', 'ssm:PutParameter', parameter, { ...tagging, 'ssm:Overwrite': 'true' }],
  [
    'giving an instance the role of an administrator',
    'iam:PassRole',
    'arn:aws:iam::ACCOUNT:role/admin',
    { 'iam:PassedToService': 'ec2.amazonaws.com' },
  ],
  [
    'giving a function the role of a node',
    'iam:PassRole',
    'arn:aws:iam::ACCOUNT:role/nodes.cluster-api-provider-aws.sigs.k8s.io',
    { 'iam:PassedToService': 'lambda.amazonaws.com' },
  ],
  [
    'decrypting a data key of another context',
    'kms:Decrypt',
    'arn:aws:kms:REGION:ACCOUNT:key/KEY',
    { 'kms:EncryptionContext:use': 'payroll', 'kms:EncryptionContextKeys': ['use'] },
  ],
];

it('only the worker that takes snapshots has the key of what is kept beside them', () => {
  const using = (action: string) =>
    functionNames.filter((name) =>
      isAllowed(statementsOf(name), {
        action,
        resource: resources.snapshotKeysKey,
        context: { 'kms:EncryptionContext:use': 'snapshots' },
      }),
    );
  for (const action of ['kms:Decrypt', 'kms:GenerateDataKey']) expect(using(action)).toEqual(['reconcile-workload']);
});

describe('the role that acts on the account', () => {
  const statements = statementsOf('reconcile-aws');
  it.each(allowed)('allows: %s', (_, action, resource, context) =>
    expect(isAllowed(statements, { action, resource, context })).toBe(true));
  it.each(refused)('denies: %s', (_, action, resource, context) =>
    expect(isAllowed(statements, { action, resource, context })).toBe(false));
});
