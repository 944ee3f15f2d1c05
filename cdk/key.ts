/**
 * The key of Secrets. They are lost without it, so it outlives the stack, except after a failed first
 * deployment.
 */
import { Duration, aws_kms as kms, RemovalPolicy } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

export const createKey = (scope: Construct, installation: string): kms.Key =>
  new kms.Key(scope, 'Key', {
    description: `Secrets of the Capstan installation ${installation}`,
    enableKeyRotation: true,
    pendingWindow: Duration.days(30),
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
