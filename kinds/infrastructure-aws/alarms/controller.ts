import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Acting, acting } from '../identity/acting.ts';
import { type Observed, observe, type ScalingPlan } from './observe.ts';
import { reconcile } from './reconcile.ts';

/**
 * The alarm controller: records on a cluster's ScalingPlan the states of the CloudWatch alarms that
 * its pools name. EventBridge tells when one changes; the controller reads it anew, so that a lost
 * event or two in the wrong order do no harm.
 */
export const alarmsController = defineController<ScalingPlan, Acting<Observed>>({
  name: 'alarms',
  for: 'ScalingPlan',
  worker: 'aws',
  level: 'gate',
  // The alarms that pools name.
  watches: [{ kind: 'MachineDeployment', to: 'members', level: 'gate' }],
  clusterOf: ({ spec }) => spec?.clusterName,
  conditions: 'none',
  ...acting(
    ({ metadata, spec }, read) =>
      read.get('Cluster', { namespace: metadata.namespace ?? '', name: spec?.clusterName ?? '' }),
    { observe, reconcile },
  ),
});
