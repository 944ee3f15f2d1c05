/**
 * The monthly cost of an installation, from its synthesised templates, AWS prices and the work counted by `npm run bench:bill`.
 * docs/cost.md shows the result; cost.test.ts compares the two.
 */
import { keptFor } from '../../adapters/aws/keys/kms.ts';
import counted from '../../bench/bill/counted.json' with { type: 'json' };
import { type Counts, fleets, type Work, workers } from '../../bench/bill/work.ts';
import { kindsOnDemand } from '../../kinds/on-demand.ts';
import { auditEventOf } from '../../machinery/server/audit.ts';
import { ofType, type Synthesised } from './stacks.fixture.ts';

/** Dollars, us-east-1, without a free tier. Source: AWS price pages, November 2026. */
export const prices = {
  readUnit: 0.125e-6,
  writeUnit: 0.625e-6,
  /** A gigabyte in a table, with its backup for point-in-time recovery. */
  storedGigabyte: 0.25 + 0.2,
  lambdaRequest: 0.2e-6,
  gigabyteSecond: 0.0000133334,
  sqsRequest: 0.4e-6,
  apiRequest: 3.5e-6,
  transition: 0.025e-3,
  schedule: 1e-6,
  trace: 5e-6,
  loggedGigabyte: 0.5,
  keptGigabyte: 0.03,
  alarmedMetric: 0.1,
  key: 1,
  keyCall: 3e-6,
  secretCall: 5e-6,
  /** Of an hour or a part of it. */
  secretHour: 0.4 / 720,
};

type Amounts = Omit<Work, 'stored' | 'logged'>;
const mapped = (work: Amounts, of: (amount: number, name: keyof Amounts) => number): Amounts => ({
  reads: of(work.reads, 'reads'),
  writes: of(work.writes, 'writes'),
  changes: of(work.changes, 'changes'),
  passes: of(work.passes, 'passes'),
  sends: of(work.sends, 'sends'),
  messages: of(work.messages, 'messages'),
  invocations: of(work.invocations, 'invocations'),
  keyCalls: of(work.keyCalls, 'keyCalls'),
  secrets: of(work.secrets, 'secrets'),
  secretCalls: of(work.secretCalls, 'secretCalls'),
});
const times = (work: Amounts, n: number) => mapped(work, (amount) => amount * n);

const [small, large] = fleets.map((clusters) => (counted as Counts)[clusters]!) as [Counts[string], Counts[string]];
const [fewer, more] = fleets;
/** What the clusters of the large fleet add, a cluster. */
const shareOf = (phase: keyof Counts[string]): Amounts =>
  mapped(large[phase], (amount, name) => (amount - small[phase][name]) / (more - fewer));
const idleDay = shareOf('idle');

/** A cluster of three control plane machines and seven workers. */
export const work = {
  creation: times(large.create, 1 / more),
  singleCreation: small.create,
  idleDay,
  installationADay: mapped(small.idle, (amount, name) => amount - fewer * idleDay[name]),
  replacement: times(large.rollout, 1 / more / workers),
  deletion: times(large.delete, 1 / more),
};
/** Bytes in the tables: of a cluster, and in the log of a replaced worker. */
const bytes = {
  cluster: large.idle.stored / more,
  replacement: (large.rollout.logged - large.idle.logged) / more / workers,
};

/** An hour of a cluster with idle pools, as test/system/reports.long.test.ts counts it. */
const idleHour = {
  /** Decisions of the autoscaler, and reports of their own requests and the prober's. */
  reporting: { decisions: 12, reports: 18 },
  polled: { decisions: 240, reports: 0 },
};

/** Assumed, not measured. */
export const assumed = {
  replacementsAMonth: 60,
  requestsAMonth: 3_000,
  /** Two operations of sixty transitions. */
  transitionsAMonth: 120,
  /** With a pass, and without one. */
  passSeconds: 0.05,
  messageSeconds: 0.01,
  requestSeconds: 0.05,
  requestReads: 4,
  sweepSeconds: 1,
  decision: { seconds: 0.3, reads: 20, writes: 3 },
  report: { seconds: 0.05, reads: 1, writes: 2 },
  /** Clusters that share a namespace, and so its keys. */
  clustersANamespace: 10,
  /** Data keys of a namespace in use: of three purposes in three processes, and of one in that of `reconcile-aws`. */
  keysInUse: 10,
  /** Calls of a machine that fetches and deletes its secret. */
  hostCallsASecret: 2,
  /** Read units per sweep and type: its position, its cursor and its page of the ledger. */
  ledgerReads: 3,
  /** Log lines per invocation, Lambda's and Capstan's. */
  loggedBytes: 700,
};

/** Types of objects, each with its own log. */
const types = kindsOnDemand.length;
const daysAMonth = 30;
/** How often a process asks for a key that it uses all day. */
const keptKeysADay = 86_400_000 / keptFor;
/** How long the log keeps a change. */
const logHours = 30;
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

/** Bytes of a typical entry of the audit log, with those that CloudWatch adds. */
const auditBytes = (() => {
  const headers = { 'user-agent': 'kubectl/v1.36.0 (linux/amd64) kubernetes/abcdef0', 'x-forwarded-for': '192.0.2.1' };
  const [namespace, name] = ['default', 'production-workers-abcde'];
  const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}/machines/${name}`;
  const user = {
    username: 'arn:aws:iam::111122223333:role/deployer',
    groups: ['system:masters', 'system:authenticated'],
  };
  const attributes = {
    user,
    verb: 'get',
    path,
    group: 'cluster.x-k8s.io',
    version: 'v1beta2',
    resource: 'machines',
    namespace,
    name,
  };
  const request = new Request(`https://api.example.com${path}`, { headers });
  const event = auditEventOf(
    request,
    '00000000-0000-4000-8000-000000000000',
    { user, attributes },
    { code: 200 },
    { began: 0, ended: 0 },
  );
  return JSON.stringify(event).length + 26;
})();

/** Dollars a month by purpose. */
export type Bill = Record<
  | 'key'
  | 'alarms'
  | 'polling'
  | 'sweeps'
  | 'ledger'
  | 'rest'
  | 'replacements'
  | 'requests'
  | 'keyCalls'
  | 'secrets'
  | 'tables'
  | 'traces'
  | 'logs'
  | 'auditLog',
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
  const groups = ofType(controlPlane, 'AWS::Logs::LogGroup');
  /** Months for which a log group keeps what is written, by the end of its id in the template. */
  const retained = (isOf: (id: string) => boolean) =>
    Number(groups.find(([id]) => isOf(id))![1].Properties.RetentionInDays) / daysAMonth;
  const retention = {
    functions: retained((id) => id.startsWith('ApiLog')),
    audit: retained((id) => id.startsWith('AuditLog')),
  };
  const keys = ofType(controlPlane, 'AWS::KMS::Key').length;
  return { gigabytes, isTraced, waitOf, rates, metrics, retention, keys };
};
export type Parts = ReturnType<typeof partsOf>;

export const billOf = (parts: Parts, clusters: number): Bill => {
  const { gigabytes, isTraced, waitOf, rates, metrics, retention, keys } = parts;
  const isAwake = clusters > 0;
  const secondOf = (name: string) => gigabytes(name) * prices.gigabyteSecond;
  const invocation = (name: string, seconds: number) => prices.lambdaRequest + seconds * secondOf(name);
  const worked = ({ reads, writes, changes, passes, sends, messages, invocations }: Amounts): number =>
    reads * prices.readUnit +
    writes * prices.writeUnit +
    invocations * prices.lambdaRequest +
    (passes * assumed.passSeconds + (messages - passes) * assumed.messageSeconds) * secondOf('reconcile-aws') +
    // The messages of an invocation are received and deleted together.
    (sends + 2 * invocations) * prices.sqsRequest +
    changes * invocation('dispatch', assumed.passSeconds);
  const rest = times(work.idleDay, clusters * daysAMonth);
  const base = times(work.installationADay, isAwake ? daysAMonth : 0);
  const replacements = clusters * assumed.replacementsAMonth;
  const replaced = times(work.replacement, replacements);
  const all = mapped(rest, (amount, name) => amount + base[name] + replaced[name]);
  const requests = clusters * assumed.requestsAMonth;
  const sweeps = isAwake ? rates.reduce((sum, minutes) => sum + secondsAMonth / 60 / minutes, 0) : 0;
  // At most one write per change (a batch of changes of a type takes one), and one per type and sweep for its cursor.
  const cursors = Math.min(all.changes, sweeps * types);
  const invocations = all.invocations + all.changes + requests + sweeps;
  const receives = (waits: number[], share: number) =>
    waits.reduce((sum, seconds) => sum + (pollers * secondsAMonth * share) / seconds, 0);
  const traced = (isTraced('reconcile-aws') ? sampled(all.invocations) : 0) + (isTraced('api') ? sampled(requests) : 0);
  const namespaces = Math.ceil(clusters / assumed.clustersANamespace);
  const keyCalls = Math.min(clusters * small.idle.keyCalls, namespaces * assumed.keysInUse * keptKeysADay) * daysAMonth;
  const stored = clusters * bytes.cluster + bytes.replacement * replacements * (logHours / (24 * daysAMonth));
  const logged = (size: number, months: number) =>
    (size / 1e9) * (prices.loggedGigabyte + prices.keptGigabyte * months);
  return {
    key: keys * prices.key,
    alarms: metrics * prices.alarmedMetric,
    polling: isAwake
      ? (receives(waitOf('-hot'), 1) + receives(waitOf('-slow'), slowMinutes / 60)) * prices.sqsRequest
      : 0,
    sweeps: sweeps * (invocation('sweep', assumed.sweepSeconds) + prices.schedule),
    ledger: (all.changes + cursors) * prices.writeUnit + sweeps * types * assumed.ledgerReads * prices.readUnit,
    rest: worked(rest) + worked(base),
    replacements: worked(replaced),
    requests:
      requests *
        (prices.apiRequest + invocation('api', assumed.requestSeconds) + assumed.requestReads * prices.readUnit) +
      clusters * assumed.transitionsAMonth * prices.transition,
    keyCalls: keyCalls * prices.keyCall,
    secrets:
      all.secrets * (prices.secretHour + assumed.hostCallsASecret * prices.secretCall) +
      all.secretCalls * prices.secretCall,
    tables: (stored / 1e9) * prices.storedGigabyte,
    traces: traced * prices.trace,
    logs: logged(invocations * assumed.loggedBytes, retention.functions),
    auditLog: logged(requests * auditBytes, retention.audit),
  };
};

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, dollars) => sum + dollars, 0);

/** A watch that is open all the time. */
export const watcherOf = ({ gigabytes }: Parts): number => gigabytes('watch') * secondsAMonth * prices.gigabyteSecond;

/** A report wakes at most one controller. */
const reportOf = ({ gigabytes }: Parts): number => {
  const { seconds, reads, writes } = assumed.report;
  return (
    prices.apiRequest +
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
  key: 'keys',
  alarms: 'alarms',
  polling: 'polling of queues',
  sweeps: 'sweeps',
  ledger: 'ledger of dispatched changes',
  rest: 'rest',
  replacements: 'machines replaced',
  requests: 'API requests and operations',
  keyCalls: 'calls of KMS',
  secrets: 'Secrets Manager',
  tables: 'tables and their backup',
  logs: 'logs of functions',
  auditLog: 'audit log',
};
const sizes = [0, 10, 1_000, 10_000];
const dollars = (amount: number): string => (amount === 0 ? '0' : amount.toFixed(2));

const whole = (amount: number): string => Math.round(amount).toLocaleString('en');
const works: Record<keyof typeof work, string> = {
  creation: 'creating a cluster, eleven at once',
  singleCreation: 'creating one alone',
  idleDay: 'an idle day, per cluster',
  installationADay: 'an idle day, the installation',
  replacement: 'replacing one of seven workers',
  deletion: 'deleting a cluster',
};

/** The first table of docs/cost.md. */
export const renderWork = (): string => {
  const rows = (Object.keys(works) as (keyof typeof works)[]).map((name) => {
    const { reads, writes, changes, passes, messages, invocations } = work[name];
    return [works[name], ...[reads, writes, changes, passes, messages, invocations].map(whole)];
  });
  return [
    ['work', 'read units', 'write units', 'changes', 'passes', 'messages', 'invocations'],
    ['---', '---', '---', '---', '---', '---', '---'],
    ...rows,
  ]
    .map((cells) => (cells[0] === '---' ? `|${cells.join('|')}|` : `| ${cells.join(' | ')} |`))
    .join('\n');
};

/** The second table of docs/cost.md. */
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
