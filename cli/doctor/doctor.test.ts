import { CloudFormationClient, DescribeStacksCommand, type StackStatus } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeRuleCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { ListSchedulesCommand, SchedulerClient, type ScheduleState } from '@aws-sdk/client-scheduler';
import { beforeEach, describe, expect, it } from 'vitest';
import { mockedClient } from '../../adapters/aws/service/sdk-mock.fixture.ts';
import { decidedBy } from '../../machinery/server/index.ts';
import { openServer } from '../server.fixture.ts';
import { type Check, failed, ok, outcomeOf } from './check.ts';
import { checksOfDeployment } from './deployed.ts';
import { skewOf } from './here.ts';
import { examine } from './index.ts';
import { checksOfServer, clockFinding } from './server.ts';

const check = (name: string, run: Check['run']): Check => ({ name, run });

describe('capstan doctor', () => {
  it('continues after a failed check, and exits with an error', async () => {
    const printed: string[] = [];
    const boom = check('b', async () => {
      throw new Error('boom');
    });
    const isWell = await examine(
      [check('a', async () => ok('fine')), boom, check('c', async () => ok('fine'))],
      (text) => printed.push(text),
    );
    expect(isWell).toBe(false);
    expect(printed.map((line) => line.split(/ +/).slice(0, 3).join(' '))).toEqual([
      'ok a fine',
      'FAILED b boom',
      'ok c fine',
    ]);
  });

  it('skips the other checks of a server that does not answer', async () => {
    let asked = 0;
    const checks = [check('server', async () => failed('gone')), check('clock', async () => ok(String(++asked)))];
    expect(await examine(checks, () => undefined)).toBe(false);
    expect(asked).toBe(0);
  });

  it.each([
    { rule: 'may create in the namespace', verbs: ['create', 'list'], level: 'ok', says: 'in the namespace default' },
    { rule: 'may read', verbs: ['list'], level: 'warning', says: 'an administrator binds the role edit to you' },
    { rule: 'may do nothing', verbs: [], level: 'failed', says: 'neither create nor read clusters' },
  ])('tells a user who $rule', async ({ verbs, level, says }) => {
    const rights = decidedBy(({ verb, namespace, resource, group }) => ({
      allowed:
        group === 'authorization.k8s.io' ||
        (resource === 'clusters' && namespace === 'default' && verbs.includes(verb)),
      reason: '',
    }));
    const { client } = await openServer({ rights });
    const findings = new Map(checksOfServer(client).map((one) => [one.name, one]));
    expect(await outcomeOf(findings.get('permissions')!)).toEqual({ level, says: expect.stringContaining(says) });
    expect(await outcomeOf(findings.get('installation')!)).toEqual({
      level: 'skipped',
      says: 'you may not read the object Installation',
    });
  });

  it('passes a healthy server, and reports one whose controllers have not run', async () => {
    const { client, put } = await openServer();
    const findings = async () =>
      Object.fromEntries(
        await Promise.all(checksOfServer(client).map(async (one) => [one.name, await outcomeOf(one)])),
      );
    expect(await findings()).toMatchObject({
      server: { level: 'ok' },
      credentials: { level: 'ok', says: 'accepted as somebody' },
      permissions: { level: 'ok' },
      installation: { level: 'failed' },
    });
    await put({ apiVersion: 'capstan.dev/v1alpha1', kind: 'Installation', metadata: { name: 'capstan' }, spec: {} });
    expect((await findings()).installation).toMatchObject({
      level: 'warning',
      says: expect.stringContaining('not been'),
    });
  });
});

it.each([
  { there: 0, here: 0, level: 'ok' },
  { there: 0, here: 31_000, level: 'warning' },
  { there: 400_000, here: 0, level: 'failed' },
])('rates a clock at $here against $there as $level', ({ there, here, level }) =>
  expect(clockFinding(there, here).level).toBe(level));

it.each([
  { client: 'v1.34.1', server: 'v1.33.0+capstan', level: 'ok' },
  { client: 'v1.36.0', server: 'v1.33.0+capstan', level: 'warning' },
  { client: '', server: 'v1.33.0', level: 'skipped' },
])('rates kubectl $client against $server as $level', ({ client, server, level }) =>
  expect(skewOf(client, server).level).toBe(level));

describe('a deployment', () => {
  const deployment = { clusterId: 'blue.1.r', installation: 'blue', account: '1', region: 'r' };
  const outputs = [{ OutputKey: 'ObjectsTable', OutputValue: 't' }];
  const [cloudFormation, dynamo, lambda, scheduler, eventBridge] = [
    mockedClient(CloudFormationClient),
    mockedClient(DynamoDBClient),
    mockedClient(LambdaClient),
    mockedClient(SchedulerClient),
    mockedClient(EventBridgeClient),
  ];
  const region = 'eu-central-1';
  const clients = {
    stacks: new CloudFormationClient({ region }),
    tables: new DynamoDBClient({ region }),
    lambda: new LambdaClient({ region }),
    scheduler: new SchedulerClient({ region }),
    events: (where: string) => new EventBridgeClient({ region: where }),
  };
  beforeEach(() => {
    for (const mock of [cloudFormation, dynamo, lambda, scheduler, eventBridge]) mock.reset();
  });
  const findings = async (of: {
    status?: StackStatus;
    stream?: string;
    mappings?: { arn?: string; state: string }[];
    schedules?: ScheduleState[];
    hasClusters?: boolean;
    key?: string;
    hasFormerSecrets?: boolean;
    /** With clusters. */
    regions?: string[];
    /** The state of the rule in other regions; absent = there is none. */
    rule?: 'ENABLED' | 'DISABLED';
  }) => {
    const { status = 'UPDATE_COMPLETE', stream, mappings = [], schedules = [], hasClusters = false, key } = of;
    const { regions = ['r'], rule, hasFormerSecrets } = of;
    const Outputs = [
      ...outputs,
      ...(key ? [{ OutputKey: 'KeyArn', OutputValue: key }] : []),
      ...(hasFormerSecrets ? [{ OutputKey: 'FormerSecrets', OutputValue: 'true' }] : []),
    ];
    const described = eventBridge.on(DescribeRuleCommand, { Name: 'blue-forwarding' });
    if (rule) described.resolves({ State: rule });
    else described.rejects(Object.assign(new Error('no rule'), { name: 'ResourceNotFoundException' }));
    cloudFormation.on(DescribeStacksCommand, { StackName: 'Capstan-blue' }).resolves({
      Stacks: [{ StackName: 'Capstan-blue', CreationTime: new Date(0), StackStatus: status, Outputs }],
    });
    dynamo.on(DescribeTableCommand, { TableName: 't' }).resolves({ Table: stream ? { LatestStreamArn: stream } : {} });
    lambda.on(ListEventSourceMappingsCommand).resolves({
      EventSourceMappings: mappings.map(({ arn, state }) => ({ ...(arn && { EventSourceArn: arn }), State: state })),
    });
    scheduler
      .on(ListSchedulesCommand, { GroupName: 'blue-schedules' })
      .resolves({ Schedules: schedules.map((State) => ({ Name: 'blue-sweep', State })) });
    const all = checksOfDeployment(
      clients,
      deployment,
      async () => hasClusters,
      async () => regions,
    );
    const levels = await Promise.all(all.map(async (one) => [one.name, (await outcomeOf(one)).level]));
    return Object.fromEntries(levels) as Record<string, string>;
  };

  it.each<{ rule: string; of: Parameters<typeof findings>[0]; is: object }>([
    {
      rule: 'passes when its stream and its queues have readers',
      of: { stream: 's', mappings: [{ arn: 's', state: 'Enabled' }] },
      is: { stack: 'ok', stream: 'ok', queues: 'ok' },
    },
    { rule: 'fails without a stream, as after a restore', of: {}, is: { stream: 'failed' } },
    {
      rule: 'fails when its mapping reads another table’s stream',
      of: { stream: 's', mappings: [{ arn: 'old', state: 'Enabled' }] },
      is: { stream: 'failed' },
    },
    {
      rule: 'may sleep without clusters',
      of: { stream: 's', mappings: [{ arn: 's', state: 'Disabled' }] },
      is: { stream: 'failed', queues: 'ok' },
    },
    {
      rule: 'must be awake with clusters',
      of: { stream: 's', mappings: [{ arn: 's', state: 'Disabled' }], hasClusters: true },
      is: { queues: 'failed' },
    },
    {
      rule: 'needs enabled sweep schedules',
      of: { schedules: ['ENABLED', 'ENABLED'], hasClusters: true },
      is: { schedules: 'ok' },
    },
    {
      rule: 'may have no sweeps while it sleeps without clusters',
      of: { schedules: ['DISABLED'] },
      is: { schedules: 'ok' },
    },
    {
      rule: 'needs sweeps with clusters',
      of: { schedules: ['ENABLED', 'DISABLED'], hasClusters: true },
      is: { schedules: 'failed' },
    },
    { rule: 'fails without schedules', of: {}, is: { schedules: 'failed' } },
    {
      rule: 'polls its slow queues only during a resync',
      of: {
        stream: 's',
        mappings: [
          { arn: 's', state: 'Enabled' },
          { arn: 'arn:aws:sqs:r:1:blue-core-slow', state: 'Disabled' },
        ],
        hasClusters: true,
      },
      is: { queues: 'ok' },
    },
    {
      rule: 'says what a loss of its region takes',
      of: { key: 'arn:aws:kms:r:1:key/0a' },
      is: { region: 'ok' },
    },
    { rule: 'opens Secrets by their purposes', of: {}, is: { Secrets: 'ok' } },
    {
      rule: 'warns while Secrets of an older version are opened without a purpose',
      of: { hasFormerSecrets: true },
      is: { Secrets: 'warning' },
    },
    { rule: 'needs no other rule for clusters in its own region', of: {}, is: { events: 'ok' } },
    {
      rule: 'warns of clusters in a region that forwards no events',
      of: { regions: ['r', 'us-west-2'] },
      is: { events: 'warning' },
    },
    {
      rule: 'warns of a rule in another region that is off',
      of: { regions: ['us-west-2'], rule: 'DISABLED' },
      is: { events: 'warning' },
    },
    {
      rule: 'passes with a rule in each region',
      of: { regions: ['us-west-2'], rule: 'ENABLED' },
      is: { events: 'ok' },
    },
    { rule: 'warns about a stuck stack', of: { status: 'UPDATE_ROLLBACK_FAILED' }, is: { stack: 'warning' } },
  ])('$rule', async ({ of, is }) => expect(await findings(of)).toMatchObject(is));
});
