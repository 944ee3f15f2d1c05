import type { KindFacts } from '../../../machinery/api/kind.ts';
import { ipamGroup } from '../../common/versions.ts';
import { exhausted } from '../pool/conditions.ts';

export const inClusterIPPool: KindFacts = {
  group: ipamGroup,
  kind: 'InClusterIPPool',
  plural: 'inclusterippools',
  namespaced: true,
  gates: [exhausted, 'Paused'],
  summary: exhausted,
};
