import { type Cloud, CloudError, isNotFound } from '../../kinds/ports/cloud.ts';
import type { ObjectKey } from '../../machinery/api/object.ts';

/** The object an instance was launched for, by the tag that its launch put on it; undefined for a stranger's instance. */
export const instanceOwner = async (
  cloud: Cloud,
  region: string,
  instanceId: string,
): Promise<ObjectKey | undefined> => {
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
