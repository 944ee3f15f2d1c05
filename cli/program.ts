/** All that `capstan` can be told. */
import { Command } from 'commander';
import type { LocalOptions } from '../local/start.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import { cancelOperation } from './cancel.ts';
import { kubeconfigPath, openClient } from './client.ts';
import { cloudCommand } from './cloud.ts';
import { loadClusterObjects } from './describe/load.ts';
import { renderTree } from './describe/render.ts';
import { clusterTree } from './describe/tree.ts';
import { CliError } from './errors.ts';
import { orphansCommand, thawCommand } from './installation.ts';
import { loginCommand } from './login.ts';
import { anyNumber, portNumber, positiveNumber } from './options.ts';
import { retryCluster } from './retry.ts';
import { tokenCommand } from './token.ts';

export const createProgram = (): Command => {
  const program = new Command('capstan')
    .description('Cluster API without the management cluster.')
    .option(
      '--kubeconfig <file>',
      'the control plane to talk to (default: $KUBECONFIG, else .capstan/kubeconfig, else ~/.kube/config)',
    )
    .showSuggestionAfterError()
    .exitOverride();

  const client = () => openClient(kubeconfigPath(program.opts<{ kubeconfig?: string }>().kubeconfig));

  program
    .command('dev')
    .description('Run the control plane against a simulated AWS account, in this process, until Ctrl-C.')
    .option('--port <n>', 'port of 127.0.0.1 to serve on (default: the one used before, else a free one)', portNumber)
    .option('--data <dir>', 'where objects and the simulated account are kept', '.capstan')
    .option('--speed <x>', 'divides the delays of the simulated cloud and its clusters', positiveNumber, 1)
    .option('--seed <n>', 'seed of every random draw', anyNumber)
    .option('--require-cni', 'nodes become Ready only with a network add-on')
    .option('--api-only', 'serve the API with garbage collection and namespace deletion, and no other controller')
    .option('--no-workflows', 'no operations: every change is admitted at once, and nothing is undone')
    .action(async (options: LocalOptions) => (await import('./dev.ts')).dev(options));

  const describe = program.command('describe').description('Show an object and what belongs to it.');
  describe
    .command('cluster')
    .argument('<name>')
    .option('-n, --namespace <namespace>')
    .description('The ownership tree of a cluster, with conditions.')
    .action(async (name: string, { namespace }: { namespace?: string }) => {
      const api = client();
      const objects = await loadClusterObjects(api, namespace ?? api.namespace, name);
      console.log(renderTree(clusterTree(objects), Date.now()));
    });

  const get = program.command('get').description('Print something of a cluster.');
  get
    .command('kubeconfig')
    .argument('<name>')
    .option('-n, --namespace <namespace>')
    .description("The workload cluster's kubeconfig, on stdout.")
    .action(async (name: string, { namespace }: { namespace?: string }) => {
      const api = client();
      const path = `/api/v1/namespaces/${namespace ?? api.namespace}/secrets/${name}-kubeconfig`;
      const secret = await api.find<KubeObject & { data?: { value?: string } }>(path);
      if (!secret?.data?.value)
        throw new CliError(`cluster ${name} has no kubeconfig yet: Secret ${name}-kubeconfig is not there`);
      process.stdout.write(Buffer.from(secret.data.value, 'base64').toString('utf8'));
    });

  const retry = program.command('retry').description('Try again.');
  retry
    .command('cluster')
    .argument('<name>')
    .option('-n, --namespace <namespace>')
    .description('The next attempt to create a cluster.')
    .action(async (name: string, { namespace }: { namespace?: string }) => {
      const api = client();
      console.log(await retryCluster(api, namespace ?? api.namespace, name, Date.now()));
    });

  const cancel = program.command('cancel').description('End something.');
  cancel
    .command('operation')
    .argument('<name>')
    .option('-n, --namespace <namespace>')
    .description('Ends an operation; nothing is undone.')
    .action(async (name: string, { namespace }: { namespace?: string }) => {
      const api = client();
      console.log(await cancelOperation(api, namespace ?? api.namespace, name));
    });

  program.addCommand(cloudCommand(client));
  program.addCommand(orphansCommand(client));
  program.addCommand(thawCommand(client));
  program.addCommand(loginCommand(() => program.opts<{ kubeconfig?: string }>().kubeconfig));
  program.addCommand(tokenCommand());
  return program;
};
