import { type Cloud, CloudError, isNotFound } from '../../kinds/ports/cloud.ts';
import type { ObjectKey } from '../../machinery/api/object.ts';

export interface InstanceChange {
  region: string;
  instanceId: string;
  /** Absent where it is about to be interrupted. */
  state?: string | undefined;
}

/**
 * Who is to look at an instance that changed: the object it was launched for, by the tag that its launch put on it. Undefined for
 * a stranger's instance, and for one that is only pending: whoever launched it knows.
 */
export const instanceOwner = async (
  cloud: Cloud,
  { region, instanceId, state }: InstanceChange,
): Promise<ObjectKey | undefined> => {
  if (state === 'pending') return undefined;
  try {
    const { Reservations } = await cloud.call(region, 'DescribeInstances', { InstanceIds: [instanceId] });
    const tags = Reservations[0]?.Instances[0]?.Tags ?? [];
    const [namespace, name] = tags.find(({ Key }) => Key === 'MachineName')?.Value.split('/') ?? [];
    return namespace && name ? { namespace, name } : undefined;
  } catch (error) {
    if (error instanceof CloudError && isNotFound(error.code)) return undefined;
    throw error;
  }
};
