/** Evaluates the template's alarms on metrics of an installation where polling, sweeps or dispatch stopped. */
import { beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { undispatchedEntry } from '../../cdk/monitoring/undispatched.ts';
import { createSweeping } from '../../lambdas/runtime/sweeping.ts';
import { silent } from '../../lambdas/switches.fixture.ts';
import { createWorld } from '../../lambdas/world.fixture.ts';
import { createReceiver, createWork } from '../../machinery/controller/index.ts';
import { ofType, synthesise, type Template } from './stacks.fixture.ts';

const minute = 60_000;
const timer = 10 * minute;

interface Query {
  Id: string;
  Expression?: string;
  MetricStat?: { Metric: { MetricName: string; Dimensions: { Name: string; Value: unknown }[] }; Period: number };
}
interface Alarm {
  AlarmName: string;
  EvaluationPeriods: number;
  Threshold: number;
  TreatMissingData: string;
  Metrics: Query[];
}

let monitoring: Template;
beforeAll(() => {
  monitoring = synthesise().monitoring;
}, 120_000);

const alarmOf = (id: string): Alarm => {
  const found = ofType(monitoring, 'AWS::CloudWatch::Alarm').find(
    ([, one]) => one.Properties.AlarmName === `capstan-${id}`,
  );
  return found![1].Properties as unknown as Alarm;
};

/** The name of a metric: the queue or the function, and the statistic. */
const nameOf = ({ Metric }: NonNullable<Query['MetricStat']>) =>
  `${String(Metric.Dimensions[0]!.Value).replace('capstan-', '')} ${Metric.MetricName}`;

/** CloudWatch's expressions for one period: a metric without data is undefined, and FILL makes it a number. */
const evaluate = (expression: string, values: Record<string, number | undefined>): number => {
  const FILL = (value: number | undefined, instead: number) => value ?? instead;
  const SUM = (all: number[]) => all.reduce((sum, one) => sum + one, 0);
  const MAX = (all: number[]) => Math.max(...all);
  const IF = (condition: unknown, then: number, otherwise: number) => (condition ? then : otherwise);
  const script = expression.replaceAll(' AND ', ' && ');
  const names = Object.keys(values);
  return new Function('FILL', 'SUM', 'MAX', 'IF', ...names, `return ${script}`)(
    FILL,
    SUM,
    MAX,
    IF,
    ...names.map((name) => values[name]),
  );
};

interface Installation {
  /** Whether an object with a resync period exists. */
  isLookedAfter: boolean;
  /** The failure starts with the second hour. */
  polls: boolean;
  sweeps: boolean;
}

/** The metrics of each minute of four hours. */
const observe = async ({ isLookedAfter, polls, sweeps }: Installation) => {
  const clock = virtualClock(Date.UTC(2026, 10, 26));
  const messages = new Set<{ body: string; sent: number; visible: number }>();
  const work = createWork({
    table: memoryTable({ clock }),
    queueOf: () => ({
      send: async (body, delay = 0) => {
        messages.add({ body, sent: clock.now(), visible: clock.now() + delay * 1000 });
      },
    }),
    clock,
    random: seededRandom(1),
    late: async () => {},
  });
  const runners = {
    'workload-prober': {
      run: async () => ({ ended: 'finished', due: clock.now() + timer }) as const,
      types: () => ['clusters.cluster.x-k8s.io'],
    },
  };
  const log = { info: () => {}, error: () => {} };
  const worker = createReceiver({ work, clock, log, runners });
  if (isLookedAfter) {
    const key = { namespace: 'default', name: 'one' };
    await work.request({ controller: 'workload-prober', type: 'clusters.cluster.x-k8s.io', ...key }, { urgent: true });
  }
  const minutes: Record<string, number>[] = [];
  const began = clock.now();
  for (let at = 0; at < 240; at++) {
    const isLater = at >= 60;
    const isPolled = polls || !isLater;
    for (const message of isPolled ? messages : [])
      if (message.visible <= clock.now()) {
        messages.delete(message);
        await worker.receive(message.body, 1);
      }
    const seen = [...messages].filter(({ visible }) => visible <= clock.now());
    const isSwept = at % 10 === 0 && isLookedAfter && (sweeps || !isLater);
    minutes.push({
      ...(messages.size > 0 && {
        'workload-hot ApproximateAgeOfOldestMessage': Math.max(
          0,
          ...seen.map(({ sent }) => (clock.now() - sent) / 1000),
        ),
        'workload-hot ApproximateNumberOfMessagesDelayed': messages.size - seen.length,
      }),
      ...(isSwept && { 'sweep Invocations': 1 }),
    });
    await clock.advance(minute);
  }
  expect(clock.now() - began).toBe(240 * minute);
  return minutes;
};

/** The first minute at which the alarm fires. */
const firesAt = (alarm: Alarm, minutes: Record<string, number>[]): number | undefined => {
  const period = Math.max(...alarm.Metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? [])) / 60;
  let breaching = 0;
  for (let from = 0; from + period <= minutes.length; from += period) {
    const within = minutes.slice(from, from + period);
    const values = Object.fromEntries(
      alarm.Metrics.flatMap(({ Id, MetricStat }) => {
        if (!MetricStat) return [];
        const seen = within.flatMap((one) => one[nameOf(MetricStat)] ?? []);
        return [[Id, seen.length > 0 ? Math.max(...seen) : undefined]];
      }),
    );
    const value = evaluate(alarm.Metrics.find(({ Expression }) => Expression)!.Expression!, values);
    breaching = value >= alarm.Threshold ? breaching + 1 : 0;
    if (breaching >= alarm.EvaluationPeriods) return from + period;
  }
  return undefined;
};

describe('an alarm fires when clusters exist and', () => {
  const fires = async (installation: Installation) => {
    const minutes = await observe(installation);
    return {
      MessagesWait: firesAt(alarmOf('MessagesWait'), minutes),
      SweepMissing: firesAt(alarmOf('SweepMissing'), minutes),
    };
  };

  it('polling stops: the mappings are disabled, and the sweep cannot enable them', async () => {
    const { MessagesWait } = await fires({ isLookedAfter: true, polls: false, sweeps: true });
    expect(MessagesWait).toBeGreaterThan(60);
    expect(MessagesWait).toBeLessThanOrEqual(100);
  });

  it('polling and sweeps stop', async () => {
    const { MessagesWait } = await fires({ isLookedAfter: true, polls: false, sweeps: false });
    expect(MessagesWait).toBeLessThanOrEqual(100);
  });

  it('sweeps stop', async () => {
    const { MessagesWait, SweepMissing } = await fires({ isLookedAfter: true, polls: true, sweeps: false });
    expect(MessagesWait).toBeUndefined();
    expect(SweepMissing).toBeGreaterThan(60);
    expect(SweepMissing).toBeLessThanOrEqual(120);
  });

  it.each<Installation>([
    { isLookedAfter: true, polls: true, sweeps: true },
    // Asleep: the sweep switched everything off because the installation has no work.
    { isLookedAfter: false, polls: false, sweeps: false },
  ])('no alarm fires otherwise: %j', async (installation) => {
    expect(await fires(installation)).toEqual({ MessagesWait: undefined, SweepMissing: undefined });
  });
});

it('the sweep logs a restore with the words that an alarm counts', async () => {
  const { foundation, lines } = createWorld();
  const keep = async () => 'the table objects has no stream';
  const switches = { mappings: silent, schedules: silent, slow: silent };
  await createSweeping(foundation, switches, { keep }).sweep();
  expect(lines.filter((line) => line.includes(undispatchedEntry))).toEqual([
    expect.stringContaining('the table objects has no stream'),
  ]);
  const filters = ofType(monitoring, 'AWS::Logs::MetricFilter').map(([, one]) => one.Properties);
  expect(filters).toContainEqual(
    expect.objectContaining({ LogGroupName: '/capstan/capstan/sweep', FilterPattern: `"${undispatchedEntry}"` }),
  );
});

it('the sweep continues when the stream is unreadable', async () => {
  const { foundation, sent } = createWorld();
  const key = { controller: 'machine-set', type: 'machinesets.cluster.x-k8s.io', namespace: 'default', name: 'a' };
  await foundation.workItems.request(key, { urgent: true });
  sent.length = 0;
  const keep = () => Promise.reject(new Error('refused'));
  const switches = { mappings: silent, schedules: silent, slow: silent };
  await expect(createSweeping(foundation, switches, { keep }).sweep()).rejects.toThrow('refused');
  expect(sent).toHaveLength(1);
});
