import type { KindFacts } from '../../../machinery/api/kind.ts';
import { addonsGroup } from '../../common/versions.ts';
import { referencesOfSet } from './references.ts';

export const clusterResourceSet: KindFacts = {
  group: addonsGroup,
  kind: 'ClusterResourceSet',
  plural: 'clusterresourcesets',
  namespaced: true,
  references: referencesOfSet,
};
