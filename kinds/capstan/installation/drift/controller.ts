import { defineController } from '../../../../machinery/api/reconcile.ts';
import type { Installation } from '../index.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

/**
 * The drift controller: sweeps the account page by page, so that idle objects need no resync of
 * their own.
 */
export const driftController = defineController<Installation, Observed>({
  name: 'drift',
  for: 'Installation',
  // Idle while there is no cluster; there is nothing to check before a cluster is ready.
  worker: 'aws',
  sweepAfter: 900,
  watches: [{ kind: 'AWSCluster', to: 'all' }],
  conditions: 'none',
  observe,
  reconcile,
});
