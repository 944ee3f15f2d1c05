import type { KindFacts } from '../../../machinery/api/kind.ts';

export const scalingPlan: KindFacts = {
  group: 'capstan.dev',
  kind: 'ScalingPlan',
  plural: 'scalingplans',
  namespaced: true,
  notes: ['nodes.message'],
  summary: 'Ready',
};
