/**
 * The log group of the audit log. It outlives the stack, because audits come later, except after a failed first
 * deployment.
 */
import { aws_logs as logs, RemovalPolicy } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

export const createAuditLog = (scope: Construct, { auditRetentionDays }: Settings): logs.LogGroup =>
  new logs.LogGroup(scope, 'AuditLog', {
    retention: auditRetentionDays,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
