import { resourceOf } from '../../machinery/api/kind.ts';
import type { Worker } from '../../machinery/controller/index.ts';
import type { Log } from '../../machinery/ports.ts';
import { everything } from './everything.ts';
import type { Foundation } from './foundation.ts';

export type Sweeping = Pick<Worker, 'sweep' | 'resync'> & { log: Log };

export const createSweeping = (foundation: Foundation): Sweeping => {
  const { kinds, store, log } = foundation;
  const { sweep, resync } = everything(foundation);
  return {
    log,
    sweep: async () => {
      await sweep();
      // Whoever reads a type's position settles it: types that nobody reads stay cheap to begin with.
      for (const kind of kinds.all()) await store.position(resourceOf(kind));
    },
    resync,
  };
};
