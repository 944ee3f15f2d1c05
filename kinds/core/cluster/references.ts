import type { KubeObject } from '../../../machinery/api/object.ts';
import { referencesTo } from '../contract/named.ts';
import { classReference } from '../shared/class-reference.ts';
import type { ClusterSpec } from './schema.ts';

export const referencesOfCluster = ({ spec }: KubeObject) => {
  const { infrastructureRef, controlPlaneRef, topology } = (spec ?? {}) as ClusterSpec;
  return [
    ...referencesTo(infrastructureRef, controlPlaneRef),
    ...(topology ? [classReference(topology.classRef)] : []),
  ];
};
