import { addonsGroup, coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { clusterResourceSetBindingSpec, clusterResourceSetBindingSpecV1beta1 } from './schema.ts';
import { validateClusterResourceSetBinding } from './validate.ts';

export type * from './schema.ts';

const names = {
  group: addonsGroup,
  kind: 'ClusterResourceSetBinding',
  plural: 'clusterresourcesetbindings',
  shortNames: [],
};
const description = 'What ClusterResourceSets have applied to one cluster.';

export const clusterResourceSetBinding = defineKind({
  ...names,
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
      ...supersededBy(names, 'v1beta1', 'v1beta2'),
      description,
      columns: columnsV1beta1,
      toStorage,
      fromStorage,

      spec: clusterResourceSetBindingSpecV1beta1,
      statusSubresource: true,
    },
  ],
});
