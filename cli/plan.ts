/** `npm run plan`: what a deployment would change, and nothing is changed. */
import { contextWords, output, runCdk } from './aws/cdk.ts';
import { type DeploymentOptions, deploymentCommand } from './aws/options.ts';
import { prepare } from './aws/prepare.ts';
import { monitoringStackOf, stackOf } from './aws/stack.ts';
import { CliError } from './errors.ts';
import { run } from './run.ts';

const plan = async (options: DeploymentOptions): Promise<void> => {
  const { session, installation, context } = await prepare(options);
  const names = [stackOf(installation), ...(session.isEmulated ? [] : [monitoringStackOf(installation)])];
  const words = ['diff', ...names, '--exclusively', '--output', output, ...contextWords(context)];
  if ((await runCdk(words, session)) !== 0) throw new CliError('the plan could not be made: see above');
};

await run(
  deploymentCommand('plan').description('Show what npm run deploy would change, and change nothing.').action(plan),
);
