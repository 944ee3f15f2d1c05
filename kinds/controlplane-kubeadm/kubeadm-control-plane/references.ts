import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { authorities, secretName } from '../../core/contract/cluster-secrets.ts';
import { referencesTo } from '../../core/contract/named.ts';
import type { KubeadmControlPlaneSpec } from './schema.ts';

const secrets = ['kubeconfig', ...authorities] as const;

/**
 * The Machines' template, and the cluster's kubeconfig and authorities, which are found by name even if
 * a user created them.
 */
export const referencesOfControlPlane = ({ metadata, spec }: KubeObject) => {
  const cluster = metadata.labels?.[labels.cluster];
  return [
    ...referencesTo((spec as KubeadmControlPlaneSpec | undefined)?.machineTemplate?.spec?.infrastructureRef),
    ...(cluster ? secrets.map((purpose) => ({ group: '', kind: 'Secret', name: secretName(cluster, purpose) })) : []),
  ];
};
