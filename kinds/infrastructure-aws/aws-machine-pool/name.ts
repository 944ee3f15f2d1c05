/** The name of a pool's group and launch template. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { digest, type Owner } from '../engine/tags.ts';

/** Two Clusters never share a name, nor do two pools of one Cluster. */
export const nameFor = ({ installation, clusterUid, clusterName }: Owner, { metadata }: KubeObject): string => {
  const { namespace = '', name } = metadata;
  const suffix = digest(8, installation, clusterUid, namespace, name);
  return `${`${clusterName}-${name}`.slice(0, 110)}-${suffix}`;
};
