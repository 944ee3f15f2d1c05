import { coreContracts, coreGroup, coreProvider, supersededBy } from '../common/versions.ts';
import { contractLabels, defineKind } from '../define.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { machineSpec, machineSpecV1beta1, machineStatus, machineStatusV1beta1 } from './schema.ts';

export type * from './schema.ts';

const names = { group: coreGroup, kind: 'Machine', plural: 'machines', shortNames: ['ma'] };
const description = 'A host that is, or becomes, a node of a cluster.';

export const machine = defineKind({
  ...names,
  crdLabels: contractLabels(coreProvider, coreContracts),
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
      toStorage,
      fromStorage,

      spec: machineSpecV1beta1,
      status: machineStatusV1beta1,
    },
  ],
});
