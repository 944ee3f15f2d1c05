import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import { at, operationOf } from './operation.fixture.ts';
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
const upgrade = (...continued: string[]) =>
  operationOf(running, { spec: { type: 'upgrade', ...(continued.length > 0 && { continued }) } });
const cancelled = operationOf(running, { spec: { cancel: true } });

const heldAt = (step: string, spec: object = {}) =>
  operationOf(
    { phase: 'Held', step, steps: [{ name: step, started: at(0), verdict: 'DeadlineExceeded' }] },
    { spec: { type: 'restore', snapshot: 's', ...spec } },
  );

describe('an operation', () => {
  it.each<{ rule: string; given: Partial<Admission>; object?: typeof old; refused?: RegExp }>([
    { rule: 'may be created by a controller', given: { operation: 'create', byController: true } },
    {
      rule: 'must not be created by a client',
      given: { operation: 'create' },
      refused: /begun by Capstan.*capstan\.dev\/retry/,
    },
    { rule: 'may be cancelled', given: { old }, object: cancelled },
    { rule: 'must stay cancelled', given: { old: cancelled }, refused: /cannot be taken back/ },
    {
      rule: 'must not be cancelled during a teardown',
      given: { old: operationOf({ phase: 'Running', step: 'TearDown' }) },
      object: cancelled,
      refused: /undoing/,
    },
    {
      rule: 'must not be cancelled during a rollback',
      given: { old: operationOf({ phase: 'Running', step: 'RollBack' }, { spec: { type: 'upgrade' } }) },
      object: operationOf(running, { spec: { type: 'upgrade', cancel: true } }),
      refused: /rolling back/,
    },
    ...[
      { step: 'StopMembers', refused: /control plane is stopped, and only a restore starts it again; run: capstan/ },
      {
        step: 'RestoreFirst',
        refused: /does not serve the snapshot yet: once it does, the restore goes on and may be cancelled; to begin/,
      },
    ].map(({ step, refused }) => ({
      rule: `of a restore must not be cancelled while it is held at ${step}`,
      given: { old: heldAt(step) },
      object: heldAt(step, { cancel: true }),
      refused,
    })),
    { rule: 'of an upgrade may be continued', given: { old: upgrade() }, object: upgrade('Workers') },
    {
      rule: 'must stay continued',
      given: { old: upgrade('Workers') },
      object: upgrade(),
      refused: /cannot be taken back/,
    },
    {
      rule: 'must not be continued unless it is an upgrade',
      given: { old },
      object: operationOf(running, { spec: { continued: ['Workers'] } }),
      refused: /only an upgrade pauses/,
    },
    {
      rule: 'must not change otherwise',
      given: { old },
      object: operationOf(running, { spec: { attempt: 9 } }),
      refused: /immutable/,
    },
  ])('$rule', ({ given, object = old, refused }) => {
    const faults = validateOperation(object, admission(given)).map(({ detail }) => detail);
    expect(faults).toEqual(refused ? [expect.stringMatching(refused)] : []);
  });
});
