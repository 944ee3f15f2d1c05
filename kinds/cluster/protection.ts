import type { KubeObject } from '../../machinery/api/object.ts';
import { policyAnnotations } from '../common/target.ts';

/** With it, clusterctl deletes what it has just moved to another control plane: the cluster itself stays. */
const deleteForMove = 'clusterctl.cluster.x-k8s.io/delete-for-move';

/** Why this Cluster may not be deleted, and how to lift that. */
export const refuseDelete = ({ metadata }: KubeObject): string | undefined => {
  const { name, namespace, annotations = {} } = metadata;
  if (annotations[policyAnnotations.protected] !== 'true' || annotations[deleteForMove] !== undefined) return undefined;
  const lift = `kubectl annotate cluster/${name} ${policyAnnotations.protected}- -n ${namespace}`;
  return `it is protected by the annotation ${policyAnnotations.protected}; to allow its deletion, run: ${lift}`;
};
