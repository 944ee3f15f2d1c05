import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { concurrencyOf } from '../../cdk/concurrency.ts';
import { type Flood, floodOf, methodsOf, renderFlood } from './flood.ts';
import { ofType, type Synthesised, synthesise } from './stacks.fixture.ts';

const sizes = [10, 1000];
let made: Synthesised[];
let floods: Flood[];
beforeAll(() => {
  made = sizes.map((accountConcurrency) => synthesise({ accountConcurrency }));
  floods = made.map(({ controlPlane }) => floodOf(controlPlane));
}, 120_000);

describe('a flood by strangers', () => {
  it('costs what docs/cost.md says', () =>
    expect(readFileSync(join(import.meta.dirname, '../../docs/cost.md'), 'utf8')).toContain(renderFlood(floods)));

  it('costs at most 30 dollars a day in a new account, and 120 in the largest', () => {
    expect(floods[0]!.invented).toBeLessThanOrEqual(30);
    expect(floods[1]!.invented).toBeLessThanOrEqual(120);
  });

  it('is bounded for all methods together', () => {
    for (const [index, accountConcurrency] of sizes.entries()) {
      const { requests, reports } = concurrencyOf({ accountConcurrency });
      const methods = methodsOf(made[index]!.controlPlane);
      expect(floods[index]!.passed).toBeLessThanOrEqual(requests.rate + reports.rate + methods.length / 4);
      // A method that accepts every verb would have a throttle of its own for each.
      expect(methods.map(({ method }) => method)).not.toContain('ANY');
    }
  });

  it('rings an alarm before it takes a tenth of what the gateway passes', () => {
    const alarm = ofType(made[0]!.monitoring, 'AWS::CloudWatch::Alarm')
      .map(([, { Properties }]) => Properties)
      .find(({ AlarmName }) => AlarmName === 'capstan-ApiRefuses');
    expect(alarm).toMatchObject({ MetricName: '4XXError', Statistic: 'Sum', EvaluationPeriods: 3 });
    expect(Number(alarm!.Threshold) / Number(alarm!.Period)).toBeLessThanOrEqual(floods[0]!.passed / 10);
  });
});
