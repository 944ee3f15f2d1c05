import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { longestBackoff } from './backoff.ts';
import { createWork, type Outcome } from './work.ts';
import { keyOfMessage, times, type WorkKey } from './work-item.ts';

const key: WorkKey = { controller: 'c', type: 't', namespace: 'default', name: 'x' };
const start = Date.parse('2026-01-01T00:00:00Z');
const failure = { port: 'p', operation: 'o', code: 'c', message: 'm', at: start };
const urgent = { urgent: true };

/** One item, a clock, and the sent messages, which are not delivered. */
const setUp = () => {
  const clock = virtualClock(start);
  const table = memoryTable({ clock });
  const sent: { name: string; delay: number; slow: boolean; want?: number }[] = [];
  const late: WorkKey[] = [];
  const work = createWork({
    table,
    queueOf: (_, slow = false) => ({
      send: async (message, delay = 0) => {
        const { name, want } = keyOfMessage(message);
        sent.push({ name, delay, slow, ...(want !== undefined && { want }) });
      },
    }),
    clock,
    random: seededRandom(3),
    late: async (key) => void late.push(key),
  });
  const ends = async (outcome: Outcome, message: { redelivered?: boolean; want?: number } = {}) => {
    let ran = false;
    const verdict = await work.receive(key, { redelivered: false, ...message }, async () => {
      ran = true;
      return outcome;
    });
    return { ran, ...verdict };
  };
  return { clock, table, work, sent, late, ends, take: () => sent.splice(0) };
};

describe('a work item', () => {
  it('is run once for a reason, and then rests', async () => {
    const { work, ends, take } = setUp();
    await work.request(key, urgent);
    expect(take()).toEqual([{ name: 'x', delay: 0, slow: false, want: 1 }]);
    expect(await ends({ ended: 'finished' })).toMatchObject({ ran: true, do: 'acknowledge' });
    expect(await ends({ ended: 'finished' })).toMatchObject({ ran: false, do: 'acknowledge' });
    expect(take()).toEqual([]);
  });

  it.each([
    { rule: 'retries soon after a first failure', consequence: 'retry' as const, least: 0.1, most: 2 },
    {
      rule: 'waits for an event or its due time',
      consequence: 'wait' as const,
      due: start + 60_000,
      least: 60,
      most: 60,
    },
    { rule: 'waits for an event without one', consequence: 'wait' as const, least: 900, most: 900 },
    { rule: 'comes back to a terminal failure seldom', consequence: 'terminal' as const, least: 900, most: 900 },
  ])('$rule', async ({ consequence, due, least, most }) => {
    const { work, ends } = setUp();
    await work.request(key, urgent);
    await ends({ ended: 'failed', failure, consequence, ...(due && { due }) });
    const item = (await work.get(key))!;
    expect(item).toMatchObject({ attempts: 1, lastFailure: failure });
    expect(item.due! - start).toBeGreaterThanOrEqual(least * 1000);
    expect(item.due! - start).toBeLessThanOrEqual(most * 1000);
  });

  it('backs off up to a quarter of an hour, with jitter', async () => {
    const { clock, work, ends } = setUp();
    await work.request(key, urgent);
    const delays: number[] = [];
    for (let attempt = 0; attempt < 30; attempt++) {
      await ends({ ended: 'failed', failure, consequence: 'retry' });
      const { due } = (await work.get(key))!;
      delays.push(due! - clock.now());
      await clock.advance(due! - clock.now());
    }
    expect(Math.max(...delays)).toBeLessThanOrEqual(longestBackoff);
    expect(Math.max(...delays)).toBeGreaterThan(longestBackoff / 2);
    expect(new Set(delays.slice(-10)).size).toBe(10);
  });

  it('lets a foreign reason interrupt a backoff, and own writes wait for it', async () => {
    const { work, ends } = setUp();
    await work.request(key, urgent);
    await ends({ ended: 'failed', failure, consequence: 'terminal' });
    await work.request(key, { urgent: false });
    expect((await ends({ ended: 'finished' })).ran).toBe(false);
    await work.request(key, urgent);
    expect((await ends({ ended: 'finished' })).ran).toBe(true);
    expect(await work.get(key)).toMatchObject({ attempts: 0 });
    expect((await work.get(key))!.lastFailure).toBeUndefined();
  });

  it('is not run early by the message of a reason that was served meanwhile', async () => {
    const { work, ends, take } = setUp();
    await work.request(key, { ...urgent, after: 5 });
    await work.request(key, urgent);
    const [first] = take();
    expect(await ends({ ended: 'finished' })).toMatchObject({ ran: true });
    await work.request(key, { ...urgent, after: 15 });
    const [second] = take();
    expect(await ends({ ended: 'finished' }, first)).toMatchObject({ ran: false, do: 'acknowledge' });
    expect(await ends({ ended: 'finished' }, second)).toMatchObject({ ran: true });
  });

  it('hears later of what may wait while it is patient, and at once of what may not', async () => {
    const { clock, work, ends, take } = setUp();
    await work.request(key, urgent);
    await ends({ ended: 'finished', patient: clock.now() + 20_000 });
    take();
    await work.request(key, { ...urgent, after: 2 });
    await work.request(key, { ...urgent, after: 30 });
    await work.request(key, urgent);
    expect(take().map(({ delay }) => delay)).toEqual([20, 30, 0]);
    await ends({ ended: 'finished' });
    await work.request(key, { ...urgent, after: 2 });
    expect(take().map(({ delay }) => delay)).toEqual([2]);
  });

  it('runs again at once after a conflict', async () => {
    const { work, ends, take } = setUp();
    await work.request(key, urgent);
    take();
    await ends({ ended: 'conflict' });
    expect(take()).toEqual([{ name: 'x', delay: 0, slow: false }]);
    expect((await ends({ ended: 'finished' })).ran).toBe(true);
  });

  it('lets what asks to run again for ever do so slowly', async () => {
    const { clock, work, ends } = setUp();
    await work.request(key, urgent);
    let passes = 0;
    while (passes < 100 && (await ends({ ended: 'finished', due: clock.now() })).ran) passes++;
    expect(passes).toBe(51);
    await clock.advance(times.rushed);
    expect((await ends({ ended: 'finished' })).ran).toBe(true);
    expect((await work.get(key))!.rushes).toBe(0);
  });

  it.each([
    { rule: 'meets conflicts', outcome: { ended: 'conflict' } as const, writes: false },
    { rule: 'changes its own object', outcome: { ended: 'finished' } as const, writes: true },
    { rule: 'meets conflicts and changes its own object', outcome: { ended: 'conflict' } as const, writes: true },
  ])('slows down work that $rule for ever, until another writer has a reason', async ({ outcome, writes }) => {
    const { clock, work } = setUp();
    await work.request(key, urgent);
    const passesUntilQuiet = async () => {
      for (let passes = 0; passes < 100; passes++) {
        let ran = false;
        await work.receive(key, { redelivered: false }, async () => {
          ran = true;
          if (writes) await work.request(key, { urgent: false });
          return outcome;
        });
        if (!ran) return passes;
      }
      return Number.POSITIVE_INFINITY;
    };
    const first = await passesUntilQuiet();
    expect(first).toBeGreaterThan(50);
    expect(first).toBeLessThan(55);
    await clock.advance(times.rushed);
    expect(await passesUntilQuiet()).toBe(1);
    await work.request(key, urgent);
    expect(await passesUntilQuiet()).toBeGreaterThan(0);
  });

  it('reaches a far due time in hops, with one timer at a time', async () => {
    const { clock, work, ends, take } = setUp();
    await work.request(key, urgent);
    take();
    await ends({ ended: 'finished', due: start + 2_000_000 });
    expect(take().map(({ delay }) => delay)).toEqual([900]);
    await ends({ ended: 'finished' });
    expect(take()).toEqual([]);
    await clock.advance(900_000);
    await ends({ ended: 'finished' });
    expect(take().map(({ delay }) => delay)).toEqual([900]);
    await clock.advance(900_000);
    await ends({ ended: 'finished' });
    expect(take().map(({ delay }) => delay)).toEqual([200]);
    await clock.advance(200_000);
    expect((await ends({ ended: 'finished' })).ran).toBe(true);
  });

  describe('wanted while it runs', () => {
    /**
     * Whether the item is woken after a pass during which `meanwhile` happens; forgets earlier
     * messages.
     */
    const afterPass = async (meanwhile: (world: ReturnType<typeof setUp>) => Promise<void>) => {
      const world = setUp();
      const { work, take } = world;
      await work.request(key, urgent);
      await work.receive(key, { redelivered: false, want: 1 }, async () => {
        await meanwhile(world);
        take();
        return { ended: 'finished' };
      });
      return { ...world, woken: take() };
    };

    it('is woken for a reason whose message met the lease', async () => {
      const { woken, ends } = await afterPass(async ({ work, ends }) => {
        await work.request(key, { ...urgent, after: 2 });
        expect(await ends({ ended: 'finished' }, { want: 2 })).toMatchObject({ ran: false, do: 'acknowledge' });
      });
      expect(woken).toEqual([{ name: 'x', delay: 0, slow: false }]);
      expect((await ends({ ended: 'finished' })).ran).toBe(true);
    });

    it('is left to the message of a reason that may wait', async () => {
      const { woken, ends, take } = await afterPass(({ work }) => work.request(key, { ...urgent, after: 900 }));
      expect(woken).toEqual([]);
      expect((await ends({ ended: 'finished' }, { want: 2 })).ran).toBe(true);
      expect(take()).toEqual([]);
    });

    it('is not woken for what its pass serves already', async () => {
      const { woken } = await afterPass(async ({ ends }) => {
        expect((await ends({ ended: 'finished' }, { want: 1 })).ran).toBe(false);
      });
      expect(woken).toEqual([]);
    });
  });

  it('puts a redelivered message back until the lease it meets has ended', async () => {
    const { clock, work, ends } = setUp();
    await work.request(key, urgent);
    void work.receive(key, { redelivered: false }, () => new Promise(() => {}));
    await clock.advance(10_000);
    expect(await ends({ ended: 'finished' })).toEqual({ ran: false, do: 'acknowledge' });
    expect(await ends({ ended: 'finished' }, { redelivered: true })).toEqual({
      ran: false,
      do: 'putBack',
      ms: times.lease - 10_000,
    });
    await clock.advance(times.lease);
    expect((await ends({ ended: 'finished' }, { redelivered: true })).ran).toBe(true);
  });

  it('reports a pass that ended after its lease expired and another worker ran', async () => {
    const { clock, work, late, ends } = setUp();
    await work.request(key, urgent);
    await work.receive(key, { redelivered: false }, async () => {
      await clock.advance(times.lease);
      expect(await ends({ ended: 'gone' }, { redelivered: true })).toMatchObject({ ran: true });
      expect(late).toEqual([]);
      return { ended: 'finished' };
    });
    expect(late).toEqual([key]);
    expect(await work.get(key)).toBeUndefined();
  });

  it('is forgotten with its object, unless there is a new reason', async () => {
    const { work, ends } = setUp();
    await work.request(key, urgent);
    await work.receive(key, { redelivered: false }, async () => {
      await work.request(key, urgent);
      return { ended: 'gone' };
    });
    expect(await work.get(key)).toMatchObject({ want: 2, done: 1 });
    await ends({ ended: 'gone' });
    expect(await work.get(key)).toBeUndefined();
  });

  it('is found by the sweep when its message was lost, but seldom when its workers keep dying', async () => {
    const { clock, work, take } = setUp();
    await work.request(key, urgent);
    take();
    await work.sweep('c', 't');
    expect(take().length).toBe(1);
    for (let crash = 0; crash < 6; crash++) {
      void work.receive(key, { redelivered: false }, () => new Promise(() => {}));
      await clock.advance(times.lease);
    }
    await work.sweep('c', 't');
    expect(take()).toEqual([]);
    await clock.advance(times.crashed);
    await work.sweep('c', 't');
    expect(take().length).toBe(1);
  });

  it('is taken up at once by the successor of a process that died with its messages', async () => {
    const { clock, work, ends, take } = setUp();
    await work.request(key, urgent);
    await ends({ ended: 'finished', due: start + 600_000 });
    await work.request(key, urgent);
    void work.receive(key, { redelivered: false }, () => new Promise(() => {}));
    await clock.advance(0);
    take();
    await work.recover('c', 't');
    expect(take().length).toBe(1);
    expect((await ends({ ended: 'finished', due: start + 600_000 })).ran).toBe(true);
    // The previous timer was lost, too.
    expect(take().map(({ delay }) => delay)).toEqual([600]);
  });
});
