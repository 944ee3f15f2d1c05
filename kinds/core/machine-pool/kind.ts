import type { KindFacts } from '../../../machinery/api/kind.ts';
import { coreGroup } from '../../common/versions.ts';

export const machinePool: KindFacts = {
  group: coreGroup,
  kind: 'MachinePool',
  plural: 'machinepools',
  namespaced: true,
};
