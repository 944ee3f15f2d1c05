/** Checks of an installation on AWS that need its account. */
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeRuleCommand, type EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { type LambdaClient, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import { ListSchedulesCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { type Names, namesOf, workerClasses } from '../../cdk/names.ts';
import { asking } from '../aws/explain.ts';
import { formerSecrets, lostWith } from '../aws/next-steps.ts';
import { type CloudFormation, findStack, outputsOf, stackOf, standingInTheWay } from '../aws/stack.ts';
import type { Deployment } from '../client.ts';
import { type Check, failed, ok, skipped, warning } from './check.ts';

export interface Clients {
  stacks: CloudFormation;
  lambda: Pick<LambdaClient, 'send'>;
  tables: Pick<DynamoDBClient, 'send'>;
  scheduler: Pick<SchedulerClient, 'send'>;
  events: (region: string) => Pick<EventBridgeClient, 'send'>;
}

const mappingsOf = async ({ lambda }: Clients, FunctionName: string) => {
  const request = lambda.send(new ListEventSourceMappingsCommand({ FunctionName }));
  const { EventSourceMappings = [] } = await asking(request, {
    action: 'lambda:ListEventSourceMappings',
    what: `the function ${FunctionName}`,
  });
  return EventSourceMappings;
};

const streamOf = async ({ tables }: Clients, TableName: string): Promise<string | undefined> => {
  const request = tables.send(new DescribeTableCommand({ TableName }));
  const what = `the table ${TableName}`;
  return (await asking(request, { action: 'dynamodb:DescribeTable', what })).Table?.LatestStreamArn;
};

const isOn = (state: string | undefined) => state === 'Enabled' || state === 'Enabling' || state === 'Updating';

const stack = ({ stacks }: Clients, { installation, region }: Deployment): Check => ({
  name: 'stack',
  run: async () => {
    const name = stackOf(installation);
    const found = await findStack(stacks, name);
    if (!found) return failed(`there is no stack ${name} in ${region}: capstan deploy`);
    const standing = standingInTheWay(name, found.StackStatus ?? '', region);
    return standing ? warning(standing) : ok(`${name} is ${found.StackStatus}`);
  },
});

/** A loss of the region cannot be mended later, so users should know of it before. */
const region = ({ stacks }: Clients, { installation, region: here }: Deployment): Check => ({
  name: 'region',
  run: async () => {
    const found = await findStack(stacks, stackOf(installation));
    const { KeyArn } = found ? outputsOf(found) : {};
    return KeyArn === undefined ? skipped('the stack names no key') : ok(lostWith(here, KeyArn));
  },
});

const secrets = ({ stacks }: Clients, { installation }: Deployment): Check => ({
  name: 'Secrets',
  run: async () => {
    const found = await findStack(stacks, stackOf(installation));
    if (!found) return skipped('there is no stack');
    return outputsOf(found).FormerSecrets ? warning(formerSecrets) : ok('each function opens those for its purposes');
  },
});

/** After a restore the table has another stream or none, so no change is dispatched. */
const stream = (clients: Clients, { installation }: Deployment): Check => ({
  name: 'stream',
  run: async () => {
    const found = await findStack(clients.stacks, stackOf(installation));
    const table = found && outputsOf(found).ObjectsTable;
    if (table === undefined) return skipped('the stack names no table');
    const [arn, mappings] = await Promise.all([
      streamOf(clients, table),
      mappingsOf(clients, namesOf(installation).function('dispatch')),
    ]);
    if (arn === undefined) return failed(`the table ${table} has no stream: changes reach no controller`);
    const mapping = mappings.find(({ EventSourceArn }) => EventSourceArn === arn);
    if (!mapping) return failed(`no mapping reads the stream of the table ${table}: changes reach no controller`);
    return isOn(mapping.State) ? ok('changes are dispatched') : failed(`the mapping of the stream is ${mapping.State}`);
  },
});

/** The remedy for switches that were turned off from outside: changes do not turn them on. */
const sweepOnce = (names: Names): string =>
  `the sweep enables them: aws lambda invoke --function-name ${names.function('sweep')} --payload '{"run":"sweep"}' --cli-binary-format raw-in-base64-out /dev/null`;

/**
 * All are disabled while an installation sleeps, which it may only without clusters. The sweep enables the slow
 * queues only during a resync.
 */
const queues = (clients: Clients, { installation }: Deployment, hasClusters: () => Promise<boolean>): Check => ({
  name: 'queues',
  run: async () => {
    const names = namesOf(installation);
    const mappings = (
      await Promise.all(workerClasses.map((worker) => mappingsOf(clients, names.function(`reconcile-${worker}`))))
    ).flat();
    const slow = workerClasses.map((worker) => `:${names.queue(worker, 'slow')}`);
    const needed = mappings.filter(({ EventSourceArn = '' }) => !slow.some((queue) => EventSourceArn.endsWith(queue)));
    const off = needed.filter(({ State }) => !isOn(State)).length;
    if (needed.length === 0) return failed('no queue has a worker: capstan deploy');
    if (off === 0) return ok(`${needed.length} are polled`);
    if (!(await hasClusters())) return ok(`asleep: ${off} of ${needed.length} are off while there is no cluster`);
    return failed(`there are clusters, and ${off} of ${needed.length} mappings are off: ${sweepOnce(names)}`);
  },
});

/** They start the sweep, which finds lost work and enables mappings that are off. */
const schedules = (clients: Clients, { installation }: Deployment, hasClusters: () => Promise<boolean>): Check => ({
  name: 'schedules',
  run: async () => {
    const group = namesOf(installation).scheduleGroup;
    const request = clients.scheduler.send(new ListSchedulesCommand({ GroupName: group }));
    const what = `the schedule group ${group}`;
    const { Schedules = [] } = await asking(request, { action: 'scheduler:ListSchedules', what });
    const off = Schedules.filter(({ State }) => State !== 'ENABLED').map(({ Name = '' }) => Name);
    if (Schedules.length === 0) return failed('nothing starts the sweep: capstan deploy');
    if (off.length === 0) return ok(`${Schedules.length} are enabled`);
    if (!(await hasClusters())) return ok(`asleep: ${off.length} of ${Schedules.length} are off`);
    return failed(`there are clusters, and ${off.join(' and ')} are off: ${sweepOnce(namesOf(installation))}`);
  },
});

/** Undefined without the rule. */
const forwardingState = async (clients: Clients, region: string, Name: string): Promise<string | undefined> => {
  const request = clients.events(region).send(new DescribeRuleCommand({ Name }));
  try {
    const what = `the rule ${Name} in ${region}`;
    return (await asking(request, { action: 'events:DescribeRule', what })).State;
  } catch (error) {
    if (isAbsentRule(error)) return undefined;
    throw error;
  }
};
const isAbsentRule = (error: unknown): boolean =>
  [error, (error as Error).cause].some((one) => (one as Error | undefined)?.name === 'ResourceNotFoundException');

/** EventBridge delivers the events of an instance only in its own region. */
const events = (clients: Clients, { installation, region: home }: Deployment, regionsInUse: Regions): Check => ({
  name: 'events',
  run: async () => {
    const others = (await regionsInUse()).filter((region) => region !== home).sort();
    const rule = namesOf(installation).forwarding;
    const states = await Promise.all(others.map((region) => forwardingState(clients, region, rule)));
    const silent = others.filter((_, i) => states[i] !== 'ENABLED');
    if (silent.length > 0)
      return warning(
        `no rule forwards events from ${silent.join(', ')}, where clusters are: interruptions of spot instances go unnoticed there; add the regions to the setting: capstan deploy --context regions=${others.join()}`,
      );
    return ok(others.length === 0 ? `all clusters are in ${home}` : `forwarded from ${others.join(', ')}`);
  },
});

/** The regions of all AWSClusters. */
type Regions = () => Promise<string[]>;

export const checksOfDeployment = (
  clients: Clients,
  deployment: Deployment,
  hasClusters: () => Promise<boolean>,
  regionsInUse: Regions,
): Check[] => [
  stack(clients, deployment),
  region(clients, deployment),
  secrets(clients, deployment),
  stream(clients, deployment),
  queues(clients, deployment, hasClusters),
  schedules(clients, deployment, hasClusters),
  events(clients, deployment, regionsInUse),
];
