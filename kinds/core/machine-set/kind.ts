import type { KindFacts } from '../../../machinery/api/kind.ts';
import { coreGroup } from '../../common/versions.ts';
import { templatesOf } from '../contract/named.ts';
import { keyOfController } from '../contract/object-targets.ts';
import { wantedOf } from '../machine-deployment/template.ts';

export const machineSet: KindFacts = {
  group: coreGroup,
  kind: 'MachineSet',
  plural: 'machinesets',
  namespaced: true,
  gates: ['replicas', 'availableReplicas'],
  direction: wantedOf,
  alias: keyOfController,
  references: templatesOf,
};
