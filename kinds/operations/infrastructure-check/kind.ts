import type { KindFacts } from '../../../machinery/api/kind.ts';

export const infrastructureCheck: KindFacts = {
  group: 'capstan.dev',
  kind: 'InfrastructureCheck',
  plural: 'infrastructurechecks',
  namespaced: true,
  gates: ['spec'],
  served: false,
};
