import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { type Acting, acting } from '../identity/acting.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

/**
 * The instance status controller: on clusters that a MachineHealthCheck looks after, reports failed
 * EC2 status checks and scheduled events on the Machines. EC2 sends no events about status checks.
 */
export const instanceStatusController = defineController<Cluster, Acting<Observed>>({
  name: 'instance-status',
  for: 'Cluster',
  worker: 'aws',
  level: 'gate',
  watches: [{ kind: 'MachineHealthCheck', to: 'cluster' }],
  clusterOf: ({ metadata }) => metadata.name,
  conditions: 'none',
  ...acting((cluster) => ({ state: 'found', value: cluster }), { observe, reconcile }),
});
