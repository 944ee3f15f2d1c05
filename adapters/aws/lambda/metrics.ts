/** Metrics as lines of the log: CloudWatch reads its embedded metric format as it comes, and no call is made. */
import type { Clock } from '../../../machinery/ports.ts';

export type Unit = 'Count' | 'Milliseconds';
export type Metrics = (dimensions: Record<string, string>, values: Record<string, [number, Unit]>) => void;

export interface EmbeddedMetricsOptions {
  clock: Pick<Clock, 'now'>;
  namespace: string;
  /** Where lines go: Lambda takes what is printed. */
  write?: (line: string) => void;
}

/** Each combination of dimensions and each value is a metric that is paid for: keep them few. */
export const embeddedMetrics =
  ({ clock, namespace, write = console.log }: EmbeddedMetricsOptions): Metrics =>
  (dimensions, values) => {
    const all = Object.entries(values);
    const metrics = {
      Namespace: namespace,
      Dimensions: [Object.keys(dimensions)],
      Metrics: all.map(([Name, [, Unit]]) => ({ Name, Unit })),
    };
    const figures = Object.fromEntries(all.map(([name, [value]]) => [name, value]));
    write(
      JSON.stringify({ _aws: { Timestamp: clock.now(), CloudWatchMetrics: [metrics] }, ...dimensions, ...figures }),
    );
  };
