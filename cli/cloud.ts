import { Command } from 'commander';
import { accountPath } from './account.ts';
import type { ApiClient, Connect } from './client.ts';
import { faultCommand } from './faults.ts';
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
    .description('Kill an instance, as somebody outside would.')
    .action(async (instance: string) => {
      await (await connect()).json('POST', `${accountPath}/instances/${encodeURIComponent(instance)}/terminate`);
      console.log(`instance ${instance} is shutting down`);
    });
  cloud.addCommand(faultCommand(connect));
  return cloud;
};
