/** Evaluates the alarms of the template, each on the metrics of its failure, at every moment of the schedules. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { lambdaLog } from '../../adapters/aws/lambda/log.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { asyncRetries, queue } from '../../cdk/limits.ts';
import { undispatchedEntry } from '../../cdk/monitoring/undispatched.ts';
import { scheduled } from '../../cdk/scheduled.ts';
import { createSweeping } from '../../lambdas/runtime/sweeping.ts';
import { silent } from '../../lambdas/switches.fixture.ts';
import { createWorld } from '../../lambdas/world.fixture.ts';
import { createReceiver, createWork } from '../../machinery/controller/index.ts';
import { createSkippedReports } from '../../machinery/controller/skipped.ts';
import { retry } from '../../stepfunctions/complete.ts';
import {
  type Alarm,
  alarmsOf,
  countedAs,
  createSamples,
  metricsOf,
  offsetsOf,
  ringsOf,
  type Samples,
} from './cloudwatch.fixture.ts';
import { ofType, synthesise, type Template } from './stacks.fixture.ts';

const minute = 60_000;
const timer = 10 * minute;

let monitoring: Template;
beforeAll(() => {
  monitoring = synthesise().monitoring;
}, 120_000);

const page = readFileSync(join(import.meta.dirname, '../../docs/alarms.md'), 'utf8');

const idOf = ({ AlarmName }: Alarm): string => AlarmName.replace('capstan-', '');
const alarmOf = (id: string): Alarm => alarmsOf(monitoring).find((alarm) => idOf(alarm) === id)!;
/** The minutes at which an alarm rings, for each offset of its periods. */
const ringsAt = (id: string, samples: Samples, minutes: number): number[][] =>
  offsetsOf(alarmOf(id)).map((offset) => ringsOf(alarmOf(id), samples, minutes, offset));

interface Installation {
  /** Whether an object with a resync period exists. */
  isLookedAfter: boolean;
  /** The failure starts with the second hour. */
  polls: boolean;
  sweeps: boolean;
}

/** Four hours. */
const observe = async ({ isLookedAfter, polls, sweeps }: Installation): Promise<Samples> => {
  const { samples, add } = createSamples();
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
    onStalePass: async () => {},
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
    if (messages.size > 0) {
      const ages = seen.map(({ sent }) => (clock.now() - sent) / 1000);
      add('workload-hot ApproximateAgeOfOldestMessage', at, Math.max(0, ...ages));
      add('workload-hot ApproximateNumberOfMessagesDelayed', at, messages.size - seen.length);
    }
    if (isSwept) add('sweep Invocations', at);
    await clock.advance(minute);
  }
  expect(clock.now() - began).toBe(240 * minute);
  return samples;
};

describe('when clusters exist and', () => {
  const fires = async (installation: Installation) => {
    const samples = await observe(installation);
    const firstOf = (id: string) => ringsAt(id, samples, 240).map(([first]) => first);
    return { MessagesWait: firstOf('MessagesWait'), SweepMissing: firstOf('SweepMissing') };
  };
  const isWithin = (rings: (number | undefined)[], from: number, to: number) =>
    rings.every((at) => at !== undefined && at > from && at <= to);

  it('polling stops, MessagesWait rings: the mappings are disabled, and the sweep cannot enable them', async () => {
    const { MessagesWait } = await fires({ isLookedAfter: true, polls: false, sweeps: true });
    expect(MessagesWait).toSatisfy((rings: number[]) => isWithin(rings, 60, 100));
  });

  it('polling and sweeps stop, MessagesWait rings', async () => {
    const { MessagesWait } = await fires({ isLookedAfter: true, polls: false, sweeps: false });
    expect(MessagesWait).toSatisfy((rings: number[]) => isWithin(rings, 60, 100));
  });

  it('sweeps stop, SweepMissing rings', async () => {
    const { MessagesWait, SweepMissing } = await fires({ isLookedAfter: true, polls: true, sweeps: false });
    expect(MessagesWait.every((at) => at === undefined)).toBe(true);
    expect(SweepMissing).toSatisfy((rings: number[]) => isWithin(rings, 60, 120));
  });

  it.each<Installation>([
    { isLookedAfter: true, polls: true, sweeps: true },
    // Asleep: the sweep switched everything off because the installation has no work.
    { isLookedAfter: false, polls: false, sweeps: false },
  ])('nothing stops, neither rings: %j', async (installation) => {
    const { MessagesWait, SweepMissing } = await fires(installation);
    expect([...MessagesWait, ...SweepMissing].every((at) => at === undefined)).toBe(true);
  });
});

const hours = 10;
const length = hours * 60;
/** Minutes. */
const begins = 120;

type Add = (metric: string, minute: number, value?: number) => void;
const span = (from: number, every = 1, to = length): number[] =>
  Array.from({ length: Math.ceil((to - from) / every) }, (_, n) => from + n * every);
/** Minutes after a failed asynchronous invocation at which Lambda repeats it. */
const repeats = [0, 1, 3].slice(0, asyncRetries + 1);
const failedRun = (add: Add, at: number) => {
  for (const after of repeats) add('sweep Errors', at + after);
};
/** Minutes after its start at which a task fails, with the longest waits that its retries may have. */
const failuresOfTask = (): number[] => {
  const { IntervalSeconds = 1, BackoffRate = 2, MaxAttempts = 3, MaxDelaySeconds = 1e9 } = retry.at(-1)!;
  const failures = [0];
  for (let n = 0, wait = IntervalSeconds; n < MaxAttempts; n++, wait *= BackoffRate)
    failures.push(failures.at(-1)! + Math.min(wait, MaxDelaySeconds) / 60);
  return failures;
};
const failedTask = (add: Add, at: number) => {
  for (const after of failuresOfTask()) if (at + after < length) add('operate Errors', at + after);
};

/** The entries that the functions log about objects that fail from these minutes on. */
const logFailures = async (add: Add, failing: number[]) => {
  const clock = virtualClock(Date.UTC(2026, 10, 28));
  const start = clock.now();
  const now = () => (clock.now() - start) / minute;
  const write = (line: string) => {
    for (const metric of countedAs(monitoring, 'reconcile-aws', line)) add(metric, now());
  };
  const messages = new Set<{ body: string; at: number }>();
  const work = createWork({
    table: memoryTable({ clock }),
    queueOf: () => ({ send: async (body, delay = 0) => void messages.add({ body, at: clock.now() + delay * 1000 }) }),
    clock,
    random: seededRandom(1),
    onStalePass: async () => {},
  });
  const denied = () => ({
    port: 'cloud',
    operation: 'RunInstances',
    code: 'UnauthorizedOperation',
    message: 'denied',
    at: clock.now(),
  });
  const { receive } = createReceiver({
    work,
    clock,
    log: lambdaLog({ clock, write }),
    runners: {
      machine: {
        types: () => ['machines'],
        run: async ({ name }) =>
          now() >= Number(name.split('-')[1])
            ? { ended: 'failed', failure: denied(), consequence: 'retry' }
            : { ended: 'finished', due: clock.now() + timer },
      },
    },
  });
  const keyOf = (from: number, n: number) => ({
    controller: 'machine',
    type: 'machines',
    namespace: 'default',
    name: `m${n}-${from}`,
  });
  await Promise.all(failing.map((from, n) => work.request(keyOf(from, n), { urgent: true })));
  for (let at = 0; at < length; at++) {
    for (const message of messages)
      if (message.at <= clock.now()) {
        messages.delete(message);
        await receive(message.body, 1);
      }
    await clock.advance(minute);
  }
};

interface Scenario {
  alarm: string;
  fault: string;
  /** The minutes after each fault within which the alarm must ring. */
  within: number;
  /** When faults begin; at `begins` by default. */
  at?: number[];
  make: (add: Add) => unknown;
}

const scenarios: Scenario[] = [
  {
    alarm: 'Frozen',
    fault: 'a worker finds that the installation is frozen',
    within: 5,
    make: (add) => {
      const line = JSON.stringify({ level: 'ERROR', message: 'Installation frozen' });
      for (const metric of countedAs(monitoring, 'reconcile-aws', line)) add(metric, begins);
    },
  },
  {
    alarm: 'ObjectsFail',
    fault: 'a permission is revoked for every object, and another one for one object later',
    within: 65,
    at: [begins, 360],
    make: (add) => logFailures(add, [...Array.from({ length: 8 }, () => begins), 360]),
  },
  {
    alarm: 'ObjectsFail',
    fault: 'one object cannot be read',
    within: 15,
    make: async (add) => {
      const clock = virtualClock(Date.UTC(2026, 10, 28));
      const write = (line: string) => {
        for (const metric of countedAs(monitoring, 'sweep', line)) add(metric, begins);
      };
      const reports = createSkippedReports({ table: memoryTable({ clock }), clock, log: lambdaLog({ clock, write }) });
      await reports.report('resync', [{ name: 'secrets default/s', error: new Error('damaged') }]);
    },
  },
  {
    alarm: 'DeadLetters',
    fault: 'a message is given up, and another one hours later while the first is still there',
    within: 5,
    at: [begins, 360],
    make: (add) => {
      for (const at of span(begins)) add('dead ApproximateNumberOfMessagesVisible', at, at < 360 ? 1 : 2);
    },
  },
  {
    alarm: 'ApiFails',
    fault: 'each of one request a minute fails',
    within: 15,
    make: (add) => {
      for (const at of span(begins)) add('capstan 5XXError', at);
    },
  },
  {
    alarm: 'ApiRefuses',
    fault: 'a stranger sends four requests a second',
    within: 20,
    make: (add) => {
      for (const at of span(begins)) add('capstan 4XXError', at, 240);
    },
  },
  {
    alarm: 'ApiThrottled',
    fault: 'one request a minute is throttled',
    within: 15,
    make: (add) => {
      for (const at of span(begins)) add('api Throttles', at);
    },
  },
  {
    alarm: 'WorkersThrottled',
    fault: 'one message a minute is throttled',
    within: 20,
    make: (add) => {
      for (const at of span(begins)) add('reconcile-core Throttles', at);
    },
  },
  {
    alarm: 'WorkersFail',
    fault: 'a class of workers cannot start, and there is one message for it',
    within: 45,
    make: (add) => {
      for (const at of span(begins, queue.visibilitySeconds / 60)) add('reconcile-aws Errors', at);
    },
  },
  {
    alarm: 'SweepFails',
    fault: 'each sweep fails',
    within: 60,
    make: (add) => {
      for (const at of span(begins, scheduled.sweep.minutes)) failedRun(add, at);
    },
  },
  {
    alarm: 'SweepFails',
    fault: 'each resync fails, while sweeps succeed',
    within: 3 * 60,
    make: (add) => {
      for (const at of span(begins, scheduled.resync.minutes)) failedRun(add, at);
    },
  },
  {
    alarm: 'TasksFail',
    fault: 'each task fails, and an operation starts every ten minutes',
    within: 60,
    make: (add) => {
      for (const at of span(begins, 10)) failedTask(add, at);
    },
  },
  {
    alarm: 'TablesThrottled',
    fault: 'a table refuses a write every two seconds',
    within: 20,
    make: (add) => {
      for (const at of span(begins)) add('[object Object] WriteThrottleEvents', at, 30);
    },
  },
  {
    alarm: 'DispatchLags',
    fault: 'no change can be dispatched',
    within: 20,
    make: (add) => {
      for (const at of span(begins)) add('dispatch IteratorAge', at, (at - begins) * minute);
    },
  },
  {
    alarm: 'ChangesUndispatched',
    fault: 'the table has no stream',
    within: 5,
    make: (add) => {
      const line = JSON.stringify({ level: 'ERROR', message: undispatchedEntry });
      for (const at of span(begins, scheduled.sweep.minutes))
        for (const metric of countedAs(monitoring, 'sweep', line)) add(metric, at);
    },
  },
  {
    alarm: 'OperationsFail',
    fault: 'an operation is held',
    within: 5,
    make: (add) => add('OperationsFailedOrHeld-capstan', begins),
  },
];

describe.each(scenarios)('$alarm', ({ alarm, fault, within, at = [begins], make }) => {
  it(`rings at every offset, once for each fault, when ${fault}`, async () => {
    const { samples, add } = createSamples();
    await make(add);
    expect(metricsOf(alarmOf(alarm))).toEqual(expect.arrayContaining([...samples.keys()]));
    for (const rings of ringsAt(alarm, samples, length)) {
      const first = at.map((fails) => rings.find((ring) => ring > fails && ring <= fails + within + 5));
      expect(first, `rings at ${rings}`).not.toContain(undefined);
      expect(rings.every((ring) => ring > begins)).toBe(true);
    }
  });
});

it('each alarm has a failure here', () => {
  const tested = [...scenarios.map(({ alarm }) => alarm), 'MessagesWait', 'SweepMissing'];
  expect(alarmsOf(monitoring).map(idOf).sort()).toEqual([...new Set(tested)].sort());
});

it('none rings for what passes by itself', () => {
  const { samples, add } = createSamples();
  for (const at of span(0, scheduled.sweep.minutes)) add('sweep Invocations', at);
  for (const at of span(0)) {
    add('workload-hot ApproximateNumberOfMessagesDelayed', at, 3);
    add('aws-hot ApproximateAgeOfOldestMessage', at, at % 60 === 0 ? 300 : 2);
    add('dispatch IteratorAge', at, at === 100 ? 400_000 : 500);
    add('dead ApproximateNumberOfMessagesVisible', at, 4);
    add('capstan 4XXError', at, 20);
  }
  // One sweep fails with its repetitions, one task until its function is back, and one object stops its worker.
  failedRun(add, 200);
  for (const after of failuresOfTask().slice(0, 6)) add('operate Errors', 250 + after);
  for (const at of span(300, queue.visibilitySeconds / 60, 312)) add('reconcile-aws Errors', at);
  for (const at of [333, 334, 335]) add('capstan 5XXError', at);
  const known = alarmsOf(monitoring).flatMap(metricsOf);
  expect([...samples.keys()].filter((name) => !known.includes(name))).toEqual([]);
  const rung = alarmsOf(monitoring).flatMap((alarm) =>
    offsetsOf(alarm).flatMap((offset) =>
      ringsOf(alarm, samples, length, offset)
        // Before the first sample a queue is empty.
        .filter((at) => at > 15)
        .map((at) => `${idOf(alarm)} at ${at}`),
    ),
  );
  expect(rung).toEqual([]);
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

it('docs/alarms.md has a section for each alarm, and for no other', () => {
  const sections = [...page.matchAll(/^### (\w+)$/gm)].map(([, id]) => id!);
  expect(sections.toSorted()).toEqual(alarmsOf(monitoring).map(idOf).toSorted());
});
