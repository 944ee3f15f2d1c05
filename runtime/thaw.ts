import type { Sweeper } from '../machinery/controller/index.ts';
import type { PositionOptions } from './position.ts';

/** Requeues what was deferred during a freeze, after the pass that lifted it. */
export const afterThaw = (
  load: () => Promise<Pick<Sweeper, 'sweep' | 'resync'>>,
): Required<Pick<PositionOptions, 'onChange'>> & { settled(): Promise<void> } => {
  let isThawed = false;
  return {
    onChange: (isFrozen) => {
      isThawed = !isFrozen;
    },
    settled: async () => {
      if (!isThawed) return;
      const { sweep, resync } = await load();
      await sweep();
      const failed = await resync();
      if (failed.length > 0) throw new Error(`no resync after the freeze of ${failed.join(', ')}`);
      isThawed = false;
    },
  };
};
