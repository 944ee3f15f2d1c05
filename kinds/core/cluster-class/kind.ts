import { groupOf, type KindFacts } from '../../../machinery/api/kind.ts';
import { coreGroup } from '../../common/versions.ts';
import type { ClusterClassSpec } from './schema.ts';
import { templatesOfClass } from './templates.ts';

export const clusterClass: KindFacts = {
  group: coreGroup,
  kind: 'ClusterClass',
  plural: 'clusterclasses',
  namespaced: true,
  // Topologies wait until a changed class is reconciled.
  gates: ['VariablesReady', 'RefVersionsUpToDate', 'observedGeneration'],
  references: ({ spec }) =>
    (spec ? templatesOfClass(spec as ClusterClassSpec) : []).map(({ apiVersion, kind, name }) => ({
      group: groupOf(apiVersion),
      kind,
      name,
    })),
};
