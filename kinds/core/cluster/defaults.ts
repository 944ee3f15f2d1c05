import type { KubeObject } from '../../../machinery/api/object.ts';
import { normalVersion } from '../../common/validate.ts';
import type { Cluster } from './schema.ts';

export const defaultCluster = (object: KubeObject): KubeObject => {
  const cluster = object as Cluster;
  const { topology } = cluster.spec ?? {};
  if (!cluster.spec || !topology) return object;
  return {
    ...cluster,
    spec: { ...cluster.spec, topology: { ...topology, version: normalVersion(topology.version) } },
  };
};
