import { age, clusterColumn, column, conditionColumn, counter } from '../../common/columns.ts';
import { defineKind } from '../../define.ts';
import { scalingPlan as facts } from './kind.ts';
import { scalingPlanSpec, scalingPlanStatus } from './schema.ts';
import { defaultScalingPlan, validateScalingPlan } from './validate.ts';

export type * from './schema.ts';

/** The decisions of the autoscaler about one cluster, whose name it has. */
export const scalingPlan = defineKind({
  ...facts,
  shortNames: ['sp'],
  default: defaultScalingPlan,
  validate: validateScalingPlan,
  versions: [
    {
      name: 'v1alpha1',
      served: true,
      storage: true,
      description: 'How the pools of a cluster are scaled, what was decided, and why.',
      columns: [
        clusterColumn,
        conditionColumn('Ready', 'Ready', 'Whether decisions are made.'),
        counter('Pending', '.status.pending', 'Pods without a node.'),
        counter('Refused', '.status.refused', 'Pods for which no pool is scaled up.'),
        column('Decision', 'string', '.status.lastDecision.message', 'The last change.'),
        column('When', 'date', '.status.lastDecision.time', 'When the last change was decided.'),
        age,
      ],
      spec: scalingPlanSpec,
      specRequired: true,
      status: scalingPlanStatus,
    },
  ],
});
