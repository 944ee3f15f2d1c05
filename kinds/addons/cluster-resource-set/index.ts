import { coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { clusterResourceSet as facts } from './kind.ts';
import {
  clusterResourceSetSpec,
  clusterResourceSetSpecV1beta1,
  clusterResourceSetStatus,
  clusterResourceSetStatusV1beta1,
} from './schema.ts';
import { defaultClusterResourceSet, validateClusterResourceSet } from './validate.ts';

export type * from './schema.ts';

const description = 'Manifests that are applied to every matching cluster.';

export const clusterResourceSet = defineKind({
  ...facts,
  shortNames: [],
  crdLabels: contractLabels(coreProvider, coreContracts),
  default: defaultClusterResourceSet,
  validate: validateClusterResourceSet,
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      columns,

      spec: clusterResourceSetSpec,
      specRequired: true,
      status: clusterResourceSetStatus,
    },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      description,
      columns: columnsV1beta1,
      toStorage,
      fromStorage,

      spec: clusterResourceSetSpecV1beta1,
      status: clusterResourceSetStatusV1beta1,
    },
  ],
});
