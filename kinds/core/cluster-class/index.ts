import { coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { age, column, contractLabels, defineKind } from '../../define.ts';
import { fromStorage, toStorage } from './convert.ts';
import { clusterClass as facts } from './kind.ts';
import { clusterClassSpec, clusterClassSpecV1beta1, clusterClassStatus, clusterClassStatusV1beta1 } from './schema.ts';
import { validateClusterClass, validateV1beta1 } from './validate.ts';

export type * from './schema.ts';

const description = 'ClusterClass is what Clusters with a topology are made from.';
const conditionColumn = (name: string, type: string, text: string, priority?: number) =>
  column(name, 'string', `.status.conditions[?(@.type=="${type}")].status`, text, priority);

export const clusterClass = defineKind({
  ...facts,
  shortNames: ['cc'],
  crdLabels: contractLabels(coreProvider, coreContracts),
  validate: validateClusterClass,
  versions: [
    {
      name: 'v1beta2',
      served: true,
      storage: true,
      description,
      spec: clusterClassSpec,
      specRequired: true,
      status: clusterClassStatus,
      columns: [
        conditionColumn('Paused', 'Paused', 'Whether reconciliation is paused.', 10),
        conditionColumn('Variables Ready', 'VariablesReady', 'Whether the variables can be used.'),
        age,
      ],
    },
    {
      name: 'v1beta1',
      served: true,
      ...supersededBy(facts, 'v1beta1', 'v1beta2'),
      toStorage,
      fromStorage,
      validate: validateV1beta1,
      description,
      spec: clusterClassSpecV1beta1,
      status: clusterClassStatusV1beta1,
      columns: [age],
    },
  ],
});
