/** Guards the stack's deletion: created last, and so deleted first. */
import { CustomResource, type aws_lambda as lambda } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Resources that are added to `scope` later are not guarded. */
export const createGuard = (scope: Construct, guard: lambda.Function): void => {
  const guarded = [...scope.node.children];
  const resource = new CustomResource(scope, 'StandsGuard', {
    serviceToken: guard.functionArn,
    resourceType: 'Custom::CapstanGuard',
  });
  resource.node.addDependency(...guarded);
};
