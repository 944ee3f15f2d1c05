/**
 * Cluster API clients list the MachinePools of every cluster and fail if the kind is unknown. The
 * list is always empty.
 */
import type { KindDefinition } from '../../../machinery/api/kind.ts';
import { clusterColumn, counter } from '../../common/columns.ts';
import { coreContracts, coreProvider } from '../../common/versions.ts';
import { age, contractLabels, defineKind } from '../../define.ts';
import { machinePool as facts } from './kind.ts';
import { machinePoolSpec } from './schema.ts';

const validate: KindDefinition['validate'] = (_, { operation }) =>
  operation === 'create'
    ? [
        {
          reason: 'FieldValueForbidden',
          field: 'kind',
          detail: 'machine pools are not supported: keep the machines in a MachineDeployment',
        },
      ]
    : [];

export const machinePool = defineKind({
  ...facts,
  shortNames: ['mp'],
  crdLabels: contractLabels(coreProvider, coreContracts),
  validate,
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description: 'Machines that their provider keeps as one group. Not supported: none can be made.',
      columns: [clusterColumn, counter('Desired', '.spec.replicas', 'Machines wanted.'), age],
      spec: machinePoolSpec,
      specRequired: true,
    },
  ],
});
