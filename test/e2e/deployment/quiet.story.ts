/** The measured cost of an idle installation. */

import { setTimeout as delay } from 'node:timers/promises';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, ListRulesCommand } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient, paginateListEventSourceMappings } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../adapters/aws/dynamodb/value.ts';
import { namesOf } from '../../../cdk/names.ts';
import type { Emulator } from '../../../emulator/index.ts';
import { publish } from '../../../emulator/unsigned.ts';
import { lostChangesMessage } from '../../../lambdas/lost-changes.fixture.ts';
import { openAccount } from './account.ts';
import type { Installation } from './installation.ts';
import type { Place } from './place.ts';

/** A minute is the shortest period of a schedule. That none is enabled proves more than a longer wait. */
const minutes = 1.5;
const perMonth = (30 * 24 * 60) / minutes;
/** Five pollers per mapping, each with a wait time of twenty seconds. */
const receivesPerMonth = (5 * 30 * 24 * 3600) / 20;
/** Dollars per million Lambda requests and SQS requests. */
const prices = { invocation: 0.2, receive: 0.4 };

/** What polls and fires in an installation on a separate emulator. */
const powerOf = async (place: Place, emulator: Emulator) => {
  const config = {
    endpoint: emulator.endpoints.aws,
    region: place.region,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const [lambda, tables, stacks] = [
    new LambdaClient(config),
    new DynamoDBClient(config),
    new CloudFormationClient(config),
  ];
  const { Stacks = [] } = await stacks.send(new DescribeStacksCommand({ StackName: 'Capstan-capstan' }));
  const table = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'WorkTable')?.OutputValue;
  const mappings = async () => {
    const enabled: string[] = [];
    for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client: lambda }, {}))
      enabled.push(
        ...EventSourceMappings.flatMap(({ EventSourceArn = '', State }) =>
          State === 'Enabled' && isQueue(EventSourceArn) ? [EventSourceArn] : [],
        ),
      );
    return enabled;
  };
  const on = async () => [...(await mappings()), ...(await openAccount(place).schedules())];
  return {
    mappings,
    on,
    /** Enabled rules that fire by time. */
    rules: async () => {
      const { Rules = [] } = await new EventBridgeClient(config).send(new ListRulesCommand({}));
      return Rules.flatMap(({ Name = '', State, ScheduleExpression }) =>
        State === 'ENABLED' && ScheduleExpression ? [Name] : [],
      );
    },
    /** What is still enabled after ten simulated minutes without work. */
    fallAsleep: async () => {
      await tables.send(
        new UpdateItemCommand({
          TableName: table,
          Key: keyOf({ pk: 'awake', sk: 'installation' }),
          UpdateExpression: 'SET #last = :then',
          ExpressionAttributeNames: { '#last': 'last' },
          ExpressionAttributeValues: { ':then': { N: String(Date.now() - 700_000) } },
        }),
      );
      await lambda.send(new InvokeCommand({ FunctionName: 'capstan-sweep', Payload: Buffer.from('{"run":"sweep"}') }));
      return on();
    },
  };
};
const isQueue = (one: string) => one.includes(':sqs:');
const isOff = (seen: readonly string[]) => seen.length === 0;
const allIsOff = 'all that polls and fires is off';

export const quietStory = (installation: () => Installation) =>
  describe('while nothing happens', () => {
    it('sleeps without a cluster, and calls nothing', async () => {
      const { place, until } = installation();
      const { emulator } = place;
      if (!emulator) return;
      const { mappings, rules, fallAsleep } = await powerOf(place, emulator);
      await until(allIsOff, fallAsleep, isOff);
      expect(await rules()).toEqual([]);
      const before = emulator.counts();
      await delay(minutes * 60_000);
      const after = emulator.counts();
      const invoked = Object.entries(after).map(
        ([name, { invocations }]) => [name, invocations - (before[name]?.invocations ?? 0)] as const,
      );
      const invocations = invoked.reduce((sum, [, count]) => sum + count, 0);
      const receives = (await mappings()).length * receivesPerMonth;
      const dollars = (invocations * perMonth * prices.invocation + receives * prices.receive) / 1e6;
      console.log(
        `idle: ${invocations} invocations in ${minutes} minutes, ${receives} receives a month: $${dollars.toFixed(2)}`,
      );
      expect(invoked.filter(([, count]) => count > 0)).toEqual([]);
      expect(dollars).toBeLessThanOrEqual(0.5);
    });

    it('wakes up when its stream drops changes, and falls asleep again', async () => {
      const { place, until } = installation();
      const { emulator } = place;
      if (!emulator) return;
      const { on, fallAsleep } = await powerOf(place, emulator);
      const topic = `arn:aws:sns:${place.region}:${emulator.account}:${namesOf('capstan').lostChanges}`;
      await publish(emulator.endpoints.aws, place.region, topic, lostChangesMessage(Date.now()));
      await until('schedules and mappings are on', on, (seen) => new Set(seen.map(isQueue)).size === 2);
      await until(allIsOff, fallAsleep, isOff);
    });

    it('wakes up with the first work', async () => {
      const { ok, until } = installation();
      await ok('create', 'namespace', 'short');
      await ok('delete', 'namespace', 'short', '--wait=false');
      await until(
        'it is gone',
        () => ok('get', 'namespace', 'short', '-o', 'name', '--ignore-not-found'),
        (seen) => seen === '',
      );
    });
  });
