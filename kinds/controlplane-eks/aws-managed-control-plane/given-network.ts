import { clusterUidTag } from '../../infrastructure-aws/engine/tags.ts';
import type { AWSManagedControlPlaneSpec } from './schema.ts';

/** A network of the user's, which stays as it is. The tags of one that Capstan made are noted with its id. */
export const isGivenNetwork = ({ network }: AWSManagedControlPlaneSpec): boolean =>
  Boolean(network?.vpc?.id) && network?.vpc?.tags?.[clusterUidTag] === undefined;
