/** `capstan plan`: what a deployment would change. Changes and publishes nothing. */
import { openProgress } from '../tools/progress.mjs';
import { synthesise } from './aws/cdk.ts';
import { findChanges, renderChanges } from './aws/changes.ts';
import type { DeploymentOptions } from './aws/options.ts';
import { prepare } from './aws/prepare.ts';
import { renderSettings } from './aws/setting-changes.ts';
import { monitoringStackOf, stackOf } from './aws/stack.ts';

/** The exit code of `--detailed-exitcode` for changes, as in Terraform. */
const changed = 2;

export const plan = async (options: DeploymentOptions & { detailedExitcode?: boolean }): Promise<void> => {
  const { session, client, installation, given, context, before = context } = await prepare(options);
  const names = [stackOf(installation), ...(session.isEmulated ? [] : [monitoringStackOf(installation)])];
  const progress = openProgress(process.stderr);
  progress.step('Synthesising the stacks');
  try {
    await synthesise(names, given, session);
    progress.done();
  } catch (error) {
    progress.failed();
    throw error;
  }
  const changes = await findChanges(client, names);
  console.log([...renderSettings(before, context), renderChanges(changes)].join('\n'));
  if (options.detailedExitcode && changes.length > 0) process.exitCode = changed;
};
