import type { KindFacts } from '../../../machinery/api/kind.ts';
import { coreGroup } from '../../common/versions.ts';

export const machineDrainRule: KindFacts = {
  group: coreGroup,
  kind: 'MachineDrainRule',
  plural: 'machinedrainrules',
  namespaced: true,
};
