import type { KindVersion, ScalePaths } from '../../machinery/api/kind.ts';

/** The deprecation warning of a version, in the API server's words. */
export const supersededBy = (
  kind: { group: string; kind: string },
  version: string,
  newer: string,
): Pick<KindVersion, 'deprecated' | 'deprecationWarning'> => ({
  deprecated: true,
  deprecationWarning: `${kind.group}/${version} ${kind.kind} is deprecated; use ${kind.group}/${newer} ${kind.kind}`,
});

export const coreGroup = 'cluster.x-k8s.io';
export const addonsGroup = 'addons.cluster.x-k8s.io';
export const ipamGroup = 'ipam.cluster.x-k8s.io';
export const runtimeGroup = 'runtime.cluster.x-k8s.io';
/** The API versions that implement each contract version. */
export const coreContracts = { v1beta1: 'v1beta1', v1beta2: 'v1beta2' };
export const coreProvider = 'cluster-api';

export const scaleOfReplicas: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};
