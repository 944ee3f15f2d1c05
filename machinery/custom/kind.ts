/** The kind CustomResourceDefinition, without its schema. */
import type { KindOnDemand } from '../api/kind.ts';
import { definitionGroup } from './definition.ts';

export const definitionKind: KindOnDemand = {
  group: definitionGroup,
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
  load: async () => (await import('./kind-definition.ts')).definitionOfKind,
};
