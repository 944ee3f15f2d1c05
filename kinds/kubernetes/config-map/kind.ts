import type { KindFacts } from '../../../machinery/api/kind.ts';

export const configMap: KindFacts = {
  group: '',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
