/** Commands about the control plane as a whole. */
import { Command, Option } from 'commander';
import type { AuditOptions } from '../audit.ts';
import type { Connect } from '../client.ts';
import { minutes } from '../options.ts';
import type { ReplaceOptions } from '../token-keys.ts';

type Kubeconfig = () => string | undefined;
const json = () => new Option('-o, --output <format>').choices(['json']);

export const statusCommand = (connect: Connect): Command =>
  new Command('status')
    .description('Version, address, freeze, orphans, queues and open watches of the control plane.')
    .addOption(json())
    .exitOverride()
    .action(async ({ output }: { output?: string }) => {
      const { printStatus } = await import('../status.ts');
      await printStatus(await connect(), output);
    });

export const doctorCommand = (_: Connect, kubeconfig: Kubeconfig): Command =>
  new Command('doctor')
    .description(
      'Check what kubectl and this command line need: versions, kubeconfig, server, clock, credentials, permissions.',
    )
    .option(
      '-f, --filename <file>',
      'check only whether the kinds of these manifests are served: a file, a directory or -',
    )
    .exitOverride()
    .action(async ({ filename }: { filename?: string }) => {
      if (filename === undefined) return (await import('../doctor/index.ts')).doctor(kubeconfig());
      await (await import('../doctor/manifests.ts')).examineManifests(filename);
    });

export const logsCommand = (connect: Connect, kubeconfig: Kubeconfig): Command =>
  new Command('logs')
    .description('Logs of the control plane: its functions on AWS, or the process on a laptop.')
    .argument('[function]', 'such as api or reconcile-aws (default: all)')
    .option('--since <duration>', 'how far back, such as 90s, 10m or 2h; a number alone counts minutes', minutes, 10)
    .option('-f, --follow', 'go on until Ctrl-C')
    .exitOverride()
    .action(async (name: string | undefined, options: { since: number; follow?: boolean }) => {
      const { kubeconfigPath } = await import('../client.ts');
      const { printLogs } = await import('../logs.ts');
      await printLogs(await connect(), kubeconfigPath(kubeconfig()), name, options);
    });

export const auditCommand = (connect: Connect, kubeconfig: Kubeconfig): Command =>
  new Command('audit')
    .description('Who changed what: requests in the audit log, oldest first.')
    .option('--since <duration>', 'how far back, such as 90s, 10m or 2h; a number alone counts minutes', minutes, 60)
    .option('--user <text>', 'only of users whose name contains this, or that of their session')
    .option('--object <kind[/name]>', 'only about objects of a kind, or one of them, such as cluster/prod')
    .option('--verb <verbs>', 'such as delete or get,list; all for every verb (default: those that change something)')
    .option('-n, --namespace <name>', 'only in this namespace (default: in all)')
    .option('--bodies', 'also what was written, where the audit log has it')
    .addOption(json())
    .exitOverride()
    .action(async (options: AuditOptions) => {
      const { kubeconfigPath } = await import('../client.ts');
      const { printAudit } = await import('../audit.ts');
      await printAudit(await connect(), kubeconfigPath(kubeconfig()), options);
    });

export const orphansCommand = (connect: Connect): Command => {
  const orphans = new Command('orphans').description('Resources in the account whose objects are gone.').exitOverride();
  orphans
    .command('list')
    .description(
      'What the last sweep found, and what to do about it. Capstan deletes no orphan, and copies of disks at the time shown.',
    )
    .addOption(json())
    .action(async ({ output }: { output?: string }) => {
      const { readInstallation, renderOrphans } = await import('../installation.ts');
      console.log(renderOrphans(await readInstallation(await connect()), output, Date.now()));
    });
  return orphans;
};

export const tokenKeysCommand = (connect: Connect): Command => {
  const keys = new Command('token-keys').description('The keys that sign tokens of ServiceAccounts.').exitOverride();
  keys
    .command('replace')
    .description('Have a new key sign, such as when the present one may be known to others.')
    .option('--revoke', 'refuse what was signed before, too')
    .option('--yes', 'do not ask before tokens are refused')
    .action(async (options: ReplaceOptions) => {
      const { replaceTokenKeys } = await import('../token-keys.ts');
      console.log(await replaceTokenKeys(await connect(), options, Date.now()));
    });
  return keys;
};

export const thawCommand = (connect: Connect): Command =>
  new Command('thaw')
    .description('Resume an installation that froze itself because its objects do not match its AWS account.')
    .option('--yes', 'also when that continues the deletion of objects')
    .exitOverride()
    .action(async (options: { yes?: boolean }) => {
      const { thaw } = await import('../installation.ts');
      console.log(await thaw(await connect(), options));
    });
