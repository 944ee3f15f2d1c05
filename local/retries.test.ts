import { describe, expect, it } from 'vitest';
import { virtualClock } from '../adapters/memory/virtual-clock.ts';
import { createRetries } from './retries.ts';

const runFailing = (failures: number) => {
  const clock = virtualClock(0);
  const tried: number[] = [];
  const errors: string[] = [];
  const retries = createRetries(clock, (error) => errors.push(String(error)));
  retries.run(async () => {
    tried.push(clock.now());
    if (tried.length <= failures) throw new Error(`no ${tried.length}`);
  });
  return { clock, tried, errors, retries };
};

describe('retries', () => {
  it('end with the first success', async () => {
    const { clock, tried, errors } = runFailing(2);
    await clock.advance(3_600_000);
    expect(tried).toEqual([0, 1000, 3000]);
    expect(errors).toEqual(['Error: no 1', 'Error: no 2']);
  });

  it('continue without a limit, at most once a minute', async () => {
    const { clock, tried } = runFailing(Number.POSITIVE_INFINITY);
    await clock.advance(3_600_000);
    expect(tried.at(-1)! - tried.at(-2)!).toBe(60_000);
  });

  it('stop when the process stops', async () => {
    const { clock, tried, errors, retries } = runFailing(Number.POSITIVE_INFINITY);
    await clock.advance(0);
    retries.stop();
    await clock.advance(3_600_000);
    expect(tried).toEqual([0]);
    expect(errors).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});
