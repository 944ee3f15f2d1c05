import { defineController } from '../../../../machinery/api/reconcile.ts';
import type { Installation } from '../index.ts';
import { observe, type Snapshot } from './observe.ts';
import { reconcile } from './reconcile.ts';

/** Looks at the account by page, so that what is at rest need not look at its own. */
export const driftController = defineController<Installation, Snapshot>({
  name: 'drift',
  for: 'Installation',
  conditions: 'none',
  observe,
  reconcile,
});
