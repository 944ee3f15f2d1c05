import { coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { clusterResourceSetBinding as facts } from './kind.ts';
import { clusterResourceSetBindingSpec, clusterResourceSetBindingSpecV1beta1 } from './schema.ts';
import { validateClusterResourceSetBinding } from './validate.ts';

export type * from './schema.ts';

const description = 'What ClusterResourceSets have applied to one cluster.';

export const clusterResourceSetBinding = defineKind({
  ...facts,
  shortNames: [],
  crdLabels: contractLabels(coreProvider, coreContracts),
  validate: validateClusterResourceSetBinding,
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      columns,

      spec: clusterResourceSetBindingSpec,
      specRequired: true,
    },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      description,
      columns: columnsV1beta1,
      toStorage,
      fromStorage,

      spec: clusterResourceSetBindingSpecV1beta1,
      statusSubresource: true,
    },
  ],
});
