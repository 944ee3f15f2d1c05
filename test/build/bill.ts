/**
 * The monthly cost of an installation, from its synthesised templates, AWS prices and the work counted by `npm run bench:fleet`.
 * docs/cost.md shows the result; cost.test.ts compares the two.
 */
import { kindsOnDemand } from '../../kinds/on-demand.ts';
import { ofType, type Synthesised } from './stacks.fixture.ts';

/** Dollars, us-east-1, without a free tier. Source: AWS price pages, November 2026. */
const prices = {
  readUnit: 0.125e-6,
  writeUnit: 0.625e-6,
  lambdaRequest: 0.2e-6,
  gigabyteSecond: 0.0000133334,
  sqsRequest: 0.4e-6,
  restRequest: 3.5e-6,
  transition: 0.025e-3,
  trace: 5e-6,
  loggedGigabyte: 0.5,
  keptGigabyte: 0.03,
  alarmedMetric: 0.1,
  key: 1,
};

/** A cluster of three control plane machines and seven workers, as counted by bench:fleet on 2026-11-22. */
const counted = {
  restADay: { reads: 2_703, writes: 472, passes: 173 },
  installationADay: { reads: 7_326, writes: 235, passes: 25 },
  replacement: { reads: 1_388, writes: 1_015, passes: 92 },
};

/** An hour of a cluster with idle pools, as test/system/reports.test.ts counts it. */
const idleHour = {
  /** Decisions of the autoscaler, and reports of their own requests and the prober's. */
  reporting: { decisions: 12, reports: 18 },
  polled: { decisions: 240, reports: 0 },
};

/** Assumed, not measured. */
const assumed = {
  replacementsAMonth: 60,
  requestsAMonth: 3_000,
  /** Two operations of sixty transitions. */
  transitionsAMonth: 120,
  passSeconds: 0.05,
  requestSeconds: 0.05,
  sweepSeconds: 1,
  decision: { seconds: 0.3, reads: 20, writes: 3 },
  report: { seconds: 0.05, reads: 1, writes: 2 },
  /** Write units per change: the object, its log slot and an index item, each twice in a transaction. */
  unitsAChange: 12,
  /** Read units per sweep and type: its position, its cursor and its page of the ledger. */
  ledgerReads: 3,
  /** Log lines per invocation, Lambda's and Capstan's. */
  loggedBytes: 700,
};

/** Types of objects, each with its own log. */
const types = kindsOnDemand.length;
const daysAMonth = 30;
const secondsAMonth = daysAMonth * 86_400;
/** Lambda polls a queue with five concurrent long polls, each of the queue's wait time. */
const pollers = 5;
/** Minutes per hour in which slow queues are polled: until the first sweep that is eight minutes late. */
const slowMinutes = 13;
/** X-Ray samples the first request of each second and a twentieth of the others. */
const sampled = (requests: number): number => {
  const first = Math.min(requests, secondsAMonth);
  return first + 0.05 * (requests - first);
};

interface Work {
  reads: number;
  writes: number;
  passes: number;
}
const times = ({ reads, writes, passes }: Work, n: number): Work => ({
  reads: reads * n,
  writes: writes * n,
  passes: passes * n,
});

/** Dollars a month by purpose. */
export type Bill = Record<
  'key' | 'alarms' | 'polling' | 'sweeps' | 'ledger' | 'rest' | 'replacements' | 'requests' | 'traces' | 'logs',
  number
>;

export const partsOf = ({ controlPlane, monitoring }: Pick<Synthesised, 'controlPlane' | 'monitoring'>) => {
  const functions = ofType(controlPlane, 'AWS::Lambda::Function').map(([, { Properties }]) => Properties);
  const functionOf = (name: string) => functions.find(({ FunctionName }) => FunctionName === `capstan-${name}`)!;
  const gigabytes = (name: string) => Number(functionOf(name).MemorySize) / 1024;
  const isTraced = (name: string) =>
    (functionOf(name).TracingConfig as { Mode?: string } | undefined)?.Mode === 'Active';
  const queues = ofType(controlPlane, 'AWS::SQS::Queue').map(([, { Properties }]) => Properties);
  const waitOf = (ending: string) =>
    queues
      .filter(({ QueueName }) => String(QueueName).endsWith(ending))
      .map((one) => Number(one.ReceiveMessageWaitTimeSeconds));
  const rates = ofType(controlPlane, 'AWS::Scheduler::Schedule').map(([, { Properties }]) => {
    const [, count, unit] = /rate\((\d+) (minute|hour)s?\)/.exec(String(Properties.ScheduleExpression))!;
    return (unit === 'hour' ? 60 : 1) * Number(count);
  });
  const alarms = ofType(monitoring, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties);
  const looked = alarms.map(({ Metrics }) =>
    Metrics === undefined ? 1 : (Metrics as { MetricStat?: object }[]).filter(({ MetricStat }) => MetricStat).length,
  );
  const metrics = looked.reduce((sum, count) => sum + count, 0);
  const retention = Number(ofType(controlPlane, 'AWS::Logs::LogGroup')[0]![1].Properties.RetentionInDays);
  const keys = ofType(controlPlane, 'AWS::KMS::Key').length;
  return { gigabytes, isTraced, waitOf, rates, metrics, retention, keys };
};
export type Parts = ReturnType<typeof partsOf>;

export const billOf = (parts: Parts, clusters: number): Bill => {
  const { gigabytes, isTraced, waitOf, rates, metrics, retention, keys } = parts;
  const isAwake = clusters > 0;
  const invocation = (name: string, seconds: number) =>
    prices.lambdaRequest + gigabytes(name) * seconds * prices.gigabyteSecond;
  const worked = ({ reads, writes, passes }: Work): number => {
    const changes = writes / assumed.unitsAChange;
    return (
      reads * prices.readUnit +
      writes * prices.writeUnit +
      passes * (invocation('reconcile-aws', assumed.passSeconds) + 3 * prices.sqsRequest) +
      changes * invocation('dispatch', assumed.passSeconds)
    );
  };
  const rest = times(counted.restADay, clusters * daysAMonth);
  const base = times(counted.installationADay, isAwake ? daysAMonth : 0);
  const replaced = times(counted.replacement, clusters * assumed.replacementsAMonth);
  const requests = clusters * assumed.requestsAMonth;
  const sweeps = isAwake ? rates.reduce((sum, minutes) => sum + secondsAMonth / 60 / minutes, 0) : 0;
  // At most one write per change (a batch of changes of a type takes one), and one per type and sweep for its cursor.
  const changes = (rest.writes + base.writes + replaced.writes) / assumed.unitsAChange;
  const cursors = Math.min(changes, sweeps * types);
  const passes = rest.passes + base.passes + replaced.passes;
  const invocations = passes + requests + sweeps;
  const receives = (waits: number[], share: number) =>
    waits.reduce((sum, seconds) => sum + (pollers * secondsAMonth * share) / seconds, 0);
  const traced = (isTraced('reconcile-aws') ? sampled(passes) : 0) + (isTraced('api') ? sampled(requests) : 0);
  const logged = (invocations * assumed.loggedBytes) / 1e9;
  return {
    key: keys * prices.key,
    alarms: metrics * prices.alarmedMetric,
    polling: isAwake
      ? (receives(waitOf('-hot'), 1) + receives(waitOf('-slow'), slowMinutes / 60)) * prices.sqsRequest
      : 0,
    sweeps: sweeps * invocation('sweep', assumed.sweepSeconds),
    ledger: (changes + cursors) * prices.writeUnit + sweeps * types * assumed.ledgerReads * prices.readUnit,
    rest: worked(rest) + worked(base),
    replacements: worked(replaced),
    requests:
      requests * (prices.restRequest + invocation('api', assumed.requestSeconds)) +
      clusters * assumed.transitionsAMonth * prices.transition,
    traces: traced * prices.trace,
    logs: logged * (prices.loggedGigabyte + (prices.keptGigabyte * retention) / daysAMonth),
  };
};

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, dollars) => sum + dollars, 0);

/** A watch that is open all the time. */
export const watcherOf = ({ gigabytes }: Parts): number => gigabytes('watch') * secondsAMonth * prices.gigabyteSecond;

/** A report wakes at most one controller. */
const reportOf = ({ gigabytes }: Parts): number => {
  const { seconds, reads, writes } = assumed.report;
  return (
    prices.restRequest +
    prices.lambdaRequest +
    gigabytes('audit-webhook') * seconds * prices.gigabyteSecond +
    reads * prices.readUnit +
    writes * prices.writeUnit +
    prices.sqsRequest
  );
};

/** An opted-in cluster whose pools are idle. */
export const idlePoolsOf = (parts: Parts, how: keyof typeof idleHour): number => {
  const { decisions, reports } = idleHour[how];
  const { seconds, reads, writes } = assumed.decision;
  const decision =
    prices.lambdaRequest +
    parts.gigabytes('reconcile-workload') * seconds * prices.gigabyteSecond +
    reads * prices.readUnit +
    writes * prices.writeUnit +
    3 * prices.sqsRequest;
  return (decisions * decision + reports * reportOf(parts)) * 24 * daysAMonth;
};

/** Pods that wait or end, each in a report of its own. */
const reportedPods = 100_000;

const names: Record<Exclude<keyof Bill, 'traces'>, string> = {
  key: 'key',
  alarms: 'alarms',
  polling: 'polling of queues',
  sweeps: 'sweeps',
  ledger: 'ledger of dispatched changes',
  rest: 'rest',
  replacements: 'machines replaced',
  requests: 'API requests and operations',
  logs: 'logs',
};
const sizes = [0, 10, 1_000, 10_000];
const dollars = (amount: number): string => (amount === 0 ? '0' : amount.toFixed(2));

/** The table of docs/cost.md. */
/** `traced`: with the setting `tracing`, which adds its own row. */
export const renderBill = (parts: Parts, traced: Parts): string => {
  const bills = sizes.map((clusters) => billOf(parts, clusters));
  const row = (name: string, cells: string[]) => `| ${[name, ...cells].join(' | ')} |`;
  return [
    row(
      'clusters of 10 machines',
      sizes.map((clusters) => clusters.toLocaleString('en')),
    ),
    `|${'---|'.repeat(sizes.length + 1)}`,
    ...(Object.keys(names) as (keyof typeof names)[]).map((part) =>
      row(
        names[part],
        bills.map((bill) => dollars(bill[part])),
      ),
    ),
    row(
      '**without watches**',
      bills.map((bill) => `**${totalOf(bill).toFixed(2)}**`),
    ),
    row(
      'each watch that is always open',
      sizes.map(() => watcherOf(parts).toFixed(2)),
    ),
    ...(
      [
        ['each cluster with idle pools, reporting', idlePoolsOf(parts, 'reporting')],
        ['the same, polled', idlePoolsOf(parts, 'polled')],
        [`${reportedPods.toLocaleString('en')} reported Pods`, reportedPods * reportOf(parts)],
      ] as const
    ).map(([name, amount]) =>
      row(
        name,
        sizes.map((clusters) => dollars(clusters === 0 ? 0 : amount)),
      ),
    ),
    row(
      'traces, with `tracing=true`',
      sizes.map((clusters) => dollars(billOf(traced, clusters).traces)),
    ),
  ].join('\n');
};
