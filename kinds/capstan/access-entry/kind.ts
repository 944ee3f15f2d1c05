import type { KindFacts } from '../../../machinery/api/kind.ts';
import { policyMark } from '../../../machinery/api/rbac.ts';

export const accessEntry: KindFacts = {
  group: 'capstan.dev',
  kind: 'AccessEntry',
  plural: 'accessentries',
  namespaced: false,
  mark: policyMark,
};
