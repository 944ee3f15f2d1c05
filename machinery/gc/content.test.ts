import { expect, it } from 'vitest';
import type { Condition } from '../api/object.ts';
import { contentConditions } from './content.ts';

const early = '2026-01-01T00:00:00Z';
const now = Date.parse('2026-01-02T00:00:00Z');
const conditionOf = (type: string, status: Condition['status']): Condition => ({
  type,
  status,
  reason: 'Because',
  message: 'so',
  lastTransitionTime: early,
});

it('preserves the conditions of other writers on a terminating namespace, and the times of its own', () => {
  const audited = conditionOf('example.com/Audited', 'True');
  const remains = conditionOf('NamespaceContentRemaining', 'False');
  const conditions = contentConditions(
    [audited, remains, conditionOf('NamespaceFinalizersRemaining', 'True')],
    [],
    [],
    now,
  );
  expect(conditions).toContainEqual(audited);
  expect(Object.fromEntries(conditions.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]))).toEqual({
    'example.com/Audited': early,
    NamespaceDeletionDiscoveryFailure: '2026-01-02T00:00:00Z',
    NamespaceDeletionGroupVersionParsingFailure: '2026-01-02T00:00:00Z',
    NamespaceDeletionContentFailure: '2026-01-02T00:00:00Z',
    NamespaceContentRemaining: early,
    NamespaceFinalizersRemaining: '2026-01-02T00:00:00Z',
  });
});
