/** Reads the audit log of a deployment, whose log group its stack names. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { AuditEvent } from '../../machinery/server/index.ts';
import { eventsIn } from '../audit.ts';
import type { Deployment } from '../client.ts';
import { CliError } from '../errors.ts';
import { entriesOf, openLogs } from './function-logs.ts';
import { settings } from './session.ts';
import { findStack, outputsOf, stackOf } from './stack.ts';

export const auditEvents = async (deployment: Deployment, since: number): Promise<AuditEvent[]> => {
  const { installation, region } = deployment;
  const logs = openLogs(deployment);
  const name = stackOf(installation);
  const stack = await findStack(new CloudFormationClient({ ...settings, region }), name);
  const group = stack && outputsOf(stack).AuditLogGroup;
  if (group === undefined) throw new CliError(`the stack ${name} in ${region} names no audit log`);
  const entries = (await entriesOf(logs, deployment, group, since)) ?? [];
  return entries.flatMap(({ message = '' }) => eventsIn(message));
};
