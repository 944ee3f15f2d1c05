import type { Metrics } from '../../adapters/aws/lambda/metrics.ts';
import type { Run } from '../../machinery/controller/index.ts';
import type { Clock } from '../../machinery/ports.ts';
import { classOf } from './foundation.ts';

export interface Measuring {
  metrics?: Metrics;
  installation: string;
  clock: Pick<Clock, 'now'>;
}

/** A pass, with how long it took and whether it failed. How often it ran is how many such figures there are. */
export const measured = (controller: string, run: Run, { metrics, installation, clock }: Measuring): Run => {
  if (!metrics) return run;
  return async (...given) => {
    const began = clock.now();
    const tell = (failed: number) =>
      metrics(
        { Installation: installation, Worker: classOf(controller) },
        { PassMilliseconds: [clock.now() - began, 'Milliseconds'], FailedPasses: [failed, 'Count'] },
      );
    try {
      const outcome = await run(...given);
      tell(outcome.ended === 'failed' ? 1 : 0);
      return outcome;
    } catch (error) {
      tell(1);
      throw error;
    }
  };
};
