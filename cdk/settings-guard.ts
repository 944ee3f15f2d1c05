/**
 * Guards the settings: the guard function refuses a deployment that names no administrators, that would change
 * settings of the deployed installation that it does not name, or that is too old for what is stored, with
 * whatever tool it is deployed.
 */
import { CustomResource, type aws_lambda as lambda } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { storedFormat } from '../machinery/store/format.ts';
import type { DeployedContext } from './context.ts';

/** The settings of a deployment, and whether it was made knowing those of the installation. */
export interface RecordedContext extends DeployedContext {
  isKnown: boolean;
  /** Whether an older version wrote Secrets, which may not be encrypted for a purpose yet. */
  hasFormerSecrets: boolean;
}

/** Nothing in `dependents` is created or updated before the settings are approved. */
export const createSettingsGuard = (
  scope: Construct,
  guard: lambda.Function,
  { context, named, isKnown }: RecordedContext,
  dependents: readonly Construct[],
): void => {
  const resource = new CustomResource(scope, 'GuardsSettings', {
    serviceToken: guard.functionArn,
    resourceType: 'Custom::CapstanSettings',
    // CloudFormation makes text of other values.
    properties: { Settings: context, Named: named, IsKnown: String(isKnown), Format: String(storedFormat) },
  });
  for (const dependent of dependents) dependent.node.addDependency(resource);
};
