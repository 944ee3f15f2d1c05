import { defineController } from '../../../machinery/api/reconcile.ts';
import { protectPool } from '../finalizers.ts';
import type { PoolKind } from '../references.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { Pool } from './schema.ts';

/** The controller of one kind of pool: it alone gives the pool's addresses. */
export const poolControllerOf = (kind: PoolKind, name: string) =>
  defineController<Pool, Observed>({
    name,
    for: kind,
    worker: 'core',
    watches: [
      { kind: 'IPAddressClaim', to: 'servers', level: 'gate' },
      { kind: 'IPAddress', to: 'servers' },
    ],
    finalizer: protectPool,
    conditions: 'v1beta2',
    observe,
    reconcile,
  });
