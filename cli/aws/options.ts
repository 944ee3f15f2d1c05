/** The options that commands on a deployment share. */
import { Command } from 'commander';
import { contextOption } from './context.ts';
import type { SessionOptions } from './session.ts';
import type { Context } from './stack.ts';

export interface DeploymentOptions extends SessionOptions {
  context?: Context;
}

export const deploymentCommand = (name: string): Command =>
  new Command(name)
    .option('--profile <name>', "of the AWS CLI's configuration (default: $AWS_PROFILE)")
    .option('--region <name>', "to deploy to (default: $AWS_REGION, $AWS_DEFAULT_REGION, the profile's)")
    .option('--context <name=value>', 'of the deployment, again for each; see docs/deployment.md', contextOption)
    .showSuggestionAfterError()
    .exitOverride();
