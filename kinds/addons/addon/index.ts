import { age, clusterColumn, conditionColumn } from '../../common/columns.ts';
import { defineKind } from '../../define.ts';
import { addon as facts } from './kind.ts';
import { addonSpec, addonStatus } from './schema.ts';
import { defaultAddon, validateAddon } from './validate.ts';

export type * from './schema.ts';

export const addon = defineKind({
  ...facts,
  shortNames: [],
  default: defaultAddon,
  validate: validateAddon,
  versions: [
    {
      name: 'v1alpha1',
      served: true,
      storage: true,
      description: 'Manifests that are kept installed in one cluster.',
      columns: [
        clusterColumn,
        conditionColumn('Ready', 'Ready', 'Whether it is installed and healthy.'),
        conditionColumn('Applied', 'Applied', 'Whether everything was applied.'),
        conditionColumn('Healthy', 'Healthy', 'Whether its workloads run.'),
        age,
      ],
      spec: addonSpec,
      specRequired: true,
      status: addonStatus,
    },
  ],
});
