/** CloudWatch as far as the alarms use it: samples, metric filters of logs, expressions, and the state of an alarm. */
import { ofType, type Template } from './stacks.fixture.ts';

interface MetricRef {
  MetricName: string;
  Namespace: string;
  Dimensions?: { Name: string; Value: unknown }[];
}
interface Query {
  Id: string;
  Expression?: string;
  MetricStat?: { Metric: MetricRef; Period: number; Stat: string };
}
export interface Alarm extends Partial<MetricRef> {
  AlarmName: string;
  ComparisonOperator: string;
  EvaluationPeriods: number;
  DatapointsToAlarm?: number;
  Threshold: number;
  TreatMissingData: string;
  Metrics?: Query[];
  Period?: number;
  Statistic?: string;
}

export const alarmsOf = (monitoring: Template): Alarm[] =>
  ofType(monitoring, 'AWS::CloudWatch::Alarm').map(([, one]) => one.Properties as unknown as Alarm);

/** The values of each metric by minute. */
export type Samples = Map<string, Map<number, number[]>>;

export const createSamples = (): {
  samples: Samples;
  add: (metric: string, minute: number, value?: number) => void;
} => {
  const samples: Samples = new Map();
  return {
    samples,
    add: (metric, minute, value = 1) => {
      const ofMetric = samples.get(metric) ?? new Map<number, number[]>();
      samples.set(metric, ofMetric);
      const at = Math.floor(minute);
      ofMetric.set(at, [...(ofMetric.get(at) ?? []), value]);
    },
  };
};

/** A name such as `workload-hot ApproximateAgeOfOldestMessage`; that of a metric from logs alone. */
const nameOf = ({ MetricName, Dimensions = [] }: MetricRef): string => {
  const [first] = Dimensions.map(({ Value }) => String(Value).replace('capstan-', ''));
  return first === undefined ? MetricName : `${first} ${MetricName}`;
};

const statistics: Record<string, (values: number[]) => number> = {
  Sum: (values) => values.reduce((sum, value) => sum + value, 0),
  Maximum: (values) => Math.max(...values),
};

const functions = {
  FILL: (value: number | undefined, instead: number) => value ?? instead,
  SUM: (all: number[]) => all.reduce((sum, one) => sum + one, 0),
  MAX: (all: number[]) => Math.max(...all),
  IF: (condition: unknown, then: number, otherwise: number) => (condition ? then : otherwise),
};

const evaluate = (expression: string, values: Record<string, number | undefined>): number => {
  const known = { ...functions, ...values };
  return new Function(...Object.keys(known), `return ${expression.replaceAll(' AND ', ' && ')}`)(
    ...Object.values(known),
  );
};

const pointOf = (samples: Samples, metric: MetricRef, statistic: string, from: number, to: number) => {
  const values: number[] = [];
  for (let minute = from; minute < to; minute++) values.push(...(samples.get(nameOf(metric))?.get(minute) ?? []));
  return values.length > 0 ? statistics[statistic]!(values) : undefined;
};

/** The value of an alarm in the period that ends at `end`; undefined is missing data. */
const valueAt = (alarm: Alarm, samples: Samples, end: number, period: number): number | undefined => {
  const { Metrics, Statistic = 'Sum' } = alarm;
  if (!Metrics) return pointOf(samples, alarm as MetricRef, Statistic, end - period, end);
  const valuesAt = (upTo: number) =>
    Object.fromEntries(
      Metrics.flatMap(({ Id, MetricStat }) =>
        MetricStat ? [[Id, pointOf(samples, MetricStat.Metric, MetricStat.Stat, upTo - period, upTo)]] : [],
      ),
    );
  const expression = Metrics.find(({ Expression }) => Expression)!.Expression!;
  const [, difference] = /^DIFF\((.*)\)$/.exec(expression) ?? [];
  if (difference === undefined) return evaluate(expression, valuesAt(end));
  return evaluate(difference, valuesAt(end)) - evaluate(difference, valuesAt(end - period));
};

const periodOf = ({ Metrics, Period }: Alarm): number =>
  (Metrics ? Math.max(...Metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? [])) : Period!) / 60;

/**
 * The minutes at which the alarm goes from OK to ALARM, when its periods begin at `offset`. Offsets stand for the
 * moments of schedules, which no template fixes.
 */
export const ringsOf = (alarm: Alarm, samples: Samples, minutes: number, offset: number): number[] => {
  if (alarm.ComparisonOperator !== 'GreaterThanOrEqualToThreshold' || alarm.TreatMissingData !== 'notBreaching')
    throw new Error(`${alarm.AlarmName} is evaluated in a way that is not written here`);
  const period = periodOf(alarm);
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, Threshold } = alarm;
  const rings: number[] = [];
  const breaches: boolean[] = [];
  let isRinging = false;
  for (let end = offset + period; end <= minutes; end += period) {
    breaches.push((valueAt(alarm, samples, end, period) ?? Number.NEGATIVE_INFINITY) >= Threshold);
    const breaching = breaches.slice(-EvaluationPeriods).filter((breach) => breach).length >= DatapointsToAlarm;
    if (breaching && !isRinging) rings.push(end);
    isRinging = breaching;
  }
  return rings;
};

/** The names of the metrics that the alarm reads. */
export const metricsOf = ({ Metrics, ...metric }: Alarm): string[] =>
  Metrics
    ? Metrics.flatMap(({ MetricStat }) => (MetricStat ? [nameOf(MetricStat.Metric)] : []))
    : [nameOf(metric as MetricRef)];

/** All offsets of the alarm's periods, in minutes. */
export const offsetsOf = (alarm: Alarm): number[] => Array.from({ length: periodOf(alarm) }, (_, offset) => offset);

const matches = (pattern: string, line: string): boolean => {
  const terms = [...pattern.matchAll(/(\??)"([^"]+)"/g)].map(([, optional, text]) => ({ optional, text: text! }));
  const of = (kind: string) => terms.filter(({ optional }) => optional === kind).map(({ text }) => line.includes(text));
  const [any, all] = [of('?'), of('')];
  return (any.length === 0 || any.includes(true)) && all.every((one) => one);
};

/** The metrics that the template counts an entry of a function's log as. Patterns over JSON match nothing here. */
export const countedAs = (monitoring: Template, name: string, line: string): string[] =>
  ofType(monitoring, 'AWS::Logs::MetricFilter')
    .map(
      ([, { Properties }]) =>
        Properties as unknown as {
          LogGroupName: string;
          FilterPattern: string;
          MetricTransformations: { MetricName: string }[];
        },
    )
    .filter(
      ({ LogGroupName, FilterPattern }) =>
        LogGroupName === `/capstan/capstan/${name}` && !FilterPattern.startsWith('{') && matches(FilterPattern, line),
    )
    .flatMap(({ MetricTransformations }) => MetricTransformations.map(({ MetricName }) => MetricName));
