/** Commands that deploy a control plane to AWS, and connect to one. */
import { Command } from 'commander';
import { contextOption, defaultInstallation } from '../aws/context.ts';
import type { DeploymentOptions } from '../aws/options.ts';
import type { Connect } from '../client.ts';
import type { DeployOptions } from '../deploy.ts';
import type { DestroyOptions } from '../destroy.ts';
import type { LoginOptions } from '../login.ts';

export const deployment = (name: string): Command =>
  new Command(name)
    .option('--profile <name>', "of the AWS CLI's configuration (default: $AWS_PROFILE)")
    .option('--region <name>', "to deploy to (default: $AWS_REGION, $AWS_DEFAULT_REGION, the profile's)")
    .option('--context <name=value>', 'of the deployment, again for each; see docs/deployment.md', contextOption)
    .showSuggestionAfterError()
    .exitOverride();

export const deployCommand = (): Command =>
  deployment('deploy')
    .description('Deploy the control plane, and a stack that monitors it, with the pinned CDK.')
    .option('--bootstrap', 'prepare the account and region for the CDK, when that was never done')
    .option('--without-monitoring', 'leave the monitoring stack as it is')
    .option('--without-me', 'accept administrators without the caller, as when a pipeline deploys')
    .option('--yes', 'do not ask, even when resources are replaced or deleted')
    .action(async (options: DeployOptions) => (await import('../deploy.ts')).deploy(options));

export const planCommand = (planUpgrade: Command, connect: Connect): Command =>
  deployment('plan')
    .description('Show what deploy, or a manifest, would create, update, replace and delete. Changes nothing.')
    .option('-f, --filename <file>', 'a manifest with Clusters of a class: show what their topologies would change')
    .option('--without-me', 'accept administrators without the caller, as when a pipeline deploys')
    .option('--detailed-exitcode', 'exit with 2 when there are changes, 0 when there are none, 1 on an error')
    .action(async (options: DeploymentOptions & { detailedExitcode?: boolean; filename?: string }) => {
      const { filename, ...others } = options;
      if (filename === undefined) return (await import('../plan.ts')).plan(others);
      const { changed, planTopologies } = await import('../plan-topology.ts');
      const isChanged = await planTopologies(await connect(), filename, console.log);
      if (options.detailedExitcode && isChanged) process.exitCode = changed;
    })
    .addCommand(planUpgrade);

export const destroyCommand = (): Command =>
  deployment('destroy')
    .description('Take the control plane down. Its objects are kept, and it is refused while clusters exist.')
    .option('--force', 'also while clusters exist: their resources stay in the account, unattended')
    .option('--delete-data', 'also delete the tables, and the key in 30 days unless snapshots or backups need it')
    .option('--delete-key', 'with --delete-data: the key in any case; snapshots and backups cannot be read then')
    .option('--yes', 'do not ask; needed where there is no terminal')
    .action(async (options: DestroyOptions) => (await import('../destroy.ts')).destroy(options));

export const loginCommand = (kubeconfig: () => string | undefined): Command =>
  new Command('login')
    .description('Write a kubeconfig entry for a deployed control plane; kubectl then asks as your AWS identity.')
    .option('--url <url>', "of the API (default: the stack's output Url)")
    .option('--region <name>', "that it is deployed to (default: $AWS_REGION, $AWS_DEFAULT_REGION, the profile's)")
    .option('--profile <name>', "of the AWS CLI's configuration, for the token, too (default: $AWS_PROFILE)")
    .option('--installation <name>', 'which of several', defaultInstallation)
    .option('--cluster-id <id>', "what tokens are for (default: the stack's output ClusterId)")
    .option('--certificate-authority <file>', 'the CA of the API, in PEM, as an emulator has one')
    .option('--force', 'write the entry although the API does not answer')
    .exitOverride()
    .action(async (options: LoginOptions) =>
      console.log(await (await import('../login.ts')).login(options, kubeconfig())),
    );
