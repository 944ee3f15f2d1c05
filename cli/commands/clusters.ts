/** Commands about one cluster. */
import { Command, Option } from 'commander';
import type { Connect } from '../client.ts';
import { clusterName, operationName, seconds } from '../options.ts';

const namespaced = (command: Command): Command =>
  command.option('-n, --namespace <namespace>', "the object's namespace (default: the context's)").exitOverride();

interface Namespaced {
  namespace?: string;
}

const group = (name: string, description: string, commands: Command[]): Command => {
  const all = new Command(name).description(description).exitOverride();
  for (const command of commands) all.addCommand(command);
  return all;
};

export const describeCommand = (connect: Connect): Command => {
  const cluster = namespaced(new Command('cluster').alias('clusters'))
    .argument('<name>', "the Cluster's name", clusterName)
    .description('The ownership tree of a cluster, with conditions and the steps of its operation.')
    .addOption(new Option('-o, --output <format>', 'the tree as data').choices(['json', 'yaml']))
    .option('-w, --watch', 'show it again whenever it changes, until Ctrl-C')
    .action(async (name: string, options: Namespaced & { output?: 'json' | 'yaml'; watch?: boolean }) => {
      const { describeCluster } = await import('../describe/index.ts');
      await describeCluster(await connect(), name, options);
    });
  return group('describe', 'Show an object and what belongs to it.', [cluster]);
};

export const whyCommand = (connect: Connect): Command =>
  namespaced(new Command('why'))
    .argument(
      '[kind]',
      'such as machine, machinedeployment, clusteroperation or pod, or KIND/NAME, or the name of a Cluster',
    )
    .argument('[name]')
    .description(
      'What is wrong, since when, what Capstan does next and what you can do; without a name, of all clusters.',
    )
    .option('-A, --all-namespaces', 'of the clusters in all namespaces')
    .option('--cluster <name>', 'for a pod: the cluster that it is in', clusterName)
    .addOption(new Option('-o, --output <format>', 'the causes as data').choices(['json']))
    .action(
      async (
        kind: string | undefined,
        name: string | undefined,
        options: Namespaced & { allNamespaces?: boolean; cluster?: string; output?: 'json' },
      ) => {
        const { why } = await import('../why/index.ts');
        const args = [kind, name].filter((arg) => arg !== undefined);
        await why(await connect(), args, options);
      },
    );

export const getCommand = (connect: Connect, kubeconfig: () => string | undefined): Command => {
  const workload = namespaced(new Command('kubeconfig'))
    .argument('<name>', "the Cluster's name", clusterName)
    .description("The workload cluster's kubeconfig, on stdout.")
    .action(async (name: string, { namespace }: Namespaced) => {
      const { readWorkloadKubeconfig } = await import('../get.ts');
      process.stdout.write(await readWorkloadKubeconfig(await connect(), name, namespace));
    });
  const clusters = new Command('clusters')
    .alias('cluster')
    .description('Clusters of every installation that the kubeconfig has a context for.')
    .addOption(new Option('-o, --output <format>').choices(['json']))
    .exitOverride()
    .action(async ({ output }: { output?: string }) => {
      const { getClusters } = await import('../get.ts');
      await getClusters(kubeconfig(), output);
    });
  return group('get', 'Print something of a cluster, or all clusters.', [clusters, workload]);
};

export const rolloutCommand = (connect: Connect): Command => {
  const status = namespaced(new Command('status'))
    .argument('<kind/name>', 'such as machinedeployment/workers, or the two words machinedeployment workers')
    .argument('[name]')
    .description('Wait until a rollout is complete.')
    .option('--no-watch', 'print how far it is, and do not wait')
    .option('--timeout <duration>', 'how long to wait, such as 300 or 5m (default: until it is complete)', seconds)
    .action(
      async (kind: string, name: string | undefined, options: Namespaced & { watch: boolean; timeout?: number }) => {
        const { rolloutStatus } = await import('../rollout.ts');
        await rolloutStatus(await connect(), name === undefined ? kind : `${kind}/${name}`, options);
      },
    );
  return group('rollout', 'The rollout of a MachineDeployment or KubeadmControlPlane.', [status]);
};

export const planUpgradeCommand = (connect: Connect): Command =>
  namespaced(new Command('upgrade'))
    .argument('<name>', "the Cluster's name", clusterName)
    .description('What an upgrade of a cluster would find and do. Exits with 3 on warnings, 4 on problems.')
    .requiredOption('--to <version>', 'the Kubernetes version, such as v1.36.2')
    .addOption(new Option('-o, --output <format>', 'the plan as data').choices(['json']))
    .option('--timeout <duration>', 'how long to wait for the look into the cluster (default: 60)', seconds)
    .action(async (name: string, options: Namespaced & { to: string; output?: 'json'; timeout?: number }) => {
      const { planClusterUpgrade } = await import('../plan-upgrade/index.ts');
      process.exitCode = await planClusterUpgrade(await connect(), name, options);
    });

export const retryCommand = (connect: Connect): Command => {
  const cluster = namespaced(new Command('cluster').alias('clusters'))
    .argument('<name>', "the Cluster's name", clusterName)
    .description('The next attempt to create or upgrade a cluster.')
    .option('--override <codes>', 'findings in spite of which this attempt goes on, such as FlagRefused,QuotaExceeded')
    .action(async (name: string, { namespace, override }: Namespaced & { override?: string }) => {
      const api = await connect();
      const { retryCluster } = await import('../retry.ts');
      const codes = override?.split(',').filter(Boolean);
      console.log(await retryCluster(api, namespace ?? api.namespace, name, Date.now(), codes));
    });
  return group('retry', 'Try again.', [cluster]);
};

export const cancelCommand = (connect: Connect): Command => {
  const operation = namespaced(new Command('operation').aliases(['clusteroperation', 'clop']))
    .argument('<name>', "the ClusterOperation's name", operationName)
    .description('End an operation. An upgrade is undone as far as possible; what a create made stays.')
    .option('--yes', 'do not ask where something new stays; needed where there is no terminal')
    .action(async (name: string, { namespace, yes = false }: Namespaced & { yes?: boolean }) => {
      const api = await connect();
      const { cancelOperation } = await import('../cancel.ts');
      console.log(await cancelOperation(api, namespace ?? api.namespace, name, { yes }));
    });
  return group('cancel', 'End something.', [operation]);
};

export const continueCommand = (connect: Connect): Command => {
  const operation = namespaced(new Command('operation').aliases(['clusteroperation', 'clop']))
    .argument('<name>', "the ClusterOperation's name", operationName)
    .description('Let an upgrade go on that pauses before a step.')
    .action(async (name: string, { namespace }: Namespaced) => {
      const api = await connect();
      const { continueOperation } = await import('../continue.ts');
      console.log(await continueOperation(api, namespace ?? api.namespace, name));
    });
  return group('continue', 'Go on after a pause.', [operation]);
};
