import { groupOf, type KindFacts } from '../../../machinery/api/kind.ts';
import { coreGroup } from '../../common/versions.ts';
import type { ClusterClassSpec } from './schema.ts';
import { templatesOfClass } from './templates.ts';

export const clusterClass: KindFacts = {
  group: coreGroup,
  kind: 'ClusterClass',
  plural: 'clusterclasses',
  namespaced: true,
  gates: ['VariablesReady', 'RefVersionsUpToDate'],
  references: ({ spec }) =>
    (spec ? templatesOfClass(spec as ClusterClassSpec) : []).map(({ apiVersion, kind, name }) => ({
      group: groupOf(apiVersion),
      kind,
      name,
    })),
};
