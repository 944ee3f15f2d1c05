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
    { rule: 'has not ended before it begins', phase: undefined, over: false },
    { rule: 'has not ended while it runs', phase: 'Running', over: false },
    { rule: 'has not ended while it is held, because it may end by itself', phase: 'Held', over: false },
    { rule: 'has ended when it succeeded', phase: 'Succeeded', over: true },
    { rule: 'has ended when it was cancelled', phase: 'Cancelled', over: true },
  ])('$rule', ({ phase, over }) => {
    expect(isOver(operation(phase))).toBe(over);
    expect(isPast(operation(phase))).toBe(over);
  });

  it('in deletion still reads its Cluster, which may keep it', () => {
    expect(isPast(operation('Succeeded', '2026-01-01T00:00:00Z'))).toBe(false);
  });
});
