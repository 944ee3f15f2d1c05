import { coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { machineHealthCheck as facts } from './kind.ts';
import {
  machineHealthCheckSpec,
  machineHealthCheckSpecV1beta1,
  machineHealthCheckStatus,
  machineHealthCheckStatusV1beta1,
} from './schema.ts';
import {
  defaultMachineHealthCheck,
  validateMachineHealthCheck,
  validateMachineHealthCheckV1beta1,
} from './validate.ts';

export type * from './schema.ts';

const description = 'Finds unhealthy Machines and has them replaced.';

export const machineHealthCheck = defineKind({
  ...facts,
  shortNames: ['mhc', 'mhcs'],
  crdLabels: contractLabels(coreProvider, coreContracts),
  default: defaultMachineHealthCheck,
  validate: validateMachineHealthCheck,
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      columns,
      spec: machineHealthCheckSpec,
      specRequired: true,
      status: machineHealthCheckStatus,
    },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      description,
      columns: columnsV1beta1,
      validate: validateMachineHealthCheckV1beta1,
      toStorage,
      fromStorage,
      spec: machineHealthCheckSpecV1beta1,
      status: machineHealthCheckStatusV1beta1,
    },
  ],
});
