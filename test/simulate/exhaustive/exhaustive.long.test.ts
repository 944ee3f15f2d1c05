import { describe, expect, it } from 'vitest';
import { nameOfTrial, undisturbed } from './index.ts';

/**
 * All trials take hours: `npm run simulate -- --exhaustive`. The first ones are a representative
 * sample.
 */
const count = Number(process.env.CAPSTAN_EXHAUSTIVE ?? 60);

describe(`${count} trials with one fault each`, () => {
  it('leave the same final state as the run without faults', async () => {
    const { trials, run } = await undisturbed();
    expect(trials.length).toBeGreaterThan(10_000);
    const broken: string[] = [];
    for (const trial of trials.slice(0, count)) {
      const { failure } = await run(trial);
      if (failure) broken.push(`npm run simulate -- --exhaustive --trial ${nameOfTrial(trial)}\n${failure}`);
    }
    expect(broken.join('\n\n')).toBe('');
  }, 3_600_000);
});
