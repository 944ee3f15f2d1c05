import { describe, expect, it } from 'vitest';
import { a, b, controlPlaneOf, now, type Situation, storyOf, three } from './control-plane.fixture.ts';
import { planDeletion } from './delete.ts';

describe('deletion', () => {
  it.each<Situation & { rule: string; reason: string; expected: string[] | undefined; finished?: boolean }>([
    { rule: 'waits for the workers', machines: three, workers: 2, reason: 'WaitingForWorkersDeletion', expected: [] },
    {
      rule: 'deletes all at once and lets them go',
      machines: [a, b],
      reason: 'WaitingForMachineDeletion',
      expected: ['patch Machine a', 'delete Machine a', 'patch Machine b', 'delete Machine b'],
    },
    { rule: 'is finished when none is left', machines: [], reason: 'DeletionCompleted', expected: [], finished: true },
  ])('$rule', ({ reason, expected, finished, ...situation }) => {
    const { plan, condition } = planDeletion(controlPlaneOf({ ...situation, deleting: true }), now);
    expect(condition.reason).toBe(reason);
    expect(storyOf(plan.actions)).toEqual(expected);
    expect(plan.finished ?? false).toBe(finished ?? false);
  });

  it('never finishes on a list that could not be read', () => {
    const controlPlane = {
      ...controlPlaneOf({ machines: [], deleting: true }),
      workers: { state: 'unreadable', reason: 'x' } as const,
    };
    expect(planDeletion(controlPlane, now).plan.finished).toBeUndefined();
  });
});
