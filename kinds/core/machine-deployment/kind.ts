import type { KindFacts } from '../../../machinery/api/kind.ts';
import { coreGroup } from '../../common/versions.ts';
import { templatesOf } from '../contract/named.ts';
import { targetKey } from '../contract/object-targets.ts';
import { wantedOf } from './template.ts';

export const machineDeployment: KindFacts = {
  group: coreGroup,
  kind: 'MachineDeployment',
  plural: 'machinedeployments',
  namespaced: true,
  gates: ['Available'],
  summary: 'Available',
  direction: wantedOf,
  alias: targetKey,
  references: templatesOf,
};
