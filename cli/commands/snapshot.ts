/** `capstan snapshot`. */
import { Command } from 'commander';
import type { ApiClient, Connect } from '../client.ts';
import { positiveNumber } from '../options.ts';
import type { SnapshotOptions } from '../snapshot.ts';
import type { DownloadOptions } from '../snapshot-download.ts';
import type { RestoreOptions } from '../snapshot-restore.ts';

type Run = (client: ApiClient, name: string, options: SnapshotOptions) => Promise<string>;

const load = () => import('../snapshot.ts');

export const snapshotCommand = (connect: Connect): Command => {
  const command = (name: string, argument: string, description: string, run: Run): Command =>
    new Command(name)
      .argument(argument)
      .description(description)
      .option('-n, --namespace <namespace>', "the cluster's namespace (default: the context's)")
      .exitOverride()
      .action(async (given: string, options: SnapshotOptions) =>
        console.log(await run(await connect(), given, options)),
      );
  const timeout = ['--timeout <seconds>', 'how long to wait (default: 600)', positiveNumber] as const;
  const create = command('create', '<cluster>', 'Take a snapshot of the etcd of a cluster.', async (...call) =>
    (await load()).createSnapshot(...call),
  )
    .option('--no-wait', 'only ask for it')
    .option(...timeout);
  const list = command(
    'list',
    '[cluster]',
    'The snapshots of a cluster, or of all in the namespace.',
    async (...call) => (await load()).listSnapshots(...call),
  );
  const verify = command('verify', '<name>', 'Have the stored file read and checked.', async (...call) =>
    (await load()).verifySnapshot(...call, Date.now()),
  ).option(...timeout);
  const download = command(
    'download',
    '<name>',
    'Write the file, with the Secrets of the cluster in clear, for etcdutl.',
    async (client, name, options) =>
      (await import('../snapshot-download.ts')).downloadSnapshot(client, name, options as DownloadOptions, Date.now()),
  )
    .requiredOption('--to <file>', 'the file to write, which must not exist')
    .option(...timeout);
  const restore = command(
    'restore',
    '<cluster>',
    'Return a cluster to the state of a snapshot, with new control-plane machines.',
    async (client, name, options) =>
      (await import('../snapshot-restore.ts')).restoreSnapshot(client, name, options as RestoreOptions),
  )
    .requiredOption('--snapshot <name>', 'the EtcdSnapshot to restore')
    .option('--yes', 'do not ask; needed where there is no terminal');
  const all = new Command('snapshot').description('Snapshots of the etcd of clusters.').exitOverride();
  for (const one of [create, list, verify, restore, download]) all.addCommand(one);
  return all;
};
