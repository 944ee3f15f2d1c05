import type { KindFacts } from '../../../machinery/api/kind.ts';
import { coreGroup } from '../../common/versions.ts';
import { templatesOf } from '../contract/named.ts';

export const machinePool: KindFacts = {
  group: coreGroup,
  kind: 'MachinePool',
  plural: 'machinepools',
  namespaced: true,
  gates: ['replicas', 'availableReplicas', 'spec.template.spec.bootstrap.dataSecretName'],
  summary: 'Available',
  references: templatesOf,
};
