import type { KindFacts } from '../../../machinery/api/kind.ts';
import { ipamGroup } from '../../common/versions.ts';
import { exhausted } from '../pool/conditions.ts';

export const globalInClusterIPPool: KindFacts = {
  group: ipamGroup,
  kind: 'GlobalInClusterIPPool',
  plural: 'globalinclusterippools',
  namespaced: false,
  gates: [exhausted, 'Paused'],
  summary: exhausted,
};
