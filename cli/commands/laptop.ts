/** Commands that run a control plane on this machine. */
import { Command, Option } from 'commander';
import type { LocalOptions } from '../../local/start.ts';
import { anyNumber, portNumber, positiveNumber } from '../options.ts';
import type { StartOptions } from '../start.ts';

const portOption = () =>
  new Option(
    '--port <n>',
    'port of 127.0.0.1 to serve on, 0 for a free one (default: the one used before, else a free one)',
  ).argParser(portNumber);
const dataOption = () =>
  new Option('--data <dir>', 'where objects and the simulated account are kept').default('.capstan');

export const startCommand = (): Command =>
  new Command('start')
    .description('Run the control plane and create examples/quickstart.yaml, until Ctrl-C.')
    .option('--once', 'create the cluster, delete it, show that the account is empty, and exit')
    .addOption(portOption())
    .addOption(dataOption())
    .exitOverride()
    .action(async (options: StartOptions) => (await import('../start.ts')).start(options));

export const devCommand = (): Command =>
  new Command('dev')
    .description('Run the control plane against a simulated AWS account, until Ctrl-C.')
    .addOption(portOption())
    .addOption(dataOption())
    .option('--speed <x>', 'divides the delays of the simulated cloud and its clusters', positiveNumber, 1)
    .option('--seed <n>', 'seed of every random draw', anyNumber)
    .option('--require-cni', 'nodes become Ready only with a network add-on')
    .option('--api-only', 'serve the API with garbage collection and namespace deletion, and no other controller')
    .option('--no-workflows', 'no operations: every change is admitted at once, and nothing is undone')
    .exitOverride()
    .action(async (options: LocalOptions) => (await import('../dev.ts')).dev(options));
