/** `capstan deploy`: deploys the control plane to AWS, and prints the next command. */
import { UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation';
import { openProgress } from '../tools/progress.mjs';
import { ensureBootstrapped } from './aws/bootstrap.ts';
import { type CdkRun, cdkFailure, output, runCdk, synthesise } from './aws/cdk.ts';
import { type Change, findChanges, renderChanges, replaced, summaryOf } from './aws/changes.ts';
import { describeConcurrency } from './aws/concurrency.ts';
import { renderFailure } from './aws/failure.ts';
import { following } from './aws/follow.ts';
import { findLeftTables, renderLeftTables } from './aws/kept.ts';
import { renderNextSteps } from './aws/next-steps.ts';
import type { DeploymentOptions } from './aws/options.ts';
import { type Prepared, prepare } from './aws/prepare.ts';
import { renderSettings } from './aws/setting-changes.ts';
import {
  failuresOf,
  findStack,
  lastEvents,
  monitoringStackOf,
  outputsOf,
  stackOf,
  standingInTheWay,
} from './aws/stack.ts';
import { confirm } from './confirm.ts';
import { CliError } from './errors.ts';
import { type Advise, interruptible } from './interruptible.ts';
import { typed as command } from './output.ts';

export interface DeployOptions extends DeploymentOptions {
  bootstrap?: boolean;
  withoutMonitoring?: boolean;
  yes?: boolean;
}

/** The status of each stack that is in a bad state. */
const failure = async (
  { client, session: { region }, isDeployed, installation }: Prepared,
  names: readonly string[],
  run: CdkRun,
): Promise<CliError> => {
  const says: string[] = [];
  for (const name of names) {
    const stack = await findStack(client, name);
    if (!stack) continue;
    says.push(...failuresOf(await lastEvents(client, stack.StackId ?? name)).map(renderFailure));
    const standing = standingInTheWay(name, stack.StackStatus ?? '', region);
    if (standing) says.push(`  ${standing}`);
  }
  if (!isDeployed && says.length > 0)
    says.push(...renderLeftTables(await findLeftTables(client, stackOf(installation)), region));
  const what =
    'the deployment failed; what ran before goes on, and no object is lost. Deploy again when this is mended:';
  return says.length > 0 ? new CliError([what, ...says].join('\n')) : cdkFailure('the deployment failed', run);
};

/** Prevents deletion in the console. Not every implementation of the API supports it. */
const protect = async ({ client, session: { isEmulated } }: Prepared, StackName: string): Promise<void> => {
  if (isEmulated) return;
  try {
    await client.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: true }));
  } catch (error) {
    console.log(`Note: ${StackName} could not be protected from being deleted: ${(error as Error).message}`);
  }
};

const loggingQuestion = ({ session: { region, account } }: Prepared): string =>
  `API Gateway has no role to write logs with in ${region} of account ${account}. The deployment makes one and sets it for all APIs of this account and region; it stays after the installation.`;

/** Asks for consent before a replacement, and before a change of the account. */
const agree = async (prepared: Prepared, changes: readonly Change[], isAgreed: boolean): Promise<void> => {
  if (prepared.makesLoggingRole && !isAgreed) await confirm(loggingQuestion(prepared), 'yes');
  if (!prepared.isDeployed) return;
  const { context, before = context } = prepared;
  for (const line of renderSettings(before, context)) console.log(line);
  const lost = replaced(changes);
  if (lost.length === 0) {
    console.log(summaryOf(changes));
    return;
  }
  console.log(renderChanges(changes));
  if (!isAgreed) await confirm(`\nResources that would be replaced (! above): ${lost.length}`, 'yes');
};

const nothingChanged = 'Nothing was changed.';

/** What to do when the command ends while CloudFormation works. */
const goesOn = (names: readonly string[], region: string): string =>
  [
    `CloudFormation goes on with what it has begun, or has not begun yet. See it:`,
    ...names.map((name) => `  aws cloudformation describe-stacks --stack-name ${name} --region ${region}`),
    `When it has ended, this completes the deployment or says what failed:  ${command('deploy')}  with the same options`,
  ].join('\n');

export const deploy = (typed: DeployOptions): Promise<void> =>
  interruptible(nothingChanged, (advise) => deployAll(typed, advise));

const deployAll = async (typed: DeployOptions, advise: Advise): Promise<void> => {
  const { bootstrap = false, withoutMonitoring = false, yes = false, ...options } = typed;
  const progress = openProgress(process.stdout);
  try {
    progress.step('Checking the settings, the account and what is deployed');
    const prepared = await prepare(options);
    const { session, client, installation, context, given } = prepared;
    progress.line(describeConcurrency(session, context));
    await ensureBootstrapped(session, bootstrap, progress, advise);
    const stack = stackOf(installation);
    const isMonitored = !withoutMonitoring && !session.isEmulated;
    if (session.isEmulated)
      progress.line('AWS_ENDPOINT_URL is set: the monitoring stack is left out, because emulators lack its services.');
    const names = [stack, ...(isMonitored ? [monitoringStackOf(installation)] : [])];
    progress.step('Synthesising the stacks');
    await synthesise(names, given, session);
    progress.done();
    const changes = await findChanges(client, names);
    await agree(prepared, changes, yes);
    progress.step(`Deploying to ${session.region} of account ${session.account}`);
    advise(goesOn(names, session.region));
    const args = [
      'deploy',
      ...names,
      '--app',
      output,
      '--exclusively',
      '--require-approval',
      'never',
      '--progress',
      'events',
    ];
    const totals = names.map((name) => ({ name, total: changes.filter((change) => change.stack === name).length }));
    const run = await following(client, totals, progress, runCdk('deploy', args, session));
    if (run.code !== 0) throw await failure(prepared, names, run);
    advise(
      `The stacks are deployed. This protects them and prints the next steps:  ${command('deploy')}  with the same options`,
    );
    await protect(prepared, stack);
    const deployed = await findStack(client, stack);
    if (!deployed)
      throw new CliError(`the stack ${stack} does not exist after its deployment: another process may have deleted it`);
    progress.done();
    console.log(renderNextSteps({ ...prepared, isMonitored, outputs: outputsOf(deployed) }));
  } catch (error) {
    progress.failed();
    throw error;
  }
};
