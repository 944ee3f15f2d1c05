/** Stands before the stack's removal: made after everything else, and so the first to be asked when it goes. */
import { CustomResource, type aws_lambda as lambda } from 'aws-cdk-lib';
import type { Construct, IDependable } from 'constructs';

export const createGuard = (
  scope: Construct,
  guard: lambda.Function,
  after: readonly IDependable[],
): CustomResource => {
  const resource = new CustomResource(scope, 'StandsGuard', {
    serviceToken: guard.functionArn,
    resourceType: 'Custom::CapstanGuard',
  });
  resource.node.addDependency(...after);
  return resource;
};
