import { age, column, conditionColumn } from '../../common/columns.ts';
import { defineKind } from '../../define.ts';
import { gitOpsTarget as facts } from './kind.ts';
import { gitOpsTargetSpec, gitOpsTargetStatus } from './schema.ts';
import { validateGitOpsTarget } from './validate.ts';

export type * from './schema.ts';

export const gitOpsTarget = defineKind({
  ...facts,
  shortNames: [],
  validate: validateGitOpsTarget,
  versions: [
    {
      name: 'v1alpha1',
      served: true,
      storage: true,
      description: 'Clusters that appear in Argo CD or for Flux, in another cluster.',
      columns: [
        column('Tool', 'string', '.spec.tool', 'Where the clusters appear.'),
        conditionColumn('Ready', 'Ready', 'Whether all selected clusters appear there.'),
        age,
      ],
      spec: gitOpsTargetSpec,
      specRequired: true,
      status: gitOpsTargetStatus,
    },
  ],
});
