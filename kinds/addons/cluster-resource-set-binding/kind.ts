import type { KindFacts } from '../../../machinery/api/kind.ts';
import { addonsGroup } from '../../common/versions.ts';

export const clusterResourceSetBinding: KindFacts = {
  group: addonsGroup,
  kind: 'ClusterResourceSetBinding',
  plural: 'clusterresourcesetbindings',
  namespaced: true,
};
