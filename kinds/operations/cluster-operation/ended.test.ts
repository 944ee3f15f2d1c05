import { describe, expect, it } from 'vitest';
import { isOver, isPast } from './ended.ts';

const operation = (phase: string | undefined, deletionTimestamp?: string) => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'ClusterOperation',
  metadata: { name: 'c-create-1', ...(deletionTimestamp && { deletionTimestamp }) },
  ...(phase && { status: { phase } }),
});

describe('an operation', () => {
  it.each([
    { rule: 'is not over before it begins', phase: undefined, over: false },
    { rule: 'is not over while it runs', phase: 'Running', over: false },
    { rule: 'is not over while it is held: it may end by itself', phase: 'Held', over: false },
    { rule: 'is over when it succeeded', phase: 'Succeeded', over: true },
    { rule: 'is over when it was cancelled', phase: 'Cancelled', over: true },
  ])('$rule', ({ phase, over }) => {
    expect(isOver(operation(phase))).toBe(over);
    expect(isPast(operation(phase))).toBe(over);
  });

  it('that is to go looks at its Cluster still, which may keep it', () => {
    expect(isPast(operation('Succeeded', '2026-01-01T00:00:00Z'))).toBe(false);
  });
});
