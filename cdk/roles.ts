/** One role per function, with its log, its traces if they are on, and what its calls need. */
import { aws_iam as iam, type aws_logs as logs } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

export const createFunctionRole = (
  scope: Construct,
  id: string,
  { log, tracing }: { log: logs.LogGroup; tracing: boolean },
): iam.Role => {
  const role = new iam.Role(scope, id, { assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com') });
  role.addToPolicy(
    new iam.PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [log.logGroupArn],
    }),
  );
  if (tracing)
    // X-Ray supports no resource-level permissions.
    role.addToPolicy(
      new iam.PolicyStatement({ actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: ['*'] }),
    );
  return role;
};
