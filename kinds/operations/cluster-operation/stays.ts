/** What a deletion leaves in the account, because it was not made for the cluster. Pure. */

import type { AWSCluster } from '../../infrastructure-aws/aws-cluster/index.ts';
import { clusterUidTag } from '../../infrastructure-aws/aws-cluster/tags.ts';
import { broughtInstance, staysAsItIs } from '../../infrastructure-aws/aws-machine/brought.ts';
import type { OperationStatus } from './schema.ts';
import { conditionsOf } from './steps/cause.ts';
import type { Situation } from './steps/situation.ts';

const instancesIn = ({ awsMachines }: Situation): string[] =>
  awsMachines.flatMap((machine) => {
    const id = broughtInstance(machine);
    const isLeftAlone = conditionsOf(machine).some(({ message }) => message?.endsWith(staysAsItIs));
    return id !== undefined && isLeftAlone ? [`EC2 instance ${id}`] : [];
  });

const networkIn = ({ infrastructure, cluster }: Situation): string[] => {
  const object = infrastructure?.state === 'found' ? (infrastructure.value as AWSCluster) : undefined;
  if (object?.kind !== 'AWSCluster') return [];
  const { id, tags } = object.spec?.network?.vpc ?? {};
  return id !== undefined && tags !== undefined && tags[clusterUidTag] !== cluster.metadata.uid ? [`VPC ${id}`] : [];
};

/** Recorded while the objects that show it still exist. */
export const withStays = (status: OperationStatus, situation: Situation): OperationStatus => {
  const stays = [...new Set([...(status.stays ?? []), ...instancesIn(situation), ...networkIn(situation)])].sort();
  return stays.length > 0 ? { ...status, stays } : status;
};
