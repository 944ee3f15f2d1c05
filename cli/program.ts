/** All commands. Each action imports its modules on demand, because shells ask for completions at each Tab. */
import { Command } from 'commander';
import type { Connect } from './client.ts';
import { cloudCommand } from './cloud.ts';
import { deployCommand, destroyCommand, loginCommand, planCommand } from './commands/aws.ts';
import {
  cancelCommand,
  continueCommand,
  describeCommand,
  getCommand,
  planUpgradeCommand,
  retryCommand,
  rolloutCommand,
  whyCommand,
} from './commands/clusters.ts';
import { convertCommand } from './commands/convert.ts';
import { deadLettersCommand } from './commands/dead-letters.ts';
import { exampleCommand } from './commands/example.ts';
import {
  auditCommand,
  doctorCommand,
  logsCommand,
  orphansCommand,
  statusCommand,
  thawCommand,
  tokenKeysCommand,
} from './commands/installation.ts';
import { devCommand, startCommand } from './commands/laptop.ts';
import { restoreCommand } from './commands/restore.ts';
import { scaleCommand } from './commands/scale.ts';
import { snapshotCommand } from './commands/snapshot.ts';
import { tokenCommand } from './commands/token.ts';
import { addCompletion } from './completion.ts';
import { versionOf } from './version.ts';

export interface ProgramOptions {
  /** Milliseconds until a server that says nothing is given up. */
  timeout?: number;
}

export const createProgram = (options: ProgramOptions = {}): Command => {
  const program = new Command('capstan')
    .description('Cluster API without the management cluster.')
    .version(versionOf(), '-V, --version', 'print the version')
    .option(
      '--kubeconfig <file>',
      'the control plane to talk to (default: $KUBECONFIG, else .capstan/kubeconfig, else ~/.kube/config)',
    )
    .showSuggestionAfterError()
    .exitOverride();
  const kubeconfig = () => program.opts<{ kubeconfig?: string }>().kubeconfig;
  const connect: Connect = async () => {
    const { kubeconfigPath, openClient } = await import('./client.ts');
    return openClient(kubeconfigPath(kubeconfig()), options);
  };
  const groups: [heading: string, commands: Command[]][] = [
    [
      'Clusters:',
      [
        describeCommand,
        whyCommand,
        getCommand,
        rolloutCommand,
        retryCommand,
        cancelCommand,
        continueCommand,
        snapshotCommand,
        scaleCommand,
      ].map((of) => of(connect, kubeconfig)),
    ],
    ['Manifests:', [exampleCommand(), convertCommand(connect)]],
    [
      'The control plane:',
      [statusCommand, doctorCommand, logsCommand, auditCommand, orphansCommand, thawCommand, tokenKeysCommand].map(
        (of) => of(connect, kubeconfig),
      ),
    ],
    ['On a laptop:', [startCommand(), devCommand(), cloudCommand(connect)]],
    [
      'On AWS:',
      [
        deployCommand(),
        planCommand(planUpgradeCommand(connect), connect),
        destroyCommand(),
        restoreCommand(),
        deadLettersCommand(),
        loginCommand(kubeconfig),
        tokenCommand(),
      ],
    ],
  ];
  for (const [heading, commands] of groups) {
    program.commandsGroup(heading);
    for (const command of commands) program.addCommand(command);
  }
  program.commandsGroup('This command line:');
  addCompletion(program);
  return program;
};
