/** Reports new work, which wakes an installation that sleeps. */
import { createAwake } from '../../adapters/aws/timers/awake.ts';
import type { Work } from '../../machinery/controller/index.ts';
import type { Foundation } from './foundation.ts';
import type { Switches } from './switches.ts';

export const notedWork = ({ work: table, workItems, clock }: Foundation, switches: Switches): Pick<Work, 'request'> => {
  const awake = createAwake({ table, ...switches, clock });
  return {
    request: async (...request) => {
      await workItems.request(...request);
      await awake.note();
    },
  };
};
