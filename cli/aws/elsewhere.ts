/** Whether another region of the account has an installation of the same name: what carries its tag may be in any region. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { partitions } from '../../adapters/aws/identity/hosts.ts';
import { CliError } from '../errors.ts';
import { settings } from './session.ts';
import { findStack, stackOf } from './stack.ts';

/** Of a stack that was planned, or whose creation was undone: there is nothing of it. */
const empty = new Set(['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE']);

const regionsBeside = (region: string): string[] => {
  const { regions = [] } = Object.values(partitions).find((one) => one.regions.includes(region)) ?? {};
  return regions.filter((other) => other !== region);
};

const isThere = async (stack: string, region: string): Promise<boolean> => {
  const client = new CloudFormationClient({ ...settings, region, maxAttempts: 1 });
  try {
    const { StackStatus } = (await findStack(client, stack)) ?? {};
    return StackStatus !== undefined && !empty.has(StackStatus);
  } catch {
    // A region that is switched off, or that the caller may not look into, holds up nobody.
    return false;
  } finally {
    client.destroy();
  }
};

/** Throws CliError where the name is taken. */
export const expectAlone = async (installation: string, region: string): Promise<void> => {
  const others = regionsBeside(region);
  const there = await Promise.all(others.map((other) => isThere(stackOf(installation), other)));
  const taken = others.filter((_, index) => there[index]);
  if (taken.length > 0)
    throw new CliError(
      `there is an installation ${installation} in ${taken.join(', ')} of this account, and what the two make could not be told apart: choose another name for this one with --context installation=<name>`,
    );
};
