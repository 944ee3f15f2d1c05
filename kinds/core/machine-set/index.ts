import { annotations } from '../../common/labels.ts';
import { coreContracts, coreProvider, scaleOfReplicas, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { validateMachineSpecV1beta1 } from '../machine/validate.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { defaultMachineSet } from './defaults.ts';
import { machineSet as facts } from './kind.ts';
import { machineSetSpec, machineSetSpecV1beta1, machineSetStatus, machineSetStatusV1beta1 } from './schema.ts';
import { validateMachineSet } from './validate.ts';

export type * from './schema.ts';

const description = 'Keeps a number of equal Machines.';

export const machineSet = defineKind({
  ...facts,
  shortNames: ['ms'],
  crdLabels: contractLabels(coreProvider, coreContracts),
  default: defaultMachineSet,
  validate: validateMachineSet,
  reservedAnnotations: [annotations.creating],
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      columns,
      scale: scaleOfReplicas,
      spec: machineSetSpec,
      specRequired: true,
      status: machineSetStatus,
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
      scale: scaleOfReplicas,
      spec: machineSetSpecV1beta1,
      status: machineSetStatusV1beta1,
    },
  ],
});
