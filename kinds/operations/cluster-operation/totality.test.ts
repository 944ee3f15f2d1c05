import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operationAnnotations } from '../../core/contract/target.ts';
import { createSteps } from '../create/steps.ts';
import { deleteSteps } from '../delete/steps.ts';
import { absent, at, conditionWith, found, left, type Stage, scored } from './operation.fixture.ts';
import type { OperationStatus } from './schema.ts';

describe('for any observed state, an operation', () => {
  const tasks = [
    ...createSteps,
    ...deleteSteps,
    'TearDown',
    'TearDownHeld',
    'TornDown',
    'Decide',
    'Hold',
    'Held',
    'Succeeded',
    'Cancelled',
    'Dance',
  ];
  const phase = fc.constantFrom(
    'Pending',
    'Running',
    'Held',
    'Succeeded',
    'TornDown',
    'Cancelled',
    'RolledBack',
    undefined,
  );
  const verdict = fc.constantFrom('Running', 'Succeeded', 'Refused', 'DeadlineExceeded', 'Cancelled', 'Failed');
  const step = fc.record({
    name: fc.constantFrom(...tasks),
    started: fc.constant(at(0)),
    verdict,
    message: fc.option(fc.string(), { nil: undefined }),
  });
  const status = fc.record(
    {
      phase,
      step: fc.constantFrom(...tasks),
      execution: fc.constantFrom('an-execution'),
      clock: fc.record(
        { since: fc.constantFrom(at(0), at(500)), seconds: fc.nat(5000) },
        { requiredKeys: ['seconds'] },
      ),
      steps: fc.uniqueArray(step, { selector: ({ name }) => name, maxLength: 6 }),
    },
    { requiredKeys: [] },
  );
  const annotations = fc.record(
    {
      [operationAnnotations.target]: fc.constantFrom('Build', 'Hold', 'Nothing', 'Dance'),
      [operationAnnotations.operation]: fc.constantFrom('demo-create-1', 'demo-create-2'),
      [operationAnnotations.wasAvailable]: fc.constantFrom('true', 'false'),
      'capstan.dev/on-create-failure': fc.constantFrom('TearDown', 'Hold', 'Retry', 'Dance'),
      'capstan.dev/create-deadline': fc.constantFrom('30s', '1h', 'soon', '-5m'),
    },
    { requiredKeys: [] },
  );
  const cluster = fc.record(
    {
      metadata: fc.record(
        { annotations, deletionTimestamp: fc.constantFrom(at(3)) },
        { requiredKeys: ['annotations'] },
      ),
      spec: fc.record({ paused: fc.boolean() }),
      status: fc.record({
        conditions: fc.subarray([conditionWith('Available', 'True'), conditionWith('InfrastructureReady', 'True')]),
        initialization: fc.record({ controlPlaneInitialized: fc.boolean() }),
      }),
    },
    { requiredKeys: ['metadata'] },
  );
  const read = fc.constantFrom<Stage['clusterState'] & object>(
    {},
    left,
    { remains: absent },
    { infrastructure: absent },
    { controlPlane: undefined, infrastructure: undefined },
    { remains: { state: 'unreadable', reason: 'x' } },
  );
  const stages = fc.record(
    {
      cluster: fc.option(cluster, { freq: 9 }),
      status,
      operation: fc.record(
        {
          spec: fc.record({
            type: fc.constantFrom('create', 'delete', 'upgrade'),
            cancel: fc.boolean(),
            adopted: fc.boolean(),
          }),
          metadata: fc.record({ deletionTimestamp: fc.constantFrom(at(4)) }, { requiredKeys: [] }),
        },
        { requiredKeys: [] },
      ),
      clusterState: read,
      preflight: fc.constantFrom('passes' as const, 'refuses' as const),
      waiting: fc.array(
        fc.record(
          {
            step: fc.constantFrom(...tasks),
            error: fc.constantFrom('StepRefused', 'Lambda.Unknown'),
            uid: fc.constantFrom('uid-of-demo-create-1', 'other'),
          },
          { requiredKeys: ['step'] },
        ),
        { maxLength: 3 },
      ),
      execution: fc.constantFrom(
        undefined,
        absent,
        found({ status: 'RUNNING' as const }),
        found({ status: 'FAILED' as const }),
      ),
      seconds: fc.constantFrom(0, 31, 3601, 1e7),
    },
    { requiredKeys: [] },
  );
  const isSafe = ({ cluster, operation }: { cluster?: unknown; operation?: unknown }): boolean => {
    const { metadata, status } = (cluster ?? {}) as {
      metadata?: { annotations?: Record<string, string> };
      status?: { conditions?: { type: string }[] };
    };
    return (
      metadata?.annotations?.[operationAnnotations.wasAvailable] === 'true' ||
      (status?.conditions ?? []).some(({ type }) => type === 'Available') ||
      (operation as { spec?: { adopted?: boolean } } | undefined)?.spec?.adopted === true
    );
  };
  it('decides something, and never tears down or holds an Available cluster', () => {
    fc.assert(
      fc.property(stages, (generated) => {
        const stage = generated as Stage;
        const { target, plan, answers } = scored(stage);
        if (isSafe(stage)) expect(target).not.toBe('Nothing');
        const isOver = ['Succeeded', 'TornDown', 'Cancelled', 'RolledBack'].includes(stage.status?.phase ?? '');
        // Its status may say that its deletion waits.
        const ended = ({ phase, step, message, steps }: OperationStatus = {}) => ({ phase, step, message, steps });
        if (isOver && plan.status) expect(ended(plan.status)).toEqual(ended(stage.status));
        if (isOver) expect(plan.actions).toBeUndefined();
        if (isOver) expect(answers).toHaveLength(stage.waiting?.length ?? 0);
        if (plan.requeueAfter !== undefined) expect(plan.requeueAfter).toBeGreaterThanOrEqual(0);
        expect(new Set((plan.answers ?? []).map(({ to }) => to)).size).toBe(answers.length);
      }),
      { numRuns: 1000 },
    );
  });
  it('converges: the same observation leads to no further change', () => {
    fc.assert(
      fc.property(stages, fc.constantFrom(...createSteps, ...deleteSteps, 'TearDown', undefined), (generated, task) => {
        const stage: Stage = { ...(generated as Stage), waiting: task ? [task] : [] };
        const see = (status: OperationStatus | undefined) => scored({ ...stage, ...(status && { status }) }).status;
        let status = stage.status;
        for (let pass = 0; pass < 5; pass++) status = see(status);
        expect(see(status)).toEqual(status);
      }),
      { numRuns: 500 },
    );
  });
});
