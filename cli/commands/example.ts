/** The command that prints manifests to begin with. */
import { Argument, Command } from 'commander';
import { exampleNames, renderExample, renderExamples } from '../examples.ts';
import { namespaceName } from '../options.ts';
import { outputOption } from '../output.ts';

export const exampleCommand = (): Command =>
  new Command('example')
    .description('Print a manifest to begin with, or without a name what there is.')
    .addArgument(new Argument('[name]', 'one of those that are listed').choices(exampleNames()))
    .option('-n, --namespace <namespace>', 'the namespace of its objects', namespaceName, 'default')
    .option('--kinds <kinds>', 'only objects of these kinds, separated by commas', (text) => text.split(','))
    .addOption(outputOption())
    .addHelpText('after', '\n  capstan example quickstart -n team-a | kubectl apply -f -')
    .exitOverride()
    .action(async (name: string | undefined, options: { output?: string; namespace: string; kinds?: string[] }) =>
      console.log(name === undefined ? renderExamples(options.output) : await renderExample(name, options)),
    );
