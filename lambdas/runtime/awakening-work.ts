/** Work requests that wake an installation that sleeps. */
import { createAwake } from '../../adapters/aws/timers/awake.ts';
import type { Work } from '../../machinery/controller/index.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import type { Switches } from './switches.ts';

export const awakeningWork = (
  { work: table, workItems, clock }: Foundation,
  switches: Switches,
): Pick<Work, 'request'> => {
  const awake = createAwake({ table, ...switches, clock });
  return {
    request: async (...request) => {
      await workItems.request(...request);
      await awake.note();
    },
  };
};
