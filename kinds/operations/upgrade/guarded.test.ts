import { describe, expect, it } from 'vitest';
import type { ObjectTargets } from '../../core/contract/object-targets.ts';
import { at } from '../cluster-operation/operation.fixture.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { CheckFinding, UpgradeCheckStatus } from '../upgrade-check/index.ts';
import { upgrade } from './definition.ts';
import type { upgradeSteps } from './step-names.ts';
import { runningAt, scopeFor, snapshotNamed, targetsIn, type UpgradeState } from './upgrade.fixture.ts';

const whole: ObjectTargets = { 'KubeadmControlPlane/cp': { target: 'Build' } };
const back: ObjectTargets = { 'KubeadmControlPlane/cp': { target: 'RollBack' } };
const guarded = { 'capstan.dev/upgrade-rollback': 'Guarded' };
const snapshots = [snapshotNamed('before', 'Succeeded', -60, { etcdVersion: '3.6.6' })];
/** What the check inside the cluster found for the decision, by default nothing. */
const found = (findings: CheckFinding[] = []): UpgradeCheckStatus => ({
  operation: 'demo-upgrade-1',
  step: 'Decide',
  result: findings.length > 0 ? 'Error' : 'Passing',
  findings,
  lastRefresh: at(0),
});
const mixed: UpgradeState = {
  cp: { old: 1, fresh: 2 },
  targets: whole,
  annotations: guarded,
  snapshots,
  check: found(),
};
const failedAt = (step: (typeof upgradeSteps)[number]): OperationStatus => ({
  ...runningAt(step, {}, 'DeadlineExceeded'),
  deciding: at(0),
});
const unknownObjects: CheckFinding = {
  code: 'RollbackObjectsUnknown',
  category: 'Rollback',
  status: 'Unknown',
  object: 'KubeadmControlPlane cp',
  message: 'It does not answer',
  remedy: 'Let it',
};
const failed = failedAt('ControlPlane');
const decide = (state: UpgradeState, status = failed) => upgrade.undo.Decide!.run(scopeFor(state), status);
const heldMessageOf = (state: UpgradeState, status = failed) =>
  upgrade.hold(scopeFor(state), status, 'DeadlineExceeded').status.message;

describe('a failed upgrade with guarded rollback', () => {
  it('rolls a mixed control plane back, and records it with the targets', () => {
    const { answer, status, actions } = decide(mixed);
    expect(answer).toEqual({ output: { policy: 'RollBack' } });
    expect(status.guarded).toBe(true);
    expect(targetsIn(actions)).toEqual({ cp: 'RollBack' });
  });

  it.each(['ControlPlaneFirst', 'SoakControlPlane'] as const)('does so after its first member, at %s', (step) => {
    const first: UpgradeState = { ...mixed, cp: { old: 2, fresh: 1 } };
    expect(decide(first, failedAt(step)).status.guarded).toBe(true);
  });

  it('does so when a user cancels it', () => {
    const cancelled: UpgradeState = { ...mixed, spec: { cancel: true } };
    expect(decide(cancelled).answer).toEqual({ output: { policy: 'RollBack' } });
  });

  it('records nothing where no guard is needed', () => {
    const { answer, status } = decide({ ...mixed, cp: { old: 3, booting: 1 } }, failedAt('ControlPlaneFirst'));
    expect(answer).toEqual({ output: { policy: 'RollBack' } });
    expect(status.guarded).toBeUndefined();
  });

  it.each<{ rule: string; state: Partial<UpgradeState>; status?: OperationStatus; names?: string }>([
    { rule: 'without the annotation', state: { annotations: {} } },
    {
      rule: 'under the policy Hold',
      state: { annotations: { ...guarded, 'capstan.dev/on-upgrade-failure': 'Hold' } },
    },
    { rule: 'of two minors', state: { to: 'v1.37.0' }, names: 'RollbackSkipsMinor: KubeadmControlPlane cp' },
    { rule: 'after 7 days', state: { seconds: 7 * 86_400 + 1 }, names: 'RollbackTooLate: KubeadmControlPlane cp' },
    {
      rule: 'of an earlier operation',
      state: {},
      status: failedAt('Preflight'),
      names: 'RollbackOfAnother: KubeadmControlPlane cp',
    },
    {
      rule: 'without an old member',
      state: { cp: { fresh: 3 } },
      status: failedAt('AddOns'),
      names: 'NoOldMachine: KubeadmControlPlane cp',
    },
    {
      rule: 'of another etcd',
      state: { snapshots: [snapshotNamed('before', 'Succeeded', -60, { etcdVersion: '3.5.26' })] },
      names: 'RollbackChangesEtcd: KubeadmControlPlane cp',
    },
    {
      rule: 'of an etcd that only a later snapshot names',
      state: { snapshots: [snapshotNamed('after', 'Succeeded', 60, { etcdVersion: '3.6.6' })] },
      names: 'RollbackEtcdUnknown: KubeadmControlPlane cp',
    },
    {
      rule: 'with workers of the new minor',
      state: { a: { old: 1, fresh: 2 } },
      names: 'RollbackKubeletTooNew: Machine a-fresh-0 (and 1 more)',
    },
    {
      rule: 'with objects that only the new version serves',
      state: {
        check: found([
          {
            code: 'RollbackLosesObjects',
            category: 'Rollback',
            status: 'Error',
            object: 'Thing default/t',
            message: 'It is of x/v2, which the old API server does not serve',
            remedy: 'Delete it',
          },
        ]),
      },
      names: 'RollbackLosesObjects: Thing default/t',
    },
    {
      rule: 'with unknown objects',
      state: { check: null, seconds: 300 },
      names: 'RollbackObjectsUnknown: KubeadmControlPlane cp',
    },
  ])('is held $rule', ({ state, status = failed, names }) => {
    const given = { ...mixed, ...state };
    const outcome = decide(given, status);
    expect(outcome.answer).toEqual({ output: { policy: 'Hold' } });
    expect(outcome.status.guarded).toBeUndefined();
    const message = heldMessageOf(given, status);
    if (names) expect(message).toContain(`It was not rolled back: ${names}`);
    else expect(message).not.toContain('It was not rolled back');
    expect(message).toContain('To go on: ');
  });

  it('names every guard that fails', () => {
    const message = heldMessageOf({ ...mixed, to: 'v1.37.0', a: { old: 1, fresh: 2 } });
    for (const code of ['RollbackSkipsMinor', 'RollbackEtcdUnknown', 'RollbackKubeletTooNew'])
      expect(message).toContain(code);
    expect(message).not.toContain('RollbackObjectsUnknown');
  });
});

describe('the decision about a guarded rollback', () => {
  const undecided: OperationStatus = runningAt('ControlPlane', {}, 'DeadlineExceeded');

  it('waits for the check inside the cluster, and stops the rollout meanwhile', () => {
    const first = decide({ ...mixed, check: null }, undecided);
    expect(first.answer).toBeUndefined();
    expect(first.status).toMatchObject({ deciding: at(0), message: expect.stringContaining('No more Machines') });
    expect(targetsIn(first.actions)).toEqual({ cp: 'Build 2 held' });
    const second = decide({ ...mixed, check: null, seconds: 200 }, first.status);
    expect([second.answer, second.status.deciding]).toEqual([undefined, at(0)]);
  });

  it('does not count an older check', () => {
    const { answer } = decide(mixed, { ...undecided, deciding: at(60) });
    expect(answer).toBeUndefined();
  });

  it('waits while an API server does not answer, for five minutes', () => {
    const unknown = { ...found(), result: 'Unknown' as const, findings: [unknownObjects] };
    expect(decide({ ...mixed, check: unknown, seconds: 299 }).answer).toBeUndefined();
    expect(decide({ ...mixed, check: unknown, seconds: 300 }).answer).toEqual({ output: { policy: 'Hold' } });
  });

  it('does not wait if another guard fails', () => {
    const outcome = decide({ ...mixed, check: null, to: 'v1.37.0' }, undecided);
    expect(outcome.answer).toEqual({ output: { policy: 'Hold' } });
    expect(outcome.status.deciding).toBeUndefined();
  });
});

describe('the guarded rollback of a control plane', () => {
  const rollBack = (state: UpgradeState, status: OperationStatus) =>
    upgrade.undo.RollBack!.run(scopeFor({ ...mixed, ...state }), status);
  const begun: OperationStatus = { ...failed, guarded: true };

  it('goes on although a guard fails later', () => {
    const { status, answer } = rollBack({ targets: back, check: null }, begun);
    expect(answer).toBeUndefined();
    expect(status.message).toContain('waiting for Machine cp-fresh-0, Machine cp-fresh-1 to be gone');
  });

  it('is done once every member is old', () => {
    const { status } = rollBack({ cp: { old: 3 }, targets: back }, begun);
    const ended = upgrade.undo.RolledBack!.run(scopeFor({ ...mixed, cp: { old: 3 }, targets: back }), status);
    expect(ended.status).toMatchObject({
      phase: 'RolledBack',
      message: expect.stringContaining('KubeadmControlPlane cp rolled back'),
    });
  });

  it('has its deadline for each Machine', () => {
    const first = rollBack({ targets: back }, begun).status;
    expect(first.remaining).toBe(4);
    const second = rollBack({ cp: { old: 2, fresh: 2 }, targets: back, seconds: 1700 }, first);
    expect(second.status).toMatchObject({ remaining: 3, clock: { seconds: 0 } });
    const third = rollBack({ cp: { old: 2, fresh: 2 }, targets: back, seconds: 3400 }, second.status);
    expect(third.answer).toBeUndefined();
    const overdue = rollBack({ cp: { old: 2, fresh: 2 }, targets: back, seconds: 3501 }, third.status);
    expect(overdue.answer).toMatchObject({ error: 'StepRefused' });
  });

  it('does not end as rolled back if the last old member is gone', () => {
    const { answer, status } = rollBack({ cp: { fresh: 3 }, targets: whole }, begun);
    expect(answer).toBeUndefined();
    expect(status.message).toContain('it has no old Machine left');
  });
});
