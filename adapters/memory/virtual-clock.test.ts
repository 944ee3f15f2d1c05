import { describe, expect, it } from 'vitest';
import { sleep } from '../../machinery/ports.ts';
import { virtualClock } from './virtual-clock.ts';

describe('a virtual clock', () => {
  it('fires timers in order of time, then of creation, each at its own time', async () => {
    const clock = virtualClock(1000);
    const fired: string[] = [];
    for (const [name, ms] of [
      ['c', 30],
      ['a', 10],
      ['b', 20],
      ['b2', 20],
    ] as const) {
      clock.after(ms, () => fired.push(`${name}@${clock.now()}`));
    }
    await clock.advance(20);
    expect(fired).toEqual(['a@1010', 'b@1020', 'b2@1020']);
    expect(clock.now()).toBe(1020);
    await clock.advance(100);
    expect(fired.at(-1)).toBe('c@1030');
    expect(clock.now()).toBe(1120);
  });

  it('never fires a cancelled timer, and allows a second cancel', async () => {
    const clock = virtualClock(0);
    let fired = 0;
    const cancel = clock.after(5, () => fired++);
    clock.after(5, () => cancel());
    clock.after(3, () => cancel());
    expect(clock.pending).toBe(3);
    await clock.advance(10);
    cancel();
    expect(fired).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('drains microtasks between two timers, including those that set new timers', async () => {
    const clock = virtualClock(0);
    const events: string[] = [];
    const chain = async (name: string, ms: number) => {
      for (let step = 0; step < 3; step++) {
        await sleep(clock, ms);
        for (let turn = 0; turn < 50; turn++) await Promise.resolve();
        events.push(`${name}@${clock.now()}`);
      }
    };
    void chain('x', 10);
    void chain('y', 15);
    await clock.advance(45);
    expect(events).toEqual(['x@10', 'y@15', 'x@20', 'y@30', 'x@30', 'y@45']);
  });

  it('runs until a predicate holds, a time is reached, or no timer is left', async () => {
    const clock = virtualClock(0);
    let ticks = 0;
    const tick = () => {
      ticks++;
      if (ticks < 20) clock.after(1000, tick);
    };
    clock.after(1000, tick);
    expect(await clock.run(() => ticks === 5)).toBe(true);
    expect(clock.now()).toBe(5000);
    expect(await clock.run(() => ticks === 15, 9500)).toBe(false);
    expect(ticks).toBe(9);
    expect(await clock.run(() => false)).toBe(false);
    expect(ticks).toBe(20);
  });
});
