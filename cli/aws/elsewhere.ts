/**
 * Checks that no other region has an installation of the same name, because the tag does not tell regions
 * apart.
 */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { partitions } from '../../adapters/aws/identity/hosts.ts';
import { CliError } from '../errors.ts';
import { settings } from './session.ts';
import { findStack, stackOf } from './stack.ts';

/** Statuses of stacks without resources: only planned, or rolled back. */
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
    // A region that is disabled, or that the caller may not read, is ignored.
    return false;
  } finally {
    client.destroy();
  }
};

/** Throws CliError if another region uses the name. */
export const expectUnusedElsewhere = async (installation: string, region: string): Promise<void> => {
  const others = regionsBeside(region);
  const there = await Promise.all(others.map((other) => isThere(stackOf(installation), other)));
  const taken = others.filter((_, index) => there[index]);
  if (taken.length > 0)
    throw new CliError(
      `there is an installation ${installation} in ${taken.join(', ')} of this account, and what the two make could not be told apart: choose another name for this one with --context installation=<name>`,
    );
};
