import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Acting, acting } from '../identity/acting.ts';
import { type Observed, observe, type ScalingPlan } from './observe.ts';
import { reconcile } from './reconcile.ts';

/**
 * The price controller: reports what machines of a cluster's pools cost and in which zones they start,
 * in the status of their templates, so that the autoscaler can choose by price, limit the cost, and
 * know which zones a pool without nodes serves.
 */
export const pricesController = defineController<ScalingPlan, Acting<Observed>>({
  name: 'prices',
  for: 'ScalingPlan',
  worker: 'aws',
  level: 'gate',
  watches: [
    // An opt-in, and another template.
    { kind: 'MachineDeployment', to: 'members', level: 'gate' },
    // Other subnets.
    { kind: 'AWSCluster', to: 'members' },
  ],
  clusterOf: ({ spec }) => spec?.clusterName,
  conditions: 'none',
  ...acting(
    ({ metadata, spec }, read) =>
      read.get('Cluster', { namespace: metadata.namespace ?? '', name: spec?.clusterName ?? '' }),
    { observe, reconcile },
  ),
});
