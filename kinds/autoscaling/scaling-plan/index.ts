import { alarmsAnnotation } from '../../common/autoscale/alarm-states.ts';
import { age, clusterColumn, column, conditionColumn, counter } from '../../common/columns.ts';
import { validateNameOfCluster, withNameOfCluster } from '../../common/named-as-cluster.ts';
import { defineKind } from '../../define.ts';
import { scalingPlan as facts } from './kind.ts';
import { type ScalingPlan, scalingPlanSpec, scalingPlanStatus } from './schema.ts';
import { validatePools } from './validate-pools.ts';

export type * from './schema.ts';

/** The decisions of the autoscaler about one cluster, whose name it has. */
export const scalingPlan = defineKind({
  ...facts,
  shortNames: ['sp'],
  reservedAnnotations: [alarmsAnnotation],
  default: withNameOfCluster,
  // One plan decides for a cluster: two of them would scale each other's pools.
  validate: (object, admission) => [
    ...validateNameOfCluster(object, admission),
    ...validatePools(object as ScalingPlan, admission),
  ],
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
        column('$/h', 'string', '.status.usage.dollarsPerHour', 'Dollars an hour that the pools cost.'),
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
