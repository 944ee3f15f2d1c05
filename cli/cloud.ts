import { Command } from 'commander';
import { accountPath } from './account.ts';
import type { ApiClient, Connect } from './client.ts';
import { launchCommands } from './cloud-launches.ts';
import type { VpcOptions } from './cloud-network.ts';
import { faultCommand } from './faults.ts';
import { positiveWholeNumber } from './options.ts';
import { outputOption, renderItems } from './output.ts';

export interface CloudResource {
  type: string;
  id: string;
  state: string;
  zone: string;
  tags: Record<string, string>;
}
interface CloudCalls {
  action: string;
  mutating: boolean;
  calls: number;
  errors: number;
}

interface TroubleOptions {
  impaired?: string[];
  event?: string;
  days: number;
}
/** Milliseconds. */
const day = 24 * 60 * 60 * 1000;

export const listResources = async (client: ApiClient): Promise<CloudResource[]> =>
  (await client.json<{ items: CloudResource[] }>('GET', `${accountPath}/resources`)).items;

export const cloudCommand = (connect: Connect): Command => {
  const cloud = new Command('cloud').description('The simulated AWS account of a local control plane.').exitOverride();
  cloud
    .command('list')
    .description('Every live resource, in creation order.')
    .addOption(outputOption())
    .action(async ({ output }: { output?: string }) =>
      console.log(
        renderItems(
          await listResources(await connect()),
          output,
          ['TYPE', 'ID', 'STATE', 'ZONE', 'NAME'],
          (resource) => [resource.type, resource.id, resource.state, resource.zone, resource.tags.Name ?? ''],
        ),
      ),
    );
  cloud
    .command('calls')
    .description('How often each API action was called so far.')
    .addOption(outputOption())
    .action(async ({ output }: { output?: string }) => {
      const { items } = await (await connect()).json<{ items: CloudCalls[] }>('GET', `${accountPath}/calls`);
      console.log(
        renderItems(items, output, ['ACTION', 'MUTATING', 'CALLS', 'ERRORS'], (call) => [
          call.action,
          String(call.mutating),
          String(call.calls),
          String(call.errors),
        ]),
      );
    });
  cloud
    .command('terminate')
    .argument('<instance>')
    .description('Terminate an instance outside of Capstan.')
    .action(async (instance: string) => {
      await (await connect()).json('POST', `${accountPath}/instances/${encodeURIComponent(instance)}/terminate`);
      console.log(`instance ${instance} is shutting down`);
    });
  cloud
    .command('interrupt')
    .argument('<instance>')
    .description('Interrupt a spot instance, with its warning two minutes ahead.')
    .option('--recommend', 'only recommend to rebalance it')
    .action(async (instance: string, { recommend }: { recommend?: boolean }) => {
      const verb = recommend ? 'rebalance' : 'interrupt';
      await (await connect()).json('POST', `${accountPath}/instances/${encodeURIComponent(instance)}/${verb}`);
      console.log(
        `instance ${instance} ${recommend ? 'is recommended for a rebalance' : 'is going to be interrupted'}`,
      );
    });
  cloud
    .command('trouble')
    .argument('<instance>')
    .description('Make status checks of an instance fail, or schedule an event for it; without options, end both.')
    .option('--impaired <checks...>', 'the checks that fail: system, instance, attached-ebs')
    .option('--event <code>', 'such as instance-retirement or system-maintenance')
    .option('--days <n>', 'days until the event', positiveWholeNumber, 7)
    .action(async (instance: string, { impaired = [], event, days }: TroubleOptions) => {
      const NotBefore = new Date(Date.now() + days * day).toISOString();
      const events = event === undefined ? [] : [{ Code: event, Description: 'requested by capstan cloud', NotBefore }];
      const path = `${accountPath}/instances/${encodeURIComponent(instance)}/trouble`;
      await (await connect()).json('POST', path, { body: JSON.stringify({ impaired, events }) });
      console.log(`instance ${instance} ${impaired.length + events.length > 0 ? 'has trouble' : 'is healthy'}`);
    });
  cloud
    .command('console')
    .argument('<instance>')
    .description('What an instance has printed since it booted, without credentials.')
    .option('--region <name>', 'where it is (default: where the account lists it)')
    .action(async (instance: string, { region }: { region?: string }) => {
      const [{ namingRegion, openCloud }, { readConsole, regionOf }] = await Promise.all([
        import('./cloud-call.ts'),
        import('./cloud-console.ts'),
      ]);
      const where = region ?? (await regionOf(await connect(), instance));
      console.log(await readConsole(namingRegion(await openCloud(connect, where), where), instance));
    });
  cloud
    .command('alarm')
    .argument('<name>')
    .argument('[state]', 'OK, ALARM or INSUFFICIENT_DATA')
    .description('Create a CloudWatch alarm, or set its state; without a state, delete it.')
    .option('--region <name>', 'where it is', 'us-east-1')
    .action(async (name: string, state: string | undefined, { region }: { region: string }) => {
      const path = `${accountPath}/alarms/${region}/${encodeURIComponent(name)}`;
      const client = await connect();
      if (state === undefined) await client.json('DELETE', path);
      else await client.json('PUT', path, { body: JSON.stringify({ state }) });
      console.log(`alarm ${name} ${state === undefined ? 'deleted' : `is ${state}`}`);
    });
  const vpc = cloud.command('vpc').description('Networks that are not made by Capstan.');
  vpc
    .command('create')
    .description(
      'A VPC with public and private subnets, as a network team hands it over; prints what an AWSCluster says of it.',
    )
    .option('--region <name>', 'where', 'us-east-1')
    .option('--name <name>', 'its Name tag', 'unmanaged')
    .option('--cidr <block>', 'its addresses, a /16', '10.1.0.0/16')
    .option('--zones <n>', 'availability zones', positiveWholeNumber, 3)
    .action(async (options: VpcOptions) => {
      const [{ openCloud }, { createNetwork, renderNetwork }] = await Promise.all([
        import('./cloud-call.ts'),
        import('./cloud-network.ts'),
      ]);
      console.log(renderNetwork(await createNetwork(await openCloud(connect, options.region), options)));
    });
  cloud
    .command('tag')
    .argument('<words...>', 'ids or ARNs of resources, key=value to set a tag, key- to remove one')
    .description('Change the tags of AWS resources, as a user outside of Capstan would.')
    .option('--region <name>', 'where ids are; an ARN says it itself', 'us-east-1')
    .action(async (args: string[], options: { region: string }) => {
      const [{ namingRegion, openCloud }, { byRegion, changeTags, tagChangeOf }] = await Promise.all([
        import('./cloud-call.ts'),
        import('./cloud-tags.ts'),
      ]);
      const change = tagChangeOf(args);
      for (const [region, resources] of byRegion(change.resources, options.region)) {
        await changeTags(namingRegion(await openCloud(connect, region), region), { ...change, resources });
        console.log(`${resources.join(', ')} tagged in ${region}`);
      }
    });
  for (const one of launchCommands(connect)) cloud.addCommand(one);
  cloud.addCommand(faultCommand(connect));
  return cloud;
};
