import { filledAnnotation } from '../../common/filled.ts';
import { coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { validateMachineSpecV1beta1 } from '../machine/validate.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { defaultMachinePool } from './defaults.ts';
import { machinePool as facts } from './kind.ts';
import { machinePoolSpec, machinePoolSpecV1beta1, machinePoolStatus, machinePoolStatusV1beta1 } from './schema.ts';
import { validateMachinePool } from './validate.ts';

export type * from './schema.ts';

const description = 'Machines that their provider keeps as one group.';
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

export const machinePool = defineKind({
  ...facts,
  shortNames: ['mp'],
  crdLabels: contractLabels(coreProvider, coreContracts),
  default: defaultMachinePool,
  validate: validateMachinePool,
  reservedAnnotations: [filledAnnotation],
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      columns,
      scale,
      spec: machinePoolSpec,
      specRequired: true,
      status: machinePoolStatus,
    },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      description,
      columns: columnsV1beta1,
      validate: validateMachineSpecV1beta1('spec.template.spec'),
      toStorage,
      fromStorage,
      scale,
      spec: machinePoolSpecV1beta1,
      status: machinePoolStatusV1beta1,
    },
  ],
});
