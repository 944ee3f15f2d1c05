/** Where the audit log stands. It outlives the stack: who did what is asked later. */
import { aws_logs as logs, RemovalPolicy } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

export const createAuditLog = (scope: Construct, { auditRetentionDays }: Settings): logs.LogGroup =>
  new logs.LogGroup(scope, 'AuditLog', { retention: auditRetentionDays, removalPolicy: RemovalPolicy.RETAIN });
