import { filledAnnotation } from '../../common/filled.ts';
import { coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { besideAnnotation } from '../contract/draining.ts';
import { restoreAnnotations } from '../contract/restore.ts';
import { preservedFromAnnotation } from '../shared/preservation.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { defaultMachine } from './defaults.ts';
import { machine as facts } from './kind.ts';
import { machineSpec, machineSpecV1beta1, machineStatus, machineStatusV1beta1 } from './schema.ts';
import { validateMachine, validateMachineSpecV1beta1 } from './validate.ts';

export type * from './schema.ts';

const description = 'A host that is, or becomes, a node of a cluster.';

export const machine = defineKind({
  ...facts,
  shortNames: ['ma'],
  crdLabels: contractLabels(coreProvider, coreContracts),
  reservedAnnotations: [
    besideAnnotation,
    filledAnnotation,
    preservedFromAnnotation,
    ...Object.values(restoreAnnotations),
  ],
  default: defaultMachine,
  validate: validateMachine,
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      columns,

      spec: machineSpec,
      specRequired: true,
      status: machineStatus,
    },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      description,
      columns: columnsV1beta1,
      validate: validateMachineSpecV1beta1('spec'),
      toStorage,
      fromStorage,

      spec: machineSpecV1beta1,
      status: machineStatusV1beta1,
    },
  ],
});
