import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../../machinery/api/reconcile.ts';
import type { ObjectTargets } from '../../core/contract/object-targets.ts';
import { absent, at, contextOf, found } from '../cluster-operation/operation.fixture.ts';
import { reconcile } from '../cluster-operation/reconcile.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { upgrade } from './definition.ts';
import { upgradeSteps } from './step-names.ts';
import { runningAt, scopeFor, targetsIn, type UpgradeState } from './upgrade.fixture.ts';

const one: ObjectTargets = { 'KubeadmControlPlane/cp': { target: 'Build', most: 1 } };
const whole: ObjectTargets = { 'KubeadmControlPlane/cp': { target: 'Build' } };
const policy = (onFailure: string) => ({ 'capstan.dev/on-upgrade-failure': onFailure });
const failedAt = (step: (typeof upgradeSteps)[number]): OperationStatus => runningAt(step, {}, 'DeadlineExceeded');

describe('a failed upgrade', () => {
  it.each<{ rule: string; state: UpgradeState; status: OperationStatus; policy: string; admits?: object }>([
    {
      rule: 'rolls back before anything is admitted',
      state: {},
      status: failedAt('Preflight'),
      policy: 'RollBack',
    },
    {
      rule: 'rolls back while no new control-plane member has joined',
      state: { cp: { old: 3, booting: 1 }, targets: one },
      status: failedAt('ControlPlaneFirst'),
      policy: 'RollBack',
    },
    {
      rule: 'is held where control-plane members are mixed, with the Machines as they are',
      state: { cp: { old: 1, fresh: 2 }, targets: whole },
      status: failedAt('ControlPlane'),
      policy: 'Hold',
      admits: { cp: 'Build 2 held' },
    },
    {
      rule: 'is held where an operation before had mixed the members',
      state: { cp: { old: 1, fresh: 2 }, targets: { 'KubeadmControlPlane/cp': { target: 'Build', most: 2 } } },
      status: failedAt('Preflight'),
      policy: 'Hold',
      admits: { cp: 'Build 2 held' },
    },
    {
      rule: 'is held where one new member serves already',
      state: { cp: { old: 2, fresh: 1 }, targets: one },
      status: failedAt('ControlPlaneFirst'),
      policy: 'Hold',
      admits: { cp: 'Build 1 held' },
    },
    {
      rule: 'rolls workers back',
      state: { cp: { fresh: 3 }, a: { old: 2, booting: 1 }, targets: whole },
      status: failedAt('WorkersCanary'),
      policy: 'RollBack',
    },
    {
      rule: 'is held once everything is new',
      state: { cp: { fresh: 3 }, a: { fresh: 2 }, isAvailable: false },
      status: failedAt('Verify'),
      policy: 'Hold',
      admits: { cp: 'Build 3 held', a: 'Build 2 held' },
    },
    {
      rule: 'under the policy Hold is held',
      state: { cp: { old: 3, booting: 1 }, targets: one, annotations: policy('Hold') },
      status: failedAt('ControlPlaneFirst'),
      policy: 'Hold',
      admits: { cp: 'Build 1 held' },
    },
    {
      rule: 'under the policy Retry goes on',
      state: { cp: { old: 3, booting: 1 }, targets: one, annotations: policy('Retry') },
      status: failedAt('ControlPlaneFirst'),
      policy: 'Retry',
    },
    {
      rule: 'that a user cancelled rolls back under every policy',
      state: { cp: { old: 3, booting: 1 }, targets: one, annotations: policy('Retry'), spec: { cancel: true } },
      status: failedAt('ControlPlaneFirst'),
      policy: 'RollBack',
    },
  ])('$rule', ({ state, status, policy: expected, admits }) => {
    const outcome = upgrade.undo.Decide!.run(scopeFor(state), status);
    expect(outcome.answer).toEqual({ output: { policy: expected } });
    expect(targetsIn(outcome.actions)).toEqual(admits);
    if (expected === 'Retry') expect(outcome.status.steps?.every(({ verdict }) => verdict === 'Succeeded')).toBe(true);
  });

  const rollBack = (state: UpgradeState, status: OperationStatus) => {
    const outcome = upgrade.undo.RollBack!.run(scopeFor(state), status);
    return { ...outcome, admits: targetsIn(outcome.actions), isDone: outcome.answer && 'output' in outcome.answer };
  };
  const back: ObjectTargets = { 'KubeadmControlPlane/cp': { target: 'RollBack' } };
  const noted = {
    changed: { cp: { metadata: { generation: 2, annotations: { 'capstan.dev/kubeadm-config-before': '{}' } } } },
  };

  it.each<{ rule: string; state: UpgradeState; status: OperationStatus; admits?: object; isDone?: true }>([
    {
      rule: 'moves the target of the control plane back',
      state: { cp: { old: 3, booting: 1 }, targets: one },
      status: failedAt('ControlPlaneFirst'),
      admits: { cp: 'RollBack' },
    },
    {
      rule: 'waits until its new Machine is gone',
      state: { cp: { old: 3, booting: 1 }, targets: back },
      status: failedAt('ControlPlaneFirst'),
    },
    {
      rule: 'waits until kubeadm-config is restored',
      state: { cp: { old: 3 }, targets: back, ...noted },
      status: failedAt('ControlPlaneFirst'),
    },
    {
      rule: 'waits until the old Machines are as many as before',
      state: { cp: { old: 2 }, targets: back },
      status: failedAt('ControlPlaneFirst'),
    },
    {
      rule: 'is done then',
      state: { cp: { old: 3 }, targets: back },
      status: failedAt('ControlPlaneFirst'),
      isDone: true,
    },
    {
      rule: 'is done at once if nothing was admitted',
      state: {},
      status: failedAt('Preflight'),
      isDone: true,
    },
    {
      rule: 'leaves a MachineDeployment that is complete, and takes the others back',
      state: {
        cp: { fresh: 3 },
        a: { fresh: 2 },
        b: { old: 1, booting: 1 },
        targets: { ...whole, 'MachineDeployment/a': { target: 'Build' }, 'MachineDeployment/b': { target: 'Build' } },
      },
      status: failedAt('Workers'),
      admits: { cp: 'Build 3', a: 'Build 2', b: 'RollBack' },
    },
    {
      rule: 'leaves a MachineDeployment that this operation has not admitted',
      state: {
        cp: { fresh: 3 },
        a: { old: 1, booting: 1 },
        b: { old: 1, fresh: 1 },
        targets: {
          ...whole,
          'MachineDeployment/a': { target: 'Build' },
          'MachineDeployment/b': { target: 'Build', most: 1 },
        },
      },
      status: failedAt('Workers'),
      admits: { cp: 'Build 3', a: 'RollBack', b: 'Build 1' },
    },
    {
      rule: 'ends although old workers of another minor cannot be created again',
      state: {
        cp: { fresh: 3 },
        a: { old: 1 },
        targets: { ...whole, 'MachineDeployment/a': { target: 'RollBack' } },
      },
      status: failedAt('Workers'),
      admits: { cp: 'Build 3', a: 'RollBack' },
    },
  ])('rolls back: $rule', ({ state, status, admits, isDone }) => {
    const outcome = rollBack(state, status);
    expect(outcome.admits).toEqual(admits);
    expect(outcome.isDone).toBe(isDone);
  });

  it('ends although the only workers have a wrong image, and cannot be replaced by old ones', () => {
    const state: UpgradeState = {
      cp: { fresh: 3 },
      a: { wrong: 2 },
      targets: {
        'KubeadmControlPlane/cp': { target: 'Build', most: 3 },
        'MachineDeployment/a': { target: 'RollBack' },
      },
    };
    const { status, isDone } = rollBack(state, failedAt('WorkersCanary'));
    expect(isDone).toBe(true);
    const ended = upgrade.undo.RolledBack!.run(scopeFor(state), status);
    expect(ended.status.message).toContain(
      '2 Machines of MachineDeployment a cannot be created again in their old version, of which 2 are replaced by new ones that stay',
    );
  });

  it('says what stays new when a user cancels it, and what that forbids', () => {
    const targets: ObjectTargets = {
      'KubeadmControlPlane/cp': { target: 'Build', most: 3 },
      'MachineDeployment/a': { target: 'Build', most: 2 },
    };
    const state: UpgradeState = { cp: { fresh: 3 }, a: { fresh: 2 }, b: { old: 2 }, spec: { cancel: true }, targets };
    const { status } = rollBack(state, runningAt('WorkersCanary', {}, 'Cancelled'));
    const ended = upgrade.undo.RolledBack!.run(scopeFor(state), status);
    expect(ended.status.message ?? '').not.toContain('Nothing was changed');
    expect(ended.status.message).toContain(
      'KubeadmControlPlane cp, MachineDeployment a not rolled back: what is new stays',
    );
    expect(ended.status.message).toContain(
      'MachineDeployment b can neither grow nor replace Machines until its version is that of v1.36.0',
    );
  });

  it('says what could not be rolled back, and how to try again', () => {
    const state: UpgradeState = {
      cp: { fresh: 3 },
      a: { old: 1 },
      targets: {
        'KubeadmControlPlane/cp': { target: 'Build', most: 3 },
        'MachineDeployment/a': { target: 'RollBack' },
      },
    };
    const { status } = rollBack(state, failedAt('Workers'));
    const ended = upgrade.undo.RolledBack!.run(scopeFor(state), status);
    expect(ended.status.phase).toBe('RolledBack');
    expect(ended.status.message).toContain('1 Machines of MachineDeployment a cannot be created again');
    expect(ended.status.message).toContain('capstan retry cluster demo -n default');
  });

  it('that cannot be rolled back in time is held, and ends when it is', () => {
    const state: UpgradeState = { cp: { old: 3, booting: 1 }, targets: back };
    const begun = rollBack(state, failedAt('ControlPlaneFirst')).status;
    const overdue = rollBack({ ...state, seconds: 4000 }, begun);
    expect(overdue.answer).toMatchObject({ error: 'StepRefused' });
    const held = upgrade.undo.RollBackHeld!.run(scopeFor(state), overdue.status).status;
    expect(held).toMatchObject({ phase: 'Held', message: expect.stringContaining('could not be rolled back yet') });
    const again = rollBack({ ...state, seconds: 4001 }, held);
    expect(again).toMatchObject({ isDone: undefined, status: { phase: 'Held' } });
    expect(rollBack({ cp: { old: 3 }, targets: back }, again.status).isDone).toBe(true);
  });

  it('on hold names the three ways on', () => {
    const held = upgrade.hold(scopeFor({ cp: { old: 1, fresh: 2 } }), failedAt('ControlPlane'), 'DeadlineExceeded');
    expect(held.status).toMatchObject({
      phase: 'Held',
      message: expect.stringMatching(
        /ControlPlane.*capstan retry cluster demo -n default; or change the spec; or restore a snapshot/,
      ),
    });
  });
});

describe('for any observed state, an upgrade', () => {
  const tasks = [
    ...upgradeSteps,
    'Decide',
    'RollBack',
    'RollBackHeld',
    'RolledBack',
    'Held',
    'Succeeded',
    'Cancelled',
    'Dance',
  ];
  const verdict = fc.constantFrom(
    'Running',
    'Succeeded',
    'Refused',
    'DeadlineExceeded',
    'Cancelled',
    'Failed',
    'Paused',
  );
  const counts = fc.record(
    { old: fc.nat(3), booting: fc.nat(1), fresh: fc.nat(3), going: fc.nat(1), wrong: fc.nat(1) },
    { requiredKeys: [] },
  );
  const target = fc.record(
    { target: fc.constantFrom('Build', 'Hold', 'RollBack'), most: fc.nat(3), revision: fc.constantFrom('of-before') },
    { requiredKeys: ['target'] },
  );
  const states = fc.record(
    {
      cp: counts,
      a: counts,
      b: fc.option(counts, { nil: undefined }),
      targets: fc.dictionary(
        fc.constantFrom('KubeadmControlPlane/cp', 'MachineDeployment/a', 'MachineDeployment/b'),
        target,
      ),
      annotations: fc.record(
        {
          'capstan.dev/on-upgrade-failure': fc.constantFrom('RollBack', 'Hold', 'Retry', 'Dance'),
          'capstan.dev/upgrade-deadline': fc.constantFrom('30s', 'soon'),
          'capstan.dev/upgrade-soak': fc.constantFrom('5m', '-5m'),
          'capstan.dev/upgrade-pause': fc.constantFrom('Workers', 'ControlPlane,Dance', ''),
        },
        { requiredKeys: [] },
      ),
      spec: fc.record(
        { cancel: fc.boolean(), continued: fc.subarray(['Workers', 'ControlPlane']) },
        { requiredKeys: [] },
      ),
      isAvailable: fc.boolean(),
      namedOther: fc.boolean(),
      seconds: fc.constantFrom(0, 31, 1801, 1e6),
      to: fc.constantFrom('v1.36.0', 'v1.37.0', 'v1.35.0'),
    },
    { requiredKeys: [] },
  );
  const statuses = fc.record(
    {
      phase: fc.constantFrom('Pending', 'Running', 'Held', 'Succeeded', 'RolledBack', 'Cancelled'),
      step: fc.constantFrom(...tasks),
      execution: fc.constantFrom('e'),
      clock: fc.record(
        { since: fc.constantFrom(at(0), at(500)), seconds: fc.nat(5000) },
        { requiredKeys: ['seconds'] },
      ),
      remaining: fc.nat(9),
      steps: fc.uniqueArray(fc.record({ name: fc.constantFrom(...tasks), started: fc.constant(at(0)), verdict }), {
        selector: ({ name }) => name,
        maxLength: 8,
      }),
    },
    { requiredKeys: [] },
  );
  const execution = fc.constantFrom(
    undefined,
    absent,
    found({ status: 'RUNNING' as const }),
    found({ status: 'FAILED' as const }),
  );

  const passOf = (state: UpgradeState, waiting: string[], of?: Context['lastFailure'], run?: unknown) => {
    const scope = scopeFor(state);
    const operation = { ...scope.operation, metadata: { ...scope.operation.metadata, uid: 'uid-of-demo-create-1' } };
    const context = contextOf({ waiting, seconds: state.seconds ?? 0, context: { lastFailure: of } });
    const snapshot = {
      operation,
      cluster: found(scope.cluster),
      named: undefined,
      clusterState: scope.clusterState,
      preflight: undefined,
      execution: run as never,
    };
    return { plan: reconcile(snapshot, context), operation };
  };

  it('decides something, writes no spec, and moves no target it is not named for', () => {
    fc.assert(
      fc.property(
        states,
        statuses,
        fc.array(fc.constantFrom(...tasks), { maxLength: 3 }),
        execution,
        (state, status, waiting, run) => {
          const { plan, operation } = passOf(
            { ...(state as UpgradeState), status: status as OperationStatus },
            waiting,
            undefined,
            run,
          );
          const isOver = ['Succeeded', 'RolledBack', 'Cancelled'].includes(status.phase ?? '');
          const patches = (plan.actions ?? []).filter((action) => action.do === 'patch');
          for (const { kind, patch } of patches) {
            expect(kind).toBe('Cluster');
            expect(Object.keys(patch)).toEqual(['metadata']);
          }
          if (isOver || state.namedOther) expect(patches).toEqual([]);
          if (isOver) expect([plan.status, plan.answers?.length]).toEqual([undefined, waiting.length]);
          if (plan.requeueAfter !== undefined) expect(plan.requeueAfter).toBeGreaterThanOrEqual(0);
          expect(operation.spec?.type).toBe('upgrade');
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('never rolls a control plane with several new members back', () => {
    fc.assert(
      fc.property(states, statuses, fc.constantFrom(...tasks), (generated, status, task) => {
        const state: UpgradeState = { ...(generated as UpgradeState), status: status as OperationStatus };
        const targets = { ...state.targets };
        delete targets['KubeadmControlPlane/cp'];
        const mixed: UpgradeState = { ...state, targets, cp: { old: 1, fresh: 2 } };
        const { plan } = passOf(mixed, [task]);
        expect(targetsIn(plan.actions)?.cp).not.toBe('RollBack');
      }),
      { numRuns: 500 },
    );
  });

  it('converges: the same observation leads to no further change', () => {
    fc.assert(
      fc.property(states, statuses, fc.constantFrom(...tasks, undefined), (generated, first, task) => {
        const see = (status: OperationStatus): OperationStatus => {
          const state: UpgradeState = { ...(generated as UpgradeState), status };
          return (passOf(state, task ? [task] : []).plan.status ?? status) as OperationStatus;
        };
        let status = first as OperationStatus;
        for (let pass = 0; pass < 6; pass++) status = see(status);
        expect(see(status)).toEqual(status);
      }),
      { numRuns: 100 },
    );
  });
});
