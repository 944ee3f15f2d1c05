import type { KindFacts } from '../../../machinery/api/kind.ts';
import { coreGroup } from '../../common/versions.ts';

export const clusterClass: KindFacts = {
  group: coreGroup,
  kind: 'ClusterClass',
  plural: 'clusterclasses',
  namespaced: true,
};
