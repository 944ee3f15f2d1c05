import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Installation } from './index.ts';
import { observe, type Snapshot } from './observe.ts';
import { reconcile } from './reconcile.ts';

/** The installation controller, the only one that runs while the installation is frozen. */
export const installationController = defineController<Installation, Snapshot>({
  name: 'installation',
  for: 'Installation',
  conditions: 'none',
  observe,
  reconcile,
});
