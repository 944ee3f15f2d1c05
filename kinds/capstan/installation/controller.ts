import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Installation } from './index.ts';
import { observe, type Snapshot } from './observe.ts';
import { reconcile } from './reconcile.ts';

/** The installation controller, the only one that runs while the installation is frozen. */
export const installationController = defineController<Installation, Snapshot>({
  name: 'installation',
  for: 'Installation',
  // Idle while there is nothing to sweep; every resource in the account begins with one of these
  // objects.
  worker: 'aws',
  watches: [
    { kind: 'AWSCluster', to: 'all', on: ['created', 'deleted'], after: 600 },
    { kind: 'AWSMachine', to: 'all', on: ['deleted'], after: 600 },
  ],
  conditions: 'none',
  observe,
  reconcile,
});
