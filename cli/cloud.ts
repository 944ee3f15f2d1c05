import { Command, Option } from 'commander';
import type { ApiClient } from './client.ts';
import { renderTable } from './table.ts';

/** Where the local control plane shows its simulated account; see local/account-api.ts. */
export const accountPath = '/capstan.dev/account';

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

const output = () => new Option('-o, --output <format>').choices(['json']);

const print = <T>(items: T[], format: string | undefined, header: string[], cells: (item: T) => string[]): void => {
  if (format === 'json') console.log(JSON.stringify({ items }, null, 2));
  else if (items.length === 0) console.log('No resources found.');
  else console.log(renderTable([header, ...items.map(cells)]));
};

export const listResources = async (client: ApiClient): Promise<CloudResource[]> =>
  (await client.json<{ items: CloudResource[] }>('GET', `${accountPath}/resources`)).items;

export const cloudCommand = (client: () => ApiClient): Command => {
  const cloud = new Command('cloud').description('The simulated AWS account of a local control plane.').exitOverride();
  cloud
    .command('list')
    .description('Every live resource, in creation order.')
    .addOption(output())
    .action(async ({ output }: { output?: string }) =>
      print(await listResources(client()), output, ['TYPE', 'ID', 'STATE', 'ZONE', 'NAME'], (resource) => [
        resource.type,
        resource.id,
        resource.state,
        resource.zone,
        resource.tags.Name ?? '',
      ]),
    );
  cloud
    .command('calls')
    .description('How often each API action was called so far.')
    .addOption(output())
    .action(async ({ output }: { output?: string }) => {
      const { items } = await client().json<{ items: CloudCalls[] }>('GET', `${accountPath}/calls`);
      print(items, output, ['ACTION', 'MUTATING', 'CALLS', 'ERRORS'], (call) => [
        call.action,
        String(call.mutating),
        String(call.calls),
        String(call.errors),
      ]);
    });
  cloud
    .command('terminate')
    .argument('<instance>')
    .description('Kill an instance, as somebody outside would.')
    .action(async (instance: string) => {
      await client().json('POST', `${accountPath}/instances/${encodeURIComponent(instance)}/terminate`);
      console.log(`instance ${instance} is shutting down`);
    });
  return cloud;
};
