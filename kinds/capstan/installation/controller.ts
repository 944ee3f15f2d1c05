import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Installation } from './index.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';

/** The installation controller, the only one that runs while the installation is frozen. */
export const installationController = defineController<Installation, Observed>({
  name: 'installation',
  for: 'Installation',
  // Idle while there is nothing to sweep; every resource in the account begins with one of these
  // objects.
  worker: 'aws',
  sweepAfter: 600,
  watches: [
    { kind: 'AWSCluster', to: 'all' },
    { kind: 'AWSMachine', to: 'all' },
  ],
  conditions: 'none',
  observe,
  reconcile,
});
