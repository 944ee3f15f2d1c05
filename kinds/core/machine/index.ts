import { filledAnnotation } from '../../common/filled.ts';
import { coreContracts, coreGroup, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { providerIdOf } from './alias.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { defaultMachine } from './defaults.ts';
import { digestOf } from './digest.ts';
import { warnUnheeded } from './not-acted-on.ts';
import { machineSpec, machineSpecV1beta1, machineStatus, machineStatusV1beta1 } from './schema.ts';
import { validateMachine, validateMachineSpecV1beta1 } from './validate.ts';

export type * from './schema.ts';

const names = { group: coreGroup, kind: 'Machine', plural: 'machines', shortNames: ['ma'] };
const description = 'A host that is, or becomes, a node of a cluster.';

export const machine = defineKind({
  ...names,
  crdLabels: contractLabels(coreProvider, coreContracts),
  reservedAnnotations: [filledAnnotation],
  default: defaultMachine,
  alias: providerIdOf,
  digest: digestOf,
  validate: validateMachine,
  warn: warnUnheeded,
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
      ...supersededBy(names, 'v1beta1', 'v1beta2'),
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
