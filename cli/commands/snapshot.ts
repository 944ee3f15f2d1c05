/** `capstan snapshot`. */
import { Argument, Command, Option } from 'commander';
import type { ApiClient, Connect } from '../client.ts';
import { clusterName, seconds, snapshotName } from '../options.ts';
import type { SnapshotOptions } from '../snapshot.ts';
import type { RecoverOptions } from '../snapshot-deleted.ts';
import type { DownloadOptions } from '../snapshot-download.ts';
import type { RestoreOptions } from '../snapshot-restore.ts';
import type { IntoOptions } from '../snapshot-restore-into.ts';

type Run = (client: ApiClient, name: string, options: SnapshotOptions) => Promise<string>;

const load = () => import('../snapshot.ts');

export const snapshotCommand = (connect: Connect): Command => {
  const command = (name: string, argument: Argument, description: string, run: Run): Command =>
    new Command(name)
      .addArgument(argument)
      .description(description)
      .option('-n, --namespace <namespace>', "the cluster's namespace (default: the context's)")
      .exitOverride()
      .action(async (given: string, options: SnapshotOptions) =>
        console.log(await run(await connect(), given, { ...options, report: console.error })),
      );
  const timeout = ['--timeout <duration>', 'how long to wait, such as 600 or 10m (default: 600)', seconds] as const;
  const named = () => new Argument('<name>', "the EtcdSnapshot's name").argParser(snapshotName);
  const ofCluster = (argument: string) => new Argument(argument, "the Cluster's name").argParser(clusterName);
  const create = command(
    'create',
    ofCluster('<cluster>'),
    'Take a snapshot of the etcd of a cluster.',
    async (...call) => (await load()).createSnapshot(...call),
  )
    .option('--no-wait', 'only ask for it')
    .option(...timeout);
  const list = command(
    'list',
    ofCluster('[cluster]'),
    'The snapshots of a cluster, or of all in the namespace.',
    async (client, name, options) =>
      (options as { deleted?: true }).deleted
        ? (await import('../snapshot-deleted.ts')).listDeletedSnapshots(client, name, options)
        : (await load()).listSnapshots(client, name, options),
  ).option('--deleted', 'those that were deleted, also with their clusters, and can still be recovered');
  const recover = command('recover', named(), 'Bring a deleted snapshot back.', async (client, name, options) =>
    (await import('../snapshot-deleted.ts')).recoverSnapshot(client, name, options as RecoverOptions),
  )
    .option('--location <key>', 'which one, if several deleted snapshots had the name')
    .option('--as <name>', 'another name for it', snapshotName)
    .option(...timeout);
  const verify = command('verify', named(), 'Have the stored file read and checked.', async (...call) =>
    (await load()).verifySnapshot(...call, Date.now()),
  ).option(...timeout);
  const download = command(
    'download',
    named(),
    'Write the file, with the Secrets of the cluster in clear, for etcdutl.',
    async (client, name, options) =>
      (await import('../snapshot-download.ts')).downloadSnapshot(client, name, options as DownloadOptions, Date.now()),
  )
    .option('--to <file>', 'the file to write, which must not exist (default: NAME.db)')
    .option(...timeout);
  const restore = command(
    'restore',
    named(),
    'Return the cluster of a snapshot to its state, with new control-plane machines, or create another one with it.',
    async (client, name, options) => {
      const { into } = options as IntoOptions;
      return into === undefined
        ? (await import('../snapshot-restore.ts')).restoreSnapshot(client, name, options as RestoreOptions)
        : (await import('../snapshot-restore-into.ts')).restoreInto(client, name, options as IntoOptions);
    },
  )
    .option('--into <cluster>', 'create this Cluster of FILE, which begins with the state of the snapshot')
    .option('-f, --filename <file>', 'the manifest of the new cluster, for --into')
    .option('--override <codes>', 'findings in spite of which it goes on, such as DisksNotKept')
    .option('--without <paths>', 'what to leave out besides, such as deployments/kube-system/external-dns')
    .addOption(new Option('--snapshot <name>', 'the EtcdSnapshot, where NAME is that of its cluster').hideHelp())
    .option(...timeout)
    .option('--yes', 'do not ask; needed where there is no terminal');
  const all = new Command('snapshot').description('Snapshots of the etcd of clusters.').exitOverride();
  for (const one of [create, list, verify, restore, recover, download]) all.addCommand(one);
  return all;
};
