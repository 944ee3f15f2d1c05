/** Deletes a stack and reports its progress. Uses the name, because not every emulator accepts ids. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  DeleteStackCommand,
  DescribeStackResourcesCommand,
  type Stack,
  type StackEvent,
  UpdateTerminationProtectionCommand,
} from '@aws-sdk/client-cloudformation';
import { CliError } from '../errors.ts';
import type { Print } from '../output.ts';
import { asking } from './explain.ts';
import { renderFailure } from './failure.ts';
import { type CloudFormation, failuresOf, findStack, lastEvents } from './stack.ts';

/** Milliseconds between two reads, and the timeout: network interfaces of functions are deleted slowly. */
const pause = 2_000;
const timeout = 60 * 60_000;

/** Resources whose deletion calls the guard function, which may be broken. */
export const guardTypes: readonly string[] = ['Custom::CapstanGuard', 'Custom::CapstanSettings'];

export interface RemoveOptions {
  client: CloudFormation;
  stack: Stack;
  /** Retains a guard whose deletion failed, because it refused or could not be called. */
  withoutGuard?: boolean;
  print: Print;
  /** Milliseconds between two reads. */
  every?: number;
}

const unprotect = async (client: CloudFormation, { StackName, EnableTerminationProtection }: Stack): Promise<void> => {
  if (!EnableTerminationProtection) return;
  const request = new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false });
  await asking(client.send(request), {
    action: 'cloudformation:UpdateTerminationProtection',
    what: `the stack ${StackName}`,
  });
};

/** Guards whose deletion failed; CloudFormation can retain only failed resources. */
const failedGuards = async (client: CloudFormation, StackName: string): Promise<string[]> => {
  const { StackResources = [] } = await asking(client.send(new DescribeStackResourcesCommand({ StackName })), {
    action: 'cloudformation:DescribeStackResources',
    what: `the stack ${StackName}`,
  });
  return StackResources.filter(
    ({ ResourceType = '', ResourceStatus }) => guardTypes.includes(ResourceType) && ResourceStatus === 'DELETE_FAILED',
  ).map(({ LogicalResourceId = '' }) => LogicalResourceId);
};

const lineOf = ({ ResourceStatus, ResourceType, LogicalResourceId, PhysicalResourceId, StackId }: StackEvent) =>
  ResourceStatus === 'DELETE_COMPLETE' && PhysicalResourceId !== StackId
    ? `  deleted ${ResourceType} ${LogicalResourceId}`
    : undefined;

/** Throws CliError with the resources that could not be deleted. */
export const removeStack = async (options: RemoveOptions): Promise<void> => {
  const { client, stack, withoutGuard = false, print, every = pause } = options;
  const { StackName = '', StackId = StackName } = stack;
  await unprotect(client, stack);
  const left = withoutGuard && stack.StackStatus === 'DELETE_FAILED' ? await failedGuards(client, StackName) : [];
  const request = new DeleteStackCommand({ StackName, ...(left.length > 0 && { RetainResources: left }) });
  await asking(client.send(request), { action: 'cloudformation:DeleteStack', what: `the stack ${StackName}` });
  print(`Deleting the stack ${StackName}`);
  const seen = new Set<string | undefined>();
  for (let waited = 0; waited < timeout; waited += every) {
    await wait(every);
    const now = await findStack(client, StackId);
    const events = now ? await lastEvents(client, StackId) : [];
    for (const event of events.toReversed()) {
      if (seen.has(event.EventId)) continue;
      seen.add(event.EventId);
      const line = lineOf(event);
      if (line) print(line);
    }
    const status = now?.StackStatus ?? 'DELETE_COMPLETE';
    if (status === 'DELETE_COMPLETE') return;
    if (status === 'DELETE_FAILED') {
      const what = `the stack ${StackName} could not be deleted; everything that is not named as deleted above is as it was:`;
      throw new CliError([what, ...failuresOf(events).map(renderFailure)].join('\n'));
    }
  }
  throw new CliError(`the stack ${StackName} is still being deleted: CloudFormation goes on; look again later`);
};
