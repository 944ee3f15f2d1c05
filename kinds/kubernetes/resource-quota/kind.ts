import type { KindFacts } from '../../../machinery/api/kind.ts';
import { quotaMark } from '../../../machinery/api/resource-quota.ts';

export const resourceQuota: KindFacts = {
  group: '',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
  mark: quotaMark,
};
