import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Observed, observe, type ScalingPlan } from './observe.ts';
import { reconcile } from './reconcile.ts';

/**
 * The price controller: reports what the instance types of a cluster's pools cost, in the status of
 * their templates, so that the autoscaler can choose by price and limit the cost.
 */
export const pricesController = defineController<ScalingPlan, Observed>({
  name: 'prices',
  for: 'ScalingPlan',
  worker: 'aws',
  level: 'gate',
  // An opt-in, and another template.
  watches: [{ kind: 'MachineDeployment', to: 'members', level: 'gate' }],
  clusterOf: ({ spec }) => spec?.clusterName,
  conditions: 'none',
  observe,
  reconcile,
});
