/** Periodic tasks over the work of all controllers. One object or controller that fails keeps none of the others. */
import { keyOf } from '../api/object.ts';
import { isolated, isolatedOrThrow, requestLimit } from '../isolated.ts';
import type { Log } from '../ports.ts';
import type { WorkRequest } from './dispatch.ts';
import type { Runner, Sweeper } from './runtime.ts';
import type { Skipped, SkippedReports } from './skipped.ts';
import type { Work } from './work.ts';

export interface SweeperOptions {
  work: Pick<Work, 'sweep' | 'recover' | 'isIdle' | 'request'>;
  runners: Record<string, Omit<Runner, 'run'>>;
  log: Log;
  skipped: SkippedReports;
}

export const createSweeper = ({ work, runners, log, skipped }: SweeperOptions): Sweeper => {
  const pairs = async () => {
    const all = Object.entries(runners).map(async ([controller, { types }]) =>
      (await types()).map((type) => [controller, type] as const),
    );
    return (await Promise.all(all)).flat();
  };
  const each = async (visit: (controller: string, type: string) => Promise<void>) =>
    isolatedOrThrow(await pairs(), ([controller, type]) => visit(controller, type));
  return {
    sweep: () => each(work.sweep),
    recover: () => each(work.recover),
    isIdle: async () => {
      let idle = true;
      await each(async (controller, type) => {
        idle &&= await work.isIdle(controller, type);
      });
      return idle;
    },
    resync: async (hoursOf) => {
      const found: Skipped[] = [];
      const resyncOf = async (controller: string) => {
        const { requests = [], unreadable = [] } = (await runners[controller]!.resync?.(hoursOf?.(controller))) ?? {};
        found.push(...unreadable.map((one) => ({ name: `${one.type} ${keyOf(one)}`, error: one.error })));
        const ask = ({ key, urgent }: WorkRequest) => work.request(key, { urgent, slow: true });
        const { faults, left } = await isolated(requests, ask, { most: requestLimit });
        if (left.length > 0) throw faults[0]!.error;
        found.push(...faults.map(({ item: { key }, error }) => ({ name: `${key.type} ${keyOf(key)}`, error })));
      };
      const { faults, left } = await isolated(Object.keys(runners), resyncOf);
      for (const { item: controller, error } of faults) log.error('A resync failed', { controller, error });
      await skipped.report('resync', found);
      return [...faults.map(({ item }) => item), ...left];
    },
  };
};
