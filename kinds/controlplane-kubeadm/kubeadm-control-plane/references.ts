import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { referencesTo } from '../../core/contract/named.ts';
import type { KubeadmControlPlaneSpec } from './schema.ts';

/**
 * The Machines' template, and the cluster's kubeconfig, which is found by name even if a user
 * created it.
 */
export const referencesOfControlPlane = ({ metadata, spec }: KubeObject) => {
  const cluster = metadata.labels?.[labels.cluster];
  return [
    ...referencesTo((spec as KubeadmControlPlaneSpec | undefined)?.machineTemplate?.spec?.infrastructureRef),
    ...(cluster ? [{ group: '', kind: 'Secret', name: `${cluster}-kubeconfig` }] : []),
  ];
};
