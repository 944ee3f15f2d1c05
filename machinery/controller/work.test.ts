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
  const stalePasses: WorkKey[] = [];
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
    onStalePass: async (key) => void stalePasses.push(key),
  });
  const ends = async (outcome: Outcome, message: { redelivered?: boolean; want?: number } = {}) => {
    let ran = false;
    const verdict = await work.receive(key, { redelivered: false, ...message }, async () => {
      ran = true;
      return outcome;
    });
    return { ran, ...verdict };
  };
  return { clock, table, work, sent, stalePasses, ends, take: () => sent.splice(0) };
};

describe('a work item', () => {
  it('runs once per reason, and is then idle', async () => {
    const { work, ends, take } = setUp();
    await work.request(key, urgent);
    expect(take()).toEqual([{ name: 'x', delay: 0, slow: false, want: 1 }]);
    expect(await ends({ ended: 'finished' })).toMatchObject({ ran: true, do: 'acknowledge' });
    expect(await ends({ ended: 'finished' })).toMatchObject({ ran: false, do: 'acknowledge' });
    expect(take()).toEqual([]);
  });

  it.each([
    { rule: 'is retried soon after the first failure', consequence: 'retry' as const, least: 0.1, most: 2 },
    {
      rule: 'waits for an event or its due time',
      consequence: 'wait' as const,
      due: start + 60_000,
      least: 60,
      most: 60,
    },
    {
      rule: 'waits for an event, with the longest backoff as a fallback',
      consequence: 'wait' as const,
      least: 900,
      most: 900,
    },
    { rule: 'is retried rarely after a terminal failure', consequence: 'terminal' as const, least: 900, most: 900 },
  ])('$rule', async ({ consequence, due, least, most }) => {
    const { work, ends } = setUp();
    await work.request(key, urgent);
    await ends({ ended: 'failed', failure, consequence, ...(due && { due }) });
    const item = (await work.get(key))!;
    expect(item).toMatchObject({ attempts: 1, lastFailure: failure });
    expect(item.due! - start).toBeGreaterThanOrEqual(least * 1000);
    expect(item.due! - start).toBeLessThanOrEqual(most * 1000);
  });

  it('backs off up to 15 minutes, with jitter', async () => {
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

  it('ends its backoff for another writer, and not for its own writes', async () => {
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

  it('ignores the message of a reason that an earlier pass covered', async () => {
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

  it('delays reasons that may wait while it debounces, and no others', async () => {
    const { clock, work, ends, take } = setUp();
    await work.request(key, urgent);
    await ends({ ended: 'finished', debouncedUntil: clock.now() + 20_000 });
    take();
    await work.request(key, { ...urgent, after: 2 });
    await work.request(key, urgent);
    expect(take().map(({ delay }) => delay)).toEqual([20, 0]);
    await ends({ ended: 'finished' });
    await work.request(key, { ...urgent, after: 2 });
    expect(take().map(({ delay }) => delay)).toEqual([2]);
  });

  describe('a deferred reason', () => {
    const awaiting = async (first: { urgent: boolean; after: number }) => {
      const world = setUp();
      await world.work.request(key, urgent);
      await world.ends({ ended: 'finished' });
      await world.work.request(key, first);
      world.take();
      return world;
    };

    it.each([
      { rule: 'shares the message of an earlier one that comes in time', first: { ...urgent, after: 2 }, shares: true },
      { rule: 'does not wait for a later message', first: { ...urgent, after: 21 }, shares: false },
      { rule: 'does not share a message that a backoff may ignore', first: { urgent: false, after: 2 }, shares: false },
    ])('$rule', async ({ first, shares }) => {
      const { work, take } = await awaiting(first);
      await work.request(key, { ...urgent, after: 20 });
      expect(take()).toHaveLength(shares ? 0 : 1);
      expect(await work.get(key)).toMatchObject({ want: shares ? 2 : 3 });
    });

    it.each([
      { rule: 'does not share a message that should have arrived', ms: 3000, pass: undefined },
      { rule: 'does not share a message whose reason was served', ms: 0, pass: { ended: 'finished' } as const },
    ])('$rule', async ({ ms, pass }) => {
      const { clock, work, ends, take } = await awaiting({ ...urgent, after: 2 });
      await clock.advance(ms);
      if (pass) await ends(pass);
      await work.request(key, { ...urgent, after: 20 });
      expect(take()).toHaveLength(1);
    });

    it('is requested without a read if it reports, and shares no message', async () => {
      const { work, table, take } = await awaiting({ ...urgent, after: 2 });
      const { get } = table;
      table.get = () => Promise.reject(new Error('the function for reports may not read work items'));
      await work.request(key, { ...urgent, after: 20, reported: start });
      table.get = get;
      expect(take()).toEqual([{ name: 'x', delay: 20, slow: false, want: 3 }]);
      expect(await work.get(key)).toMatchObject({ reported: start });
    });

    it('has its own message while a pass runs, which may have read the object before', async () => {
      const { work, take } = await awaiting({ ...urgent, after: 2 });
      await work.receive(key, { redelivered: false }, async () => {
        await work.request(key, { ...urgent, after: 20 });
        return { ended: 'finished' };
      });
      expect(take()).toEqual([{ name: 'x', delay: 20, slow: false, want: 3 }]);
    });
  });

  it.each([
    { rule: 'has a timer for a due time within the hour', due: 3_600_000, timers: [900] },
    { rule: 'leaves a later due time to the sweep', due: 3_601_000, timers: [] },
  ])('$rule', async ({ due, timers }) => {
    const { clock, work, ends, take } = setUp();
    await work.request(key, urgent);
    take();
    await ends({ ended: 'finished', due: clock.now() + due });
    expect(take().map(({ delay }) => delay)).toEqual(timers);
  });

  it('has the timer of a far due time from the last sweep before it', async () => {
    const { clock, work, ends, take } = setUp();
    await work.request(key, urgent);
    await ends({ ended: 'finished', due: clock.now() + 7_500_000 });
    take();
    for (let sweeps = 0; sweeps < 12; sweeps++) {
      await clock.advance(600_000);
      await work.sweep('c', 't');
    }
    expect(take().map(({ delay }) => delay)).toEqual([900]);
    expect(await work.get(key)).toMatchObject({ armed: start + 7_500_000 });
  });

  it('runs again at once after a conflict', async () => {
    const { work, ends, take } = setUp();
    await work.request(key, urgent);
    take();
    await ends({ ended: 'conflict' });
    expect(take()).toEqual([{ name: 'x', delay: 0, slow: false }]);
    expect((await ends({ ended: 'finished' })).ran).toBe(true);
  });

  it('slows down a controller that always requeues at once', async () => {
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
    { rule: 'always ends in a conflict', outcome: { ended: 'conflict' } as const, writes: false },
    { rule: 'always changes its own object', outcome: { ended: 'finished' } as const, writes: true },
    {
      rule: 'always ends in a conflict and changes its own object',
      outcome: { ended: 'conflict' } as const,
      writes: true,
    },
  ])('slows down work that $rule, until another writer has a reason', async ({ outcome, writes }) => {
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

  it('reaches a distant due time in several timers, one at a time', async () => {
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

  describe('requested during its pass', () => {
    /**
     * The messages sent after a pass during which `meanwhile` happens, without the earlier messages.
     * *
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

    it('is requeued for a reason whose message met the lease', async () => {
      const { woken, ends } = await afterPass(async ({ work, ends }) => {
        await work.request(key, { ...urgent, after: 2 });
        expect(await ends({ ended: 'finished' }, { want: 2 })).toMatchObject({ ran: false, do: 'acknowledge' });
      });
      expect(woken).toEqual([{ name: 'x', delay: 0, slow: false }]);
      expect((await ends({ ended: 'finished' })).ran).toBe(true);
    });

    it('waits for the message of a delayed reason', async () => {
      const { woken, ends, take } = await afterPass(({ work }) => work.request(key, { ...urgent, after: 900 }));
      expect(woken).toEqual([]);
      expect((await ends({ ended: 'finished' }, { want: 2 })).ran).toBe(true);
      expect(take()).toEqual([]);
    });

    it('is not requeued for a reason that the pass covers', async () => {
      const { woken } = await afterPass(async ({ ends }) => {
        expect((await ends({ ended: 'finished' }, { want: 1 })).ran).toBe(false);
      });
      expect(woken).toEqual([]);
    });
  });

  it('puts a redelivered message back until the lease ends', async () => {
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

  it('reports a pass that outlived its lease while another worker ran', async () => {
    const { clock, work, stalePasses, ends } = setUp();
    await work.request(key, urgent);
    await work.receive(key, { redelivered: false }, async () => {
      await clock.advance(times.lease);
      expect(await ends({ ended: 'gone' }, { redelivered: true })).toMatchObject({ ran: true });
      expect(stalePasses).toEqual([]);
      return { ended: 'finished' };
    });
    expect(stalePasses).toEqual([key]);
    expect(await work.get(key)).toBeUndefined();
  });

  it('is deleted with its object, unless there is a new reason', async () => {
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

  it('is requeued by the sweep after a lost message, but rarely when its workers keep crashing', async () => {
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

  it('is resumed at once by the successor of a crashed process that lost its messages', async () => {
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
