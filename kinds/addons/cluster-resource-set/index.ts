import { addonsGroup, coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { columns, columnsV1beta1 } from './columns.ts';
import { fromStorage, toStorage } from './convert.ts';
import { referencesOfSet } from './references.ts';
import {
  clusterResourceSetSpec,
  clusterResourceSetSpecV1beta1,
  clusterResourceSetStatus,
  clusterResourceSetStatusV1beta1,
} from './schema.ts';
import { defaultClusterResourceSet, validateClusterResourceSet } from './validate.ts';

export type * from './schema.ts';

const names = { group: addonsGroup, kind: 'ClusterResourceSet', plural: 'clusterresourcesets', shortNames: [] };
const description = 'Manifests that are applied to every matching cluster.';

export const clusterResourceSet = defineKind({
  ...names,
  crdLabels: contractLabels(coreProvider, coreContracts),
  default: defaultClusterResourceSet,
  validate: validateClusterResourceSet,
  references: referencesOfSet,
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
      ...supersededBy(names, 'v1beta1', 'v1beta2'),
      description,
      columns: columnsV1beta1,
      toStorage,
      fromStorage,

      spec: clusterResourceSetSpecV1beta1,
      status: clusterResourceSetStatusV1beta1,
    },
  ],
});
