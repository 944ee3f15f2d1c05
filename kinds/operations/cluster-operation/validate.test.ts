import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import { operationOf } from './operation.fixture.ts';
import type { OperationStatus } from './schema.ts';
import { validateOperation } from './validate.ts';

const admission = (more: Partial<Admission>): Admission => ({
  operation: 'update',
  user: { username: 'somebody', groups: [] },
  dryRun: false,
  ...more,
});
const running: OperationStatus = { phase: 'Running', step: 'Network' };
const old = operationOf(running);
const cancelled = operationOf(running, { spec: { cancel: true } });

describe('an operation', () => {
  it.each<{ rule: string; given: Partial<Admission>; object?: typeof old; refused?: RegExp }>([
    { rule: 'is made by controllers', given: { operation: 'create', byController: true } },
    { rule: 'is not made by hand', given: { operation: 'create' }, refused: /begun by Capstan.*capstan\.dev\/retry/ },
    { rule: 'may be cancelled', given: { old }, object: cancelled },
    { rule: 'stays cancelled', given: { old: cancelled }, refused: /cannot be taken back/ },
    {
      rule: 'is not cancelled while it undoes',
      given: { old: operationOf({ phase: 'Running', step: 'TearDown' }) },
      object: cancelled,
      refused: /undoing/,
    },
    {
      rule: 'changes in nothing else',
      given: { old },
      object: operationOf(running, { spec: { attempt: 9 } }),
      refused: /immutable/,
    },
  ])('$rule', ({ given, object = old, refused }) => {
    const faults = validateOperation(object, admission(given)).map(({ detail }) => detail);
    expect(faults).toEqual(refused ? [expect.stringMatching(refused)] : []);
  });
});
