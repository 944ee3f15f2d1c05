/** The command about manifests. */
import { Command, Option } from 'commander';
import type { Connect } from '../client.ts';

const listed = (value: string, earlier: string[] = []): string[] => [...earlier, value];

export const convertCommand = (connect: Connect): Command =>
  new Command('convert')
    .description('Print manifests of older versions of Cluster API and its AWS provider in the versions of today.')
    .option('-f, --filename <file>', 'a file, a directory, or - for standard input; may be repeated', listed)
    .option('-k, --kustomize <directory>', 'a kustomization, which kubectl builds')
    .option('-R, --recursive', 'also the directories in a directory')
    .option('--diff', 'print the difference instead of the manifests')
    .option('--partial', 'print also what still needs a value by hand')
    .option('--check', 'ask the server of the kubeconfig whether it would take them; nothing is stored')
    .addOption(new Option('-o, --output <format>', 'json has the changes, too').choices(['yaml', 'json']))
    .addHelpText('after', '\nExit codes: 0, done; 1, a value must be written by hand; 3, something was lost.')
    .exitOverride()
    .action(async (options) => {
      const { convertFiles } = await import('../convert/index.ts');
      const streams = { input: process.stdin, output: process.stdout, errors: process.stderr };
      process.exitCode = await convertFiles(options, streams, connect);
    });
