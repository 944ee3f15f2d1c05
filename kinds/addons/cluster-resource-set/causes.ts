/** What a ClusterResourceSet's conditions mean. */
import { byProbe, type CauseRules, type Explanation, firstOf, own, withheld } from '../../common/causes/index.ts';
import { aboutCluster } from '../../common/clusters-in-messages.ts';

/** Without a kubeconfig, the cluster is not there yet. */
const controlPlane: Explanation = (_, graph) =>
  graph
    .complaints(graph.cluster)
    .filter(({ type }) => ['ControlPlaneInitialized', 'InfrastructureReady'].includes(type));

export const clusterResourceSetCauses: CauseRules = {
  group: 'addons.cluster.x-k8s.io',
  kind: 'ClusterResourceSet',
  conditions: {
    ResourcesApplied: {
      about: (message, { cluster }) => aboutCluster(message, cluster?.metadata.name ?? ''),
      next: 'Capstan applies them again when they or the cluster change, and after growing pauses of at most 15 minutes',
      reasons: {
        WrongSecretType: { level: 'fault', advice: 'Give the Secret the type addons.cluster.x-k8s.io/resource-set' },
        NotApplied: { by: firstOf(own('References'), controlPlane, byProbe) },
        ApplyFailed: { by: firstOf(own('References'), controlPlane, byProbe) },
        ...withheld,
      },
      fine: ['Applied'],
    },
  },
};
