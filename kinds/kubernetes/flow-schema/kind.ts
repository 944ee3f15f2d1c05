import type { KindFacts } from '../../../machinery/api/kind.ts';
import { flowControlGroup } from '../flow-control/group.ts';

export const flowSchema: KindFacts = {
  group: flowControlGroup,
  kind: 'FlowSchema',
  plural: 'flowschemas',
  namespaced: false,
};
