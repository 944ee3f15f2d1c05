import type { KubeObject } from '../../../machinery/api/object.ts';
import { atomicList, type Infer, object, oneOf, required, string } from '../../../machinery/api/schema.ts';
import { conditions, dnsSubdomain, labelSelector, observedGeneration } from '../../common/schema.ts';

const secretName = string('The Secret of this namespace, with the kubeconfig under the key value.', {
  minLength: 1,
  maxLength: 253,
  pattern: dnsSubdomain,
});

export const gitOpsTargetSpec = object('Which clusters appear where.', {
  tool: required(oneOf('The form in which a cluster appears; immutable.', ['ArgoCD', 'Flux'])),
  kubeconfig: required(object('Access to the cluster in which the tool runs.', { secretName: required(secretName) })),
  clusterSelector: required(labelSelector('Clusters of this namespace that appear there.')),
  namespace: string(
    'The namespace in which the tool looks for clusters; argocd or flux-system without it; immutable.',
    { minLength: 1, maxLength: 63 },
  ),
  project: string('The project of Argo CD to which the clusters are limited.', { minLength: 1, maxLength: 63 }),
});

export const gitOpsTargetStatus = object('What is registered.', {
  conditions: conditions(),
  observedGeneration: observedGeneration('v1beta2'),
  clusters: atomicList(
    'The clusters that have a Secret there.',
    object('One cluster.', {
      name: required(string('The name of the Cluster.')),
      secret: required(string('The name of its Secret in the target.')),
    }),
  ),
});

export type GitOpsTargetSpec = Infer<typeof gitOpsTargetSpec>;
export type GitOpsTargetStatus = Infer<typeof gitOpsTargetStatus>;
export type Registered = NonNullable<GitOpsTargetStatus['clusters']>[number];
export type GitOpsTarget = KubeObject<GitOpsTargetSpec, GitOpsTargetStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    GitOpsTarget: GitOpsTarget;
  }
}
