import { expect, it } from 'vitest';
import { operationOf } from './operation.fixture.ts';
import { withoutPause, withPause } from './paused.ts';
import type { OperationStatus } from './schema.ts';

const at = (verdict: 'Running' | 'Paused', phase: OperationStatus['phase'] = 'Running'): OperationStatus => ({
  phase,
  step: 'ControlPlane',
  steps: [{ name: 'ControlPlane', started: '2026-01-01T00:00:00Z', verdict }],
});

it.each([
  { rule: 'its step is paused', status: at('Paused'), isClusterPaused: false, phase: 'Paused' },
  { rule: 'the Cluster is paused', status: at('Running'), isClusterPaused: true, phase: 'Paused' },
  { rule: 'its step runs', status: at('Running'), isClusterPaused: false, phase: 'Running' },
  { rule: 'it is held', status: at('Paused', 'Held'), isClusterPaused: true, phase: 'Held' },
])('an operation is $phase while $rule', ({ status, isClusterPaused, phase }) => {
  const shown = withPause(status, isClusterPaused);
  expect(shown.phase).toBe(phase);
  expect(withoutPause(operationOf(shown)).status?.phase).toBe(status.phase);
});
