import { afterAll, describe, expect, it } from 'vitest';
import { campaign } from './campaign.ts';
import { failureText } from './report.ts';
import { simulate } from './simulation.ts';

/** A new seed each time; set CAPSTAN_SEED to repeat a run. */
const base = Number(process.env.CAPSTAN_SEED ?? Date.now() % 1_000_000_000);
const seconds = Number(process.env.CAPSTAN_SIMULATE ?? 1);

describe(`runs from seed ${base}`, () => {
  afterAll(() => console.log(`simulated from seed ${base}; repeat with CAPSTAN_SEED=${base}`));

  it('hold', async () => {
    const broken: string[] = [];
    const result = await campaign({
      from: base,
      seeds: Number.POSITIVE_INFINITY,
      milliseconds: seconds * 1000,
      run: (seed) => simulate({ seed }),
      elapsed: () => performance.now(),
      onDone: (outcome) => outcome.failure && broken.push(failureText(outcome)),
    });
    expect(broken.join('\n\n')).toBe('');
    expect(result.runs).toBeGreaterThan(0);
  });
});
