import { describe, expect, it } from 'vitest';
import { executionName } from './execution.ts';
import type { OperationSpec } from './schema.ts';

const specOf = (change: Partial<OperationSpec>): OperationSpec =>
  ({ type: 'create', fingerprint: 'f', attempt: 1, ...change }) as OperationSpec;

describe('the name of an execution', () => {
  it('is stable', () => {
    expect(executionName('uid', specOf({}))).toBe(executionName('uid', specOf({})));
  });

  it('differs for each attempt, fingerprint and type', () => {
    const all = [{}, { attempt: 2 }, { attempt: 3 }, { fingerprint: 'g' }, { type: 'delete' as const }].map(specOf);
    expect(new Set(all.map((spec) => executionName('uid', spec))).size).toBe(all.length);
    expect(executionName('other', all[0]!)).not.toBe(executionName('uid', all[0]!));
  });
});
