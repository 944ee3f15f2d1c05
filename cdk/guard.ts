/** Stands before the stack's removal: made after everything else, and so the first to be asked when it goes. */
import { CustomResource, type aws_lambda as lambda } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Whatever is made in `scope` after this is not guarded. */
export const createGuard = (scope: Construct, guard: lambda.Function): void => {
  const guarded = [...scope.node.children];
  const resource = new CustomResource(scope, 'StandsGuard', {
    serviceToken: guard.functionArn,
    resourceType: 'Custom::CapstanGuard',
  });
  resource.node.addDependency(...guarded);
};
