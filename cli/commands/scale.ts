/** Commands about the autoscaling of a cluster. */
import { Argument, Command, Option } from 'commander';
import type { Connect } from '../client.ts';
import { CliError } from '../errors.ts';
import { clusterName } from '../options.ts';
import type { ScaleOptions, SimulateOptions } from '../scale/index.ts';
import type { ReplayOptions } from '../scale/replay.ts';

const ofCluster = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .requiredOption('--cluster <name>', 'the cluster whose pools are scaled', clusterName)
    .option('-n, --namespace <namespace>', "the cluster's namespace (default: the context's)")
    .addOption(new Option('-o, --output <format>', 'the decision as data').choices(['json']))
    .exitOverride();

export const scaleCommand = (connect: Connect): Command => {
  const explain = ofCluster('explain', 'Why a pod gets a node or none, or why a pool has its size.')
    .argument('<pod|pool>', 'namespace/pod of the workload cluster, or the name of a MachineDeployment')
    .action(async (name: string, options: ScaleOptions) =>
      (await import('../scale/index.ts')).explain(await connect(), name, options),
    );
  const simulate = ofCluster('simulate', 'What would be decided for pods that do not exist yet. Changes nothing.')
    .requiredOption('-f, --filename <file>', 'pods, or what creates them, as YAML; - for stdin')
    .action(async (options: SimulateOptions) => (await import('../scale/index.ts')).simulate(await connect(), options));
  const replay = new Command('replay')
    .description('Decides again from the stored inputs of a decision, with the code of this version. Changes nothing.')
    .addArgument(new Argument('[cluster]', 'the same as --cluster').argParser(clusterName))
    .option('--cluster <name>', 'the cluster whose pools were scaled', clusterName)
    .option('--decision <time|hash>', 'which one, by its time or the hash of its inputs (default: the last)')
    .option('-n, --namespace <namespace>', "the cluster's namespace (default: the context's)")
    .addOption(new Option('-o, --output <format>', 'both decisions and the inputs as data').choices(['json']))
    .exitOverride()
    .action(async (given: string | undefined, { cluster = given, ...options }: Partial<ReplayOptions>) => {
      if (cluster === undefined) throw new CliError("required option '--cluster <name>' not specified", 2);
      await (await import('../scale/replay.ts')).replay(await connect(), { ...options, cluster });
    });
  const all = new Command('scale').description('Decisions of the autoscaler.').exitOverride();
  for (const command of [explain, simulate, replay]) all.addCommand(command);
  return all;
};
