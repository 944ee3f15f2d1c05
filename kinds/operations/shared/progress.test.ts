import { expect, it } from 'vitest';
import { succeeded } from './progress.ts';

it('drops the waiting message of a completed step', () => {
  const step = { name: 'Network', started: '2026-01-01T00:00:00Z', verdict: 'Running' as const, message: 'waiting' };
  const { steps } = succeeded({ phase: 'Running', steps: [step] }, 'done', Date.parse('2026-01-01T00:01:00Z'));
  expect(steps).toEqual([
    { name: 'Network', started: '2026-01-01T00:00:00Z', verdict: 'Succeeded', ended: '2026-01-01T00:01:00Z' },
  ]);
});
