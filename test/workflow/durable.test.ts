import { describe, expect, it } from 'vitest';
import { misbehavingTable } from '../../adapters/memory/misbehaving-table.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { createWorkflows, type LocalWorkflows } from '../../local/workflow/index.ts';
import type { JsonValue } from '../../machinery/api/object.ts';
import { type Clock, OutcomeUnknown, sleep, type Table } from '../../machinery/ports.ts';
import { definitions } from '../../stepfunctions/index.ts';
import { startProcess } from '../system/process.ts';
import { begin, bench, machineOf, named, task, year } from './bench.ts';
import previous from './fixtures/create-cluster.previous.asl.json' with { type: 'json' };
import { play } from './play.ts';

const input = { operation: { namespace: 'team', name: 'blue-create-1', uid: 'b1f6' } };
const eventful: [task: string, answer: string][] = [
  ['Preflight', '*AccessDenied'],
  ['Preflight', ''],
  ['Network', '?'],
  ['Network', ''],
  ['LoadBalancer', '!StepRefused'],
  ['Decide', '=TearDown'],
  ['TearDown', '!DeadlineExceeded'],
  ['TearDownHeld', ''],
  ['TearDown', ''],
  ['TornDown', ''],
];

/** The function behind the tasks: it outlives the processes, and knows tasks by their tokens. */
const answering = (clock: ReturnType<typeof virtualClock>, current: () => LocalWorkflows) => {
  const reported: string[] = [];
  const answers = new Map<string, string>();
  const delivered = new Set<string>();
  /** Repeats until a process has accepted the result. */
  const deliver = async (token: string, answer: string): Promise<void> => {
    if (delivered.has(token)) return;
    clock.after(10_000, () => void deliver(token, answer));
    try {
      if (answer.startsWith('!')) await current().fail(token, answer.slice(1), 'as told');
      else await current().succeed(token, answer.startsWith('=') ? { policy: answer.slice(1) } : {});
      delivered.add(token);
    } catch {
      // The table failed.
    }
  };
  return {
    reported,
    invoke: async (sent: JsonValue) => {
      const { task: name, token } = sent as Record<string, string>;
      const answer = answers.get(token!) ?? eventful[reported.length]?.[1] ?? '?';
      if (!answers.has(token!)) {
        reported.push(name!);
        answers.set(token!, answer);
        if (answer !== '?' && !answer.startsWith('*')) clock.after(5_000, () => void deliver(token!, answer));
      }
      if (answer.startsWith('*')) throw named(answer.slice(1));
    },
  };
};

describe('a process that crashes after any of its writes', () => {
  const expected = eventful.map(([name]) => name);

  /** The number of writes without a crash, or up to it. */
  const crashed = async (after: number) => {
    const clock = virtualClock(begin);
    const disk = memoryTable({ clock });
    const random = seededRandom(1);
    const statuses: string[] = [];
    let writes = 0;
    let process: ReturnType<typeof startProcess>;
    let workflows: LocalWorkflows;
    const outside = answering(clock, () => workflows);
    const launch = () => {
      const own = startProcess(clock, () => {
        writes += 1;
        if (writes === after) own.kill();
      });
      process = own;
      workflows = createWorkflows({
        table: own.table(disk),
        clock: own.clock,
        random,
        definitions,
        substitutions: { Operate: 'operate' },
        invoke: outside.invoke,
        onEnd: async ({ status }) => {
          statuses.push(status);
        },
        log: { info: () => {}, error: (message) => statuses.push(message) },
      });
      void workflows.resume();
      void workflows.start({ definition: 'create-cluster', name: 'one', input });
    };
    launch();
    const isOver = () => statuses.length > 0;
    while (!isOver()) {
      await clock.run(() => isOver() || !process.alive, begin + year * 1000);
      if (!process!.alive) launch();
      else break;
    }
    await clock.advance(60_000);
    if (!process!.alive) launch();
    await clock.advance(60_000);
    return { reported: outside.reported, statuses: [...new Set(statuses)], writes, left: await workflows!.list() };
  };

  it('continues in the next process as if nothing had happened', async () => {
    const undisturbed = await crashed(Number.POSITIVE_INFINITY);
    expect(undisturbed).toMatchObject({ reported: expected, statuses: ['FAILED'] });
    expect(undisturbed.writes).toBeGreaterThan(30);
    for (let after = 1; after <= undisturbed.writes; after++) {
      const { reported, statuses, left } = await crashed(after);
      expect([after, reported, statuses, left[0]?.error]).toEqual([after, expected, ['FAILED'], 'TornDown']);
    }
  });
});

describe('a table', () => {
  const expected = eventful.map(([name]) => name);

  const over = async (tableOf: (clock: Clock) => Table) => {
    const clock = virtualClock(begin);
    const statuses: string[] = [];
    const outside = answering(clock, () => workflows);
    const workflows: LocalWorkflows = createWorkflows({
      table: tableOf(clock),
      clock,
      random: seededRandom(1),
      definitions,
      substitutions: { Operate: 'operate' },
      invoke: outside.invoke,
      onEnd: async ({ status }) => {
        statuses.push(status);
      },
      log: { info: () => {}, error: () => {} },
    });
    const start = (): Promise<void> =>
      workflows.start({ definition: 'create-cluster', name: 'one', input }).catch(() => {
        clock.after(1000, () => void start());
      });
    void start();
    await clock.run(() => statuses.length > 0, begin + year * 1000);
    return { reported: outside.reported, status: statuses[0], seconds: (clock.now() - begin) / 1000 };
  };

  it.each([1, 2, 3, 4])('that fails at random delays executions, and changes nothing else (%i)', async (seed) => {
    const { reported, status } = await over((clock) =>
      misbehavingTable(clock, seededRandom(seed), { throttled: 0.1, unknown: 0.15 }),
    );
    expect([reported, status]).toEqual([expected, 'FAILED']);
  });

  it.each([
    ['is applied with its response lost', 0],
    ['is applied before the process reads again', 500],
    ['is applied while the process reads', 1050],
    ['is applied after the process has read again', 1500],
    ['is never applied', Number.POSITIVE_INFINITY],
  ])('whose nth write %s delays an execution by seconds', async (_, delayed) => {
    const slow = (clock: Clock): Table => {
      const inner = memoryTable({ clock });
      const get: Table['get'] = async (key, options) => {
        const item = await inner.get(key, options);
        await sleep(clock, 100);
        return item;
      };
      return { ...inner, get };
    };
    const undisturbed = await over(slow);
    for (let nth = 1; nth <= 40; nth++) {
      let writes = 0;
      const { reported, status, seconds } = await over((clock) => {
        const inner = slow(clock);
        return {
          ...inner,
          write: async (write) => {
            writes += 1;
            if (writes !== nth) return inner.write(write);
            if (delayed === 0) await inner.write(write);
            else if (Number.isFinite(delayed)) clock.after(delayed, () => void inner.write(write).catch(() => {}));
            throw new OutcomeUnknown();
          },
        };
      });
      expect([nth, reported, status]).toEqual([nth, expected, 'FAILED']);
      expect([nth, seconds]).toEqual([nth, expect.closeTo(undisturbed.seconds, -1.5)]);
    }
  });
});

describe('a new release', () => {
  it('continues executions with the definition they began with', async () => {
    const clock = virtualClock(begin);
    const table = memoryTable({ clock });
    const machine = (next: string) =>
      machineOf({ A: task({ Next: next }), Old: { Type: 'Fail', Error: 'Old' }, New: { Type: 'Fail', Error: 'New' } });
    const before = bench(machine('Old'), () => {}, { clock, table });
    await before.start();
    before.workflows.suspend();
    const after = bench(machine('New'), () => {}, { clock, table, random: seededRandom(2) });
    await after.workflows.resume();
    await after.workflows.succeed(before.tokens[0]!, {});
    await after.start({}, 'two');
    await after.workflows.succeed(after.tokens.at(-1)!, {});
    await after.pass(1);
    const ends = (await after.workflows.list()).map(({ name, error }) => [name, error]);
    expect(ends).toEqual([
      ['one', 'Old'],
      ['two', 'New'],
    ]);
  });

  it.each([
    'Preflight Network ControlPlane Workers Available Succeeded Done → SUCCEEDED',
    'Preflight Network!Cancelled Cancelled Abandoned → FAILED Cancelled',
    'Preflight Network!StepRefused Held(StepRefused) OnHold → FAILED Held',
  ])('handles the tasks of the previous release: %s', async (story) => expect(await play(previous, story)).toBe(story));

  it('knows every task that the previous release names', () => {
    const known = Object.values(definitions).flatMap(({ States }) => Object.keys(States));
    const names = Object.entries(previous.States).flatMap(([name, { Type }]) => (Type === 'Task' ? [name] : []));
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});
