import type { KindFacts } from '../../../machinery/api/kind.ts';

export const provider: KindFacts = {
  group: 'clusterctl.cluster.x-k8s.io',
  kind: 'Provider',
  plural: 'providers',
  namespaced: true,
  published: async () => (await import('./index.ts')).theProviders,
};
