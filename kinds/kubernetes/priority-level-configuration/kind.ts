import type { KindFacts } from '../../../machinery/api/kind.ts';
import { flowControlGroup } from '../flow-control/group.ts';

export const priorityLevelConfiguration: KindFacts = {
  group: flowControlGroup,
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  namespaced: false,
};
