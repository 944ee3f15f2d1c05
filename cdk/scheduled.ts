/** What runs by the clock while there is work; the input of a run is its name as `run`. */
import type { FunctionName } from './lambdas/names.ts';

interface Scheduled {
  function: FunctionName;
  /** Minutes between two runs. */
  minutes: number;
}

export const scheduled = {
  sweep: { function: 'sweep', minutes: 10 },
  resync: { function: 'sweep', minutes: 60 },
} as const satisfies Record<string, Scheduled>;

export type ScheduleName = keyof typeof scheduled;
/** The sweep comes first: it is enabled before the others and disabled after them, so that it finds lost work. */
export const scheduleNames = Object.keys(scheduled) as ScheduleName[];
