/** Guards the stack's deletion: created and updated last, when all functions read the stored format, and deleted first. */
import { CustomResource, type aws_lambda as lambda } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { storedFormat } from '../machinery/store/format.ts';
import { guardType } from './names.ts';

/** Resources that are added to `scope` later are not guarded. */
export const createGuard = (scope: Construct, guard: lambda.Function): void => {
  const guarded = [...scope.node.children];
  const resource = new CustomResource(scope, 'StandsGuard', {
    serviceToken: guard.functionArn,
    resourceType: guardType,
    properties: { Format: String(storedFormat) },
  });
  resource.node.addDependency(...guarded);
};
