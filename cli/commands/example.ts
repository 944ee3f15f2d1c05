/** The command that prints manifests to begin with. */
import { Argument, Command } from 'commander';
import { exampleNames, renderExample, renderExamples } from '../examples.ts';
import { outputOption } from '../output.ts';

export const exampleCommand = (): Command =>
  new Command('example')
    .description('Print a manifest to begin with, or without a name what there is.')
    .addArgument(new Argument('[name]', 'one of those that are listed').choices(exampleNames()))
    .addOption(outputOption())
    .addHelpText('after', '\n  capstan example quickstart | kubectl apply -f -')
    .exitOverride()
    .action(async (name: string | undefined, { output }: { output?: string }) =>
      console.log(name === undefined ? renderExamples(output) : await renderExample(name, output)),
    );
