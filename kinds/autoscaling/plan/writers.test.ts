/** Replicas that other clients set. */
import { describe, expect, it } from 'vitest';
import { type Decision, type History, plan } from './index.ts';
import { idOf, inputs, minute, now, pending, pool } from './plan.fixture.ts';
import { writesAfter } from './writers.ts';

type Step = {
  /** Minutes after the first step. */
  at: number;
  /** Replicas that a client set since the last step. */
  set?: number;
  by?: string;
  /** Pending pods, of which four fit on a node. */
  pods?: number;
  /** The status of the decision was lost. */
  lost?: boolean;
};

/** Decides step by step; Machines never become nodes, which these decisions do not depend on. */
type Run = { decisions: Decision[]; replicas: number[] };

const run = (steps: Step[]): Run => {
  let history: History = {};
  let [replicas, writer]: [number, string | undefined] = [0, undefined];
  const done: Run = { decisions: [], replicas: [] };
  for (const { at, set, by = 'alice', pods = 0, lost } of steps) {
    if (set !== undefined) [replicas, writer] = [set, by];
    const one = pool('a', { max: 10, replicas, ...(writer !== undefined && { writer }) });
    const decision = plan(inputs({ pods: pending(pods), pools: [one] }, { history, now: now + at * minute }));
    const [scale] = decision.scale;
    if (scale) [replicas, writer] = [scale.to, undefined];
    if (!lost) history = decision.history;
    done.decisions.push(decision);
    done.replicas.push(replicas);
  }
  return done;
};
const conflictsOf = ({ decisions }: Run) =>
  decisions.map(({ conflicts }) => conflicts.map(({ writer, until }) => `${writer} ${(until - now) / minute}`).join());

describe('a change of replicas', () => {
  it.each<{ rule: string; steps: Step[]; replicas: number[]; conflicts: string[] }>([
    {
      rule: 'by a user is the new size, from which the pool is scaled on',
      steps: [{ at: 0 }, { at: 1, set: 3 }, { at: 2, pods: 16 }],
      replicas: [0, 3, 4],
      conflicts: ['', '', ''],
    },
    {
      rule: 'beyond the maximum is brought back to it',
      steps: [{ at: 0 }, { at: 1, set: 30 }],
      replicas: [0, 10],
      conflicts: ['', ''],
    },
    {
      rule: 'by a user who adds to what the autoscaler added is no conflict',
      steps: [
        { at: 0, pods: 4 },
        { at: 1, set: 5 },
      ],
      replicas: [1, 5],
      conflicts: ['', ''],
    },
    {
      rule: 'that lowers once what the autoscaler raised is no conflict',
      steps: [
        { at: 0, pods: 8 },
        { at: 5, set: 1, pods: 8 },
        { at: 6, pods: 12 },
      ],
      replicas: [2, 2, 3],
      conflicts: ['', '', ''],
    },
    {
      rule: 'that lowers twice what the autoscaler raised leaves the pool alone for ten minutes',
      steps: [
        { at: 0, pods: 8 },
        { at: 3, set: 0, by: 'argo', pods: 8 },
        { at: 5, set: 0, by: 'argo', pods: 8 },
        { at: 14, pods: 8 },
        { at: 15, pods: 8 },
      ],
      replicas: [2, 2, 0, 0, 2],
      conflicts: ['', '', 'argo 15', 'argo 15', ''],
    },
    {
      rule: 'that goes on after that leaves the pool alone for twice as long each time',
      steps: [
        { at: 0, pods: 8 },
        { at: 3, set: 0, by: 'argo', pods: 8 },
        { at: 5, set: 0, by: 'argo', pods: 8 },
        { at: 15, pods: 8 },
        { at: 16, set: 0, by: 'argo', pods: 8 },
        { at: 35, pods: 8 },
        { at: 36, pods: 8 },
        { at: 37, set: 0, by: 'argo', pods: 8 },
      ],
      replicas: [2, 2, 0, 2, 0, 0, 2, 0],
      conflicts: ['', '', 'argo 15', '', 'argo 36', 'argo 36', '', 'argo 77'],
    },
    {
      rule: 'that lowers what was raised longer ago is no conflict',
      steps: [
        { at: 0, pods: 8 },
        { at: 10, set: 0, pods: 8 },
      ],
      replicas: [2, 2],
      conflicts: ['', ''],
    },
    {
      rule: 'is a conflict the third time in ten minutes, and while it goes on',
      steps: [
        { at: 0 },
        { at: 1, set: 1 },
        { at: 2, set: 2 },
        { at: 3, set: 3, by: 'ci' },
        { at: 12, set: 4, by: 'ci' },
        { at: 21, pods: 40 },
        { at: 22, pods: 40 },
      ],
      replicas: [0, 1, 2, 3, 4, 4, 10],
      conflicts: ['', '', '', 'ci 13', 'ci 22', 'ci 22', ''],
    },
    {
      rule: 'that raises what the autoscaler lowered is no conflict, even beyond the maximum',
      steps: [{ at: 0 }, { at: 1, set: 12 }, { at: 2, set: 12 }],
      replicas: [0, 10, 10],
      conflicts: ['', '', ''],
    },
    {
      rule: 'to the same replicas is a conflict the third time in an hour',
      steps: [
        { at: 0 },
        { at: 1, set: 12, by: 'argo' },
        { at: 20, set: 12, by: 'argo' },
        { at: 50, set: 12, by: 'argo' },
      ],
      replicas: [0, 10, 0, 12],
      conflicts: ['', '', '', 'argo 60'],
    },
    {
      rule: 'by a decision whose status was lost is no conflict',
      steps: [{ at: 0 }, { at: 1, pods: 8, lost: true }, { at: 2, pods: 8 }, { at: 3, pods: 8 }],
      replicas: [0, 2, 2, 2],
      conflicts: ['', '', '', ''],
    },
  ])('$rule', ({ steps, replicas, conflicts }) => {
    const done = run(steps);
    expect(done.replicas).toEqual(replicas);
    expect(conflictsOf(done)).toEqual(conflicts);
  });

  it('is the reason for which a pool that is left alone does not grow, until it does again', () => {
    const { decisions } = run([
      { at: -1, pods: 8 },
      { at: 0, set: 0, pods: 8 },
      { at: 1, set: 0, pods: 8 },
    ]);
    expect(decisions[2]).toMatchObject({
      pools: [{ blocked: 'alice sets its replicas' }],
      pods: [{ left: 8, reasons: { [idOf('a')]: 'alice sets its replicas' } }],
      nextDue: now + 11 * minute,
    });
  });
  it('takes back launches that are not lost', () => {
    const { decisions } = run([
      { at: 0, pods: 32 },
      { at: 1, set: 2, pods: 40 },
    ]);
    expect(decisions[1]!.pools).toEqual([{ pool: idOf('a') }]);
    expect(decisions[1]!.history.pools?.[idOf('a')]?.launches).toEqual([
      { at: now, count: 2 },
      { at: now + minute, count: 8 },
    ]);
  });
  it('delays removals as a scale-up of the autoscaler does', () =>
    expect(run([{ at: 0 }, { at: 1, set: 3 }]).decisions[1]!.history.pools?.[idOf('a')]).toMatchObject({
      scaledUpAt: now + minute,
    }));
  it('stays in the history when it counts no more, so that an idle pool causes no write', () => {
    const before = { replicas: 3, own: { at: now, by: 1 }, others: [{ at: now, to: 3 }] };
    const { replicas: _, ...writes } = before;
    expect(writesAfter(before, pool('a', { replicas: 3 }), {}, now + 120 * minute)).toEqual(writes);
  });
  it('is forgotten while another autoscaler acts on the whole cluster', () => {
    const one = (replicas: number) => pool('a', { replicas, writer: 'ca' });
    const conflict = { conflict: 'a lease' };
    const { history } = plan(
      inputs({ pools: [one(3)], ...conflict }, { history: { pools: { [idOf('a')]: { replicas: 1 } } } }),
    );
    expect(plan(inputs({ pools: [one(3)] }, { history })).history.pools?.[idOf('a')]).not.toHaveProperty('others');
  });
});
