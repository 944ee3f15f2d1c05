import { expect, it } from 'vitest';
import { regressions } from './regressions.ts';
import { failureText } from './report.ts';
import { simulate } from './simulation.ts';

it.each(regressions)('$broke (seed $seed)', async (regression) => {
  const outcome = await simulate(regression);
  expect(outcome.failure && failureText(outcome)).toBeUndefined();
});
