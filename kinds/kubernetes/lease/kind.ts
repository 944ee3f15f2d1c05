import type { KindFacts } from '../../../machinery/api/kind.ts';

export const lease: KindFacts = {
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};
