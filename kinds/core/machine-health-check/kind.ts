import type { KindFacts } from '../../../machinery/api/kind.ts';
import { coreGroup } from '../../common/versions.ts';

export const machineHealthCheck: KindFacts = {
  group: coreGroup,
  kind: 'MachineHealthCheck',
  plural: 'machinehealthchecks',
  namespaced: true,
};
