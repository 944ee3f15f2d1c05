import { expect, it } from 'vitest';
import type { FaultName } from './faults/index.ts';
import { failureText } from './report.ts';
import { simulate } from './simulation.ts';

const only: readonly FaultName[] = ['report.lost', 'report.duplicated', 'report.late', 'report.refused'];

it('pods get their nodes although reports are lost, doubled and refused', async () => {
  const outcome = await simulate({ seed: 5701007, scenario: 'pools', only });
  expect(outcome.failure && failureText(outcome)).toBeUndefined();
  expect(outcome.fired['report.lost']).toBeGreaterThan(3);
  expect(outcome.fired['report.duplicated']).toBeGreaterThan(2);
});
