import type { PositionOptions } from './position.ts';
import type { Sweep } from './sweep.ts';

/** Requeues what was deferred during a freeze, after the pass that lifted it. */
export const afterThaw = ({
  sweep,
  resync,
}: Pick<Sweep, 'sweep' | 'resync'>): Required<Pick<PositionOptions, 'onChange'>> & { settled(): Promise<void> } => {
  let isThawed = false;
  return {
    onChange: (isFrozen) => {
      isThawed = !isFrozen;
    },
    settled: async () => {
      if (!isThawed) return;
      await sweep();
      await resync();
      isThawed = false;
    },
  };
};
