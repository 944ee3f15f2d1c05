import { describe, expect, it } from 'vitest';
import { nextExecution } from './execution.ts';
import { operationOf } from './operation.fixture.ts';

const next = (execution?: string, restoredAt?: string): string =>
  nextExecution(
    operationOf(execution ? { execution } : undefined, {
      metadata: { uid: 'uid', ...(restoredAt && { annotations: { 'capstan.dev/restored-at': restoredAt } }) },
    }),
  );

describe('the name of an execution', () => {
  it('is that of the operation, and counts its executions', () => {
    expect([next(), next('uid-1'), next('uid-2')]).toEqual(['uid-1', 'uid-2', 'uid-3']);
  });

  it('counts anew for a name of an earlier version', () => {
    expect(next('uid-of-demo-create-0123456789abcdef-1')).toBe('uid-1');
  });

  it('is another one after each restore to the same state', () => {
    const all = [next('uid-1'), ...['09', '10'].map((hour) => next('uid-1', `2026-01-01T${hour}:00:00Z`))];
    expect(new Set(all).size).toBe(3);
    expect(next(all[1], '2026-01-01T10:00:00Z')).toBe(all[2]);
  });

  it('has at most 80 characters', () => {
    const operation = operationOf(undefined, { metadata: { uid: '2ffbfc8d-7275-4053-9cb9-79384b7d607e' } });
    const restored = { annotations: { 'capstan.dev/restored-at': '9999-01-01T00:00:00Z' } };
    const { metadata, ...rest } = operation;
    expect(nextExecution({ ...rest, metadata: { ...metadata, ...restored } }).length).toBeLessThanOrEqual(80);
  });
});
