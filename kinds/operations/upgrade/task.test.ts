import { describe, expect, it } from 'vitest';
import type { Preflight } from '../../core/contract/infrastructure.ts';
import { at } from '../cluster-operation/operation.fixture.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { Outcome } from '../shared/scope.ts';
import { heldMessage } from './messages.ts';
import type { UpgradeStep } from './step-names.ts';
import { upgradeTask } from './task.ts';
import { from, runningAt, scopeFor, snapshotNamed, targetsIn, type UpgradeState } from './upgrade.fixture.ts';

const stepsIn = ({ status }: Outcome) =>
  Object.fromEntries((status.steps ?? []).map(({ name, verdict }) => [name, verdict]));
const answerIn = ({ answer }: Outcome) => answer && ('output' in answer ? 'done' : answer.error);

const inCluster = (category: 'Workload' | 'AddOns', code: string) => ({
  code,
  category,
  status: 'Error' as const,
  object: 'Object x',
  message: 'It is wrong',
  remedy: 'Repair it',
});

const unreachable = {
  result: 'Unknown' as const,
  findings: [{ ...inCluster('Workload', 'ClusterUnreachable'), status: 'Unknown' as const }],
};

describe('a step of an upgrade', () => {
  it.each<{ rule: string; step: UpgradeStep; state: UpgradeState; answers?: string; at: UpgradeStep; admits?: object }>(
    [
      {
        rule: 'Preflight of a healthy cluster leads to the first control-plane Machine, and admits one',
        step: 'Preflight',
        state: {},
        answers: 'done',
        at: 'ControlPlaneFirst',
        admits: { cp: 'Build 1' },
      },
      {
        rule: 'the first Machine is awaited until it serves',
        step: 'ControlPlaneFirst',
        state: { cp: { old: 3, booting: 1 }, targets: { 'KubeadmControlPlane/cp': { target: 'Build', most: 1 } } },
        at: 'ControlPlaneFirst',
      },
      {
        rule: 'a first Machine of another version than its spec does not count',
        step: 'ControlPlaneFirst',
        state: { cp: { old: 3, wrong: 1 }, targets: { 'KubeadmControlPlane/cp': { target: 'Build', most: 1 } } },
        at: 'ControlPlaneFirst',
      },
      {
        rule: 'the old Machine that the first one replaces is awaited, too',
        step: 'ControlPlaneFirst',
        state: {
          cp: { old: 2, going: 1, fresh: 1 },
          targets: { 'KubeadmControlPlane/cp': { target: 'Build', most: 1 } },
        },
        at: 'ControlPlaneFirst',
      },
      {
        rule: 'the first Machine serves: all others are admitted',
        step: 'ControlPlaneFirst',
        state: { cp: { old: 2, fresh: 1 }, targets: { 'KubeadmControlPlane/cp': { target: 'Build', most: 1 } } },
        answers: 'done',
        at: 'ControlPlane',
        admits: { cp: 'Build' },
      },
      {
        rule: 'the whole control plane is new: its add-ons are awaited before workers',
        step: 'ControlPlane',
        state: { cp: { fresh: 3 }, targets: { 'KubeadmControlPlane/cp': { target: 'Build' } } },
        answers: 'done',
        at: 'AddOns',
      },
      {
        rule: 'kube-proxy and CoreDNS are rolled out: one worker is admitted',
        step: 'AddOns',
        state: {
          cp: { fresh: 3 },
          check: { step: 'AddOns' },
          targets: { 'KubeadmControlPlane/cp': { target: 'Build' } },
        },
        answers: 'done',
        at: 'WorkersCanary',
        admits: { cp: 'Build', a: 'Build 1' },
      },
      {
        rule: 'kube-proxy is not ready: no worker is admitted',
        step: 'AddOns',
        state: {
          cp: { fresh: 3 },
          check: { step: 'AddOns', result: 'Error', findings: [inCluster('AddOns', 'AddOnNotReady')] },
          targets: { 'KubeadmControlPlane/cp': { target: 'Build' } },
        },
        at: 'AddOns',
      },
      {
        rule: 'kube-proxy waits for a Node that is not Ready: one worker is admitted',
        step: 'AddOns',
        state: {
          cp: { fresh: 3 },
          check: {
            step: 'AddOns',
            result: 'Warning',
            findings: [{ ...inCluster('AddOns', 'AddOnBlocked'), status: 'Warning' }],
          },
          targets: { 'KubeadmControlPlane/cp': { target: 'Build' } },
        },
        answers: 'done',
        at: 'WorkersCanary',
        admits: { cp: 'Build', a: 'Build 1' },
      },
      {
        rule: 'the cluster is not looked into yet: nothing is admitted',
        step: 'Preflight',
        state: { check: null },
        at: 'Preflight',
      },
      {
        rule: 'a cluster that is not looked into within minutes refuses the upgrade',
        step: 'Preflight',
        state: { check: null, seconds: 301 },
        answers: 'StepRefused',
        at: 'Preflight',
      },
      {
        rule: 'a cluster that does not answer is awaited',
        step: 'Preflight',
        state: { check: unreachable },
        at: 'Preflight',
      },
      {
        rule: 'a cluster that does not answer for minutes refuses the upgrade',
        step: 'Preflight',
        state: { check: unreachable, seconds: 301 },
        answers: 'StepRefused',
        at: 'Preflight',
      },
      {
        rule: 'an error inside the cluster refuses the upgrade',
        step: 'Preflight',
        state: { check: { result: 'Error', findings: [inCluster('Workload', 'DisruptionBudgetBlocks')] } },
        answers: 'StepRefused',
        at: 'Preflight',
      },
      {
        rule: 'a warning inside the cluster lets it proceed',
        step: 'Preflight',
        state: {
          check: { result: 'Warning', findings: [{ ...inCluster('Workload', 'NodeCordoned'), status: 'Warning' }] },
        },
        answers: 'done',
        at: 'ControlPlaneFirst',
        admits: { cp: 'Build 1' },
      },
      {
        rule: 'the second MachineDeployment waits for the first',
        step: 'WorkersCanary',
        state: { cp: { fresh: 3 }, a: { old: 1, fresh: 1 }, b: { old: 2 } },
        answers: 'done',
        at: 'Workers',
        admits: { cp: 'Build', a: 'Build' },
      },
      {
        rule: 'the second MachineDeployment follows the first',
        step: 'Workers',
        state: { cp: { fresh: 3 }, a: { fresh: 2 }, b: { old: 2 } },
        at: 'Workers',
        admits: { cp: 'Build', a: 'Build', b: 'Build' },
      },
      {
        rule: 'an admitted MachineDeployment stays admitted although an earlier one loses a Machine',
        step: 'Workers',
        state: {
          cp: { fresh: 3 },
          a: { fresh: 1, booting: 1 },
          b: { old: 1, fresh: 1 },
          targets: {
            'KubeadmControlPlane/cp': { target: 'Build' },
            'MachineDeployment/a': { target: 'Build' },
            'MachineDeployment/b': { target: 'Build' },
          },
        },
        at: 'Workers',
      },
      {
        rule: 'everything is new: what was admitted is removed',
        step: 'Workers',
        state: {
          cp: { fresh: 3 },
          a: { fresh: 2 },
          targets: { 'KubeadmControlPlane/cp': { target: 'Build' }, 'MachineDeployment/a': { target: 'Build' } },
        },
        answers: 'done',
        at: 'Verify',
        admits: {},
      },
      {
        rule: 'everything is new, but the cluster is not Available',
        step: 'Verify',
        state: { cp: { fresh: 3 }, a: { fresh: 2 }, isAvailable: false },
        at: 'Verify',
        admits: { cp: 'Build', a: 'Build' },
      },
      {
        rule: 'a changed spec is not admitted, and waits for the next operation',
        step: 'Workers',
        state: {
          cp: { fresh: 3 },
          a: { fresh: 1, old: 1 },
          changed: {
            a: {
              spec: { clusterName: 'demo', replicas: 2, template: { spec: { version: 'v1.36.1', bootstrap: {} } } },
            },
          },
        },
        at: 'Workers',
        admits: { cp: 'Build' },
      },
      {
        rule: 'a paused MachineDeployment takes no part',
        step: 'Workers',
        state: {
          cp: { fresh: 3 },
          a: { old: 2 },
          changed: { a: { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } } },
        },
        answers: 'done',
        at: 'Verify',
      },
      {
        rule: 'no operation that the Cluster does not name admits anything',
        step: 'Preflight',
        state: { namedOther: true },
        answers: 'done',
        at: 'ControlPlaneFirst',
      },
    ],
  )('$rule', ({ step, state, answers, at: reached, admits }) => {
    const outcome = upgradeTask(scopeFor(state), runningAt(step), step);
    expect(outcome.status.step).toBe(reached);
    expect(answerIn(outcome)).toBe(answers);
    expect(targetsIn(outcome.actions)).toEqual(admits);
  });

  it('without progress fails at the deadline; a Machine more restarts the clock', () => {
    const state: UpgradeState = {
      cp: { old: 2, fresh: 1 },
      seconds: 1801,
      targets: { 'KubeadmControlPlane/cp': { target: 'Build' } },
    };
    const stuck = upgradeTask(scopeFor(state), runningAt('ControlPlane', { remaining: 8 }), 'ControlPlane');
    expect(answerIn(stuck)).toBe('DeadlineExceeded');
    expect(stepsIn(stuck).ControlPlane).toBe('DeadlineExceeded');
    const moving = upgradeTask(scopeFor(state), runningAt('ControlPlane', { remaining: 9 }), 'ControlPlane');
    expect(answerIn(moving)).toBeUndefined();
    expect(moving.status).toMatchObject({ remaining: 8, clock: { since: at(1801), seconds: 0 } });
  });

  it('names what keeps the control plane from the next step, and advises no longer deadline then', () => {
    const why = 'ConfigMap kube-system/kubeadm-config of the workload cluster does not exist';
    const conditions = [
      { type: 'Available', status: 'True', reason: 'Available', message: '' },
      {
        type: 'RollingOut',
        status: 'True',
        reason: 'RollingOut',
        message: `Rolling out 3 not up-to-date replicas\nThe next step is blocked because:\n* ${why}`,
      },
    ];
    const messageOf = (changed: UpgradeState['changed']) => {
      const scope = scopeFor({ seconds: 1801, targets: { 'KubeadmControlPlane/cp': { target: 'Build' } }, changed });
      const { status } = upgradeTask(scope, runningAt('ControlPlane', { remaining: 6 }), 'ControlPlane');
      return heldMessage(scope.operation, status as OperationStatus);
    };
    const blocked = messageOf({ cp: { status: { observedGeneration: 2, upToDateReplicas: 0, conditions } } });
    expect(blocked).toContain(`KubeadmControlPlane cp: the next step is blocked because: ${why}`);
    expect(blocked).not.toContain('capstan.dev/upgrade-deadline');
    expect(messageOf({})).toContain('capstan.dev/upgrade-deadline');
  });

  it('has the deadline that the Cluster sets, and by default the drain timeout more', () => {
    const due = (state: UpgradeState) =>
      upgradeTask(scopeFor({ ...state, cp: { old: 2, fresh: 1 } }), runningAt('ControlPlane'), 'ControlPlane').status
        .deadline;
    expect(due({})).toBe(at(1800));
    expect(due({ annotations: { 'capstan.dev/upgrade-deadline': '10m' } })).toBe(at(600));
    const deletion = { nodeDrainTimeoutSeconds: 7200 };
    expect(
      due({
        changed: {
          a: { spec: { clusterName: 'demo', template: { spec: { version: 'v1.36.0', bootstrap: {}, deletion } } } },
        },
      }),
    ).toBe(at(9000));
  });

  it('under the policy Retry is late, and goes on', () => {
    const state: UpgradeState = {
      cp: { old: 2, fresh: 1 },
      seconds: 1801,
      annotations: { 'capstan.dev/on-upgrade-failure': 'Retry' },
    };
    const { status, answer } = upgradeTask(
      scopeFor(state),
      runningAt('ControlPlane', { remaining: 1 }),
      'ControlPlane',
    );
    expect(answer).toBeUndefined();
    expect(status).toMatchObject({ late: true, message: expect.stringContaining('Step ControlPlane is late') });
  });

  it('waits for the soak, whose time counts neither as progress nor as delay', () => {
    const soak = { 'capstan.dev/upgrade-soak': '2h' };
    const state: UpgradeState = { cp: { old: 2, fresh: 1 }, annotations: soak };
    const begun = upgradeTask(scopeFor(state), runningAt('ControlPlaneFirst'), 'ControlPlaneFirst');
    expect(begun.status.step).toBe('SoakControlPlane');
    const soaking = upgradeTask(scopeFor({ ...state, seconds: 7100 }), begun.status, 'SoakControlPlane');
    expect(answerIn(soaking)).toBeUndefined();
    expect(soaking).toMatchObject({ requeueAfter: 100, status: { message: 'SoakControlPlane: soaking' } });
    expect(soaking.status.deadline).toBeUndefined();
    const ill = upgradeTask(
      scopeFor({ ...state, cp: { old: 2, booting: 1 }, seconds: 7300 }),
      soaking.status,
      'SoakControlPlane',
    );
    expect(answerIn(ill)).toBeUndefined();
    expect(ill.status.message).toContain('to recover');
    const done = upgradeTask(scopeFor({ ...state, seconds: 7300 }), soaking.status, 'SoakControlPlane');
    expect(answerIn(done)).toBe('done');
    expect(done.status.step).toBe('ControlPlane');
  });

  it('gives a Machine that fell ill in the soak the deadline, and says so once', () => {
    const soak = { 'capstan.dev/upgrade-soak': '2h' };
    const state: UpgradeState = { cp: { old: 2, fresh: 1 }, annotations: soak };
    const begun = upgradeTask(scopeFor(state), runningAt('ControlPlaneFirst'), 'ControlPlaneFirst');
    const soaking = upgradeTask(scopeFor({ ...state, seconds: 7100 }), begun.status, 'SoakControlPlane');
    const see = (seconds: number, status: OperationStatus) =>
      upgradeTask(scopeFor({ ...state, cp: { old: 2, booting: 1 }, seconds }), status, 'SoakControlPlane');
    const ill = see(7300, soaking.status);
    expect(ill.status).toMatchObject({ deadline: at(7300 + 1800), message: expect.stringContaining('to recover') });
    const still = see(7310, ill.status);
    expect(still.status).toEqual(ill.status);
    expect(stepsIn(see(7300 + 1801, still.status)).SoakControlPlane).toBe('DeadlineExceeded');
    const well = upgradeTask(scopeFor({ ...state, seconds: 7400 }), still.status, 'SoakControlPlane');
    expect(answerIn(well)).toBe('done');
  });

  it('pauses before a step until a user continues, and admits nothing of it', () => {
    const annotations = { 'capstan.dev/upgrade-pause': 'ControlPlaneFirst, Workers' };
    const paused = upgradeTask(scopeFor({ annotations }), runningAt('Preflight'), 'Preflight');
    expect(answerIn(paused)).toBe('done');
    expect(stepsIn(paused).ControlPlaneFirst).toBe('Paused');
    expect(targetsIn(paused.actions)).toBeUndefined();
    expect(paused.status.message).toContain('capstan continue operation demo-upgrade-1 -n default');
    const still = upgradeTask(scopeFor({ annotations, seconds: 1e6 }), paused.status, 'ControlPlaneFirst');
    expect(answerIn(still)).toBeUndefined();
    expect(still.status).toEqual(paused.status);
    const on = upgradeTask(
      scopeFor({ annotations, seconds: 1e6, spec: { continued: ['ControlPlaneFirst'] } }),
      paused.status,
      'ControlPlaneFirst',
    );
    expect(stepsIn(on).ControlPlaneFirst).toBe('Running');
    expect(on.status.steps?.find(({ name }) => name === 'ControlPlaneFirst')?.started).toBe(at(1e6));
    expect(targetsIn(on.actions)).toEqual({ cp: 'Build 1' });
  });

  it('does not pause once every spec that takes part was set back', () => {
    const state: UpgradeState = {
      annotations: { 'capstan.dev/upgrade-pause': 'ControlPlaneFirst' },
      cp: { fresh: 3 },
      changed: {
        cp: { spec: { replicas: 3, version: from } },
        a: { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } },
      },
    };
    const status = runningAt('ControlPlaneFirst', {}, 'Paused');
    const ended = upgradeTask(scopeFor(state), status, 'ControlPlaneFirst');
    expect(answerIn(ended)).toBe('done');
    expect(ended.status.step).toBe('AddOns');
    const { a: _, ...cpOnly } = state.changed!;
    const partly = upgradeTask(scopeFor({ ...state, changed: cpOnly }), status, 'ControlPlaneFirst');
    expect(answerIn(partly)).toBeUndefined();
  });

  it('admits no more while it is paused, however the control plane is scaled', () => {
    const state: UpgradeState = {
      annotations: { 'capstan.dev/upgrade-pause': 'ControlPlane' },
      cp: { old: 2, fresh: 3 },
      targets: { 'KubeadmControlPlane/cp': { target: 'Build', most: 1 } },
    };
    const paused = upgradeTask(scopeFor(state), runningAt('SoakControlPlane'), 'SoakControlPlane');
    expect(stepsIn(paused).ControlPlane).toBe('Paused');
    expect(targetsIn(paused.actions)).toBeUndefined();
  });

  it.each<{ rule: string; step: UpgradeStep; state: UpgradeState; answers: string }>([
    { rule: 'before anything is admitted it is cancelled', step: 'Preflight', state: {}, answers: 'Cancelled' },
    {
      rule: 'an admitted control plane is stopped for the policy to decide',
      step: 'ControlPlaneFirst',
      state: { targets: { 'KubeadmControlPlane/cp': { target: 'Build', most: 1 } } },
      answers: 'StepRefused',
    },
  ])('cancelled by a user: $rule', ({ step, state, answers }) => {
    const outcome = upgradeTask(scopeFor({ ...state, spec: { cancel: true } }), runningAt(step), step);
    expect(answerIn(outcome)).toBe(answers);
  });
});

describe('the snapshot of an upgrade', () => {
  const snapshot = (state: UpgradeState, status = runningAt('Snapshot')) => {
    const { answer, status: next, actions = [] } = upgradeTask(scopeFor(state), status, 'Snapshot');
    const made = actions.flatMap((action) => (action.do === 'create' ? [action.object.metadata.name] : []));
    return {
      answer: answer && ('output' in answer ? 'done' : answer.error),
      made,
      message: next.steps?.[1]?.message ?? '',
    };
  };
  const own = (n: number) => `demo-upgrade-1-snapshot-${n}`;
  it.each<{ rule: string; state: UpgradeState; answer?: string; made?: string[]; says: string }>([
    { rule: 'is made', state: { snapshots: [] }, made: [own(1)], says: 'waiting for a snapshot of etcd' },
    {
      rule: 'is awaited',
      state: { snapshots: [snapshotNamed(own(1), 'Running')] },
      says: `waiting for EtcdSnapshot ${own(1)}: etcd says no`,
    },
    {
      rule: 'is done when it is stored',
      state: { snapshots: [snapshotNamed(own(1), 'Succeeded', 60)], seconds: 60 },
      answer: 'done',
      says: `EtcdSnapshot ${own(1)}`,
    },
    {
      rule: 'refuses the upgrade when it fails',
      state: { snapshots: [snapshotNamed(own(1), 'Failed', 60)], seconds: 60 },
      answer: 'StepRefused',
      says: `EtcdSnapshot ${own(1)} failed: etcd says no`,
    },
    {
      rule: 'is tried again in the next attempt of the step',
      state: { snapshots: [snapshotNamed(own(1), 'Failed', -1)] },
      made: [own(2)],
      says: 'waiting for a snapshot of etcd',
    },
    {
      rule: 'may be another one that was taken since the upgrade was asked for',
      state: { snapshots: [snapshotNamed('scheduled', 'Succeeded', -60)] },
      answer: 'done',
      says: 'EtcdSnapshot scheduled',
    },
    {
      rule: 'must not be older, because the undo would lose what was written since',
      state: { snapshots: [snapshotNamed('scheduled', 'Succeeded', -61)] },
      made: [own(1)],
      says: 'waiting for a snapshot of etcd',
    },
    {
      rule: 'may be of another patch',
      state: { snapshots: [snapshotNamed('scheduled', 'Succeeded', -60, { kubernetesVersion: 'v1.35.9' })] },
      answer: 'done',
      says: 'EtcdSnapshot scheduled',
    },
    {
      rule: 'must not be of an older minor version, which could not be restored',
      state: { snapshots: [snapshotNamed('scheduled', 'Succeeded', -60, { kubernetesVersion: 'v1.34.9' })] },
      made: [own(1)],
      says: 'waiting for a snapshot of etcd',
    },
    {
      rule: 'is its own, whichever of two versions answered',
      state: { snapshots: [snapshotNamed(own(1), 'Succeeded', 60, { kubernetesVersion: '' })], seconds: 60 },
      answer: 'done',
      says: `EtcdSnapshot ${own(1)}`,
    },
    {
      rule: 'is taken again when its own is too old',
      state: { snapshots: [snapshotNamed(own(1), 'Succeeded', -901)] },
      made: [own(2)],
      says: 'waiting for a snapshot of etcd',
    },
    {
      rule: 'is not taken of an external etcd',
      state: { snapshots: [], managesEtcd: false },
      answer: 'done',
      says: 'Capstan does not manage the etcd of this control plane',
    },
    {
      rule: 'is not taken for workers',
      state: { snapshots: [], spec: { objects: [] } },
      answer: 'done',
      says: 'The control plane keeps its Machines',
    },
  ])('$rule', ({ state, answer, made = [], says }) => expect(snapshot(state)).toEqual({ answer, made, message: says }));
});

describe('a Preflight', () => {
  const unhealthy = (seconds: number, more: UpgradeState = {}): UpgradeState => ({
    seconds,
    changed: {
      cp: {
        status: {
          observedGeneration: 2,
          conditions: [{ type: 'EtcdClusterHealthy', status: 'False', reason: 'x', message: 'a member is lost' }],
        },
      },
    },
    ...more,
  });
  it('waits some minutes for what passes by itself, then refuses', () => {
    const first = upgradeTask(scopeFor(unhealthy(60)), runningAt('Preflight'), 'Preflight');
    expect(answerIn(first)).toBeUndefined();
    expect(first.status.message).toContain('a member is lost');
    const second = upgradeTask(scopeFor(unhealthy(301)), first.status, 'Preflight');
    expect(answerIn(second)).toBe('StepRefused');
    expect(targetsIn(second.actions)).toBeUndefined();
  });
  it('refuses a skipped minor at once', () => {
    const outcome = upgradeTask(scopeFor({ to: 'v1.37.0' }), runningAt('Preflight'), 'Preflight');
    expect(answerIn(outcome)).toBe('StepRefused');
    expect(outcome.status.message).toContain('MinorSkipped');
  });
  it('permits the replacement of an outdated Machine that is the trouble', () => {
    const state = unhealthy(0, { cp: { old: 2, fresh: 0 } });
    const scope = scopeFor(state);
    const [machine] = scope.clusterState.machines;
    const conditions = (machine!.status as { conditions: { type: string; status: string }[] }).conditions;
    conditions.find(({ type }) => type === 'Available')!.status = 'False';
    const outcome = upgradeTask(scope, runningAt('Preflight'), 'Preflight');
    expect(answerIn(outcome)).toBe('done');
    expect(outcome.status.steps?.[0]?.message).toContain('ControlPlaneUnhealthy');
  });
});

it('refuses workers of a minor version to which their control plane was not upgraded', () => {
  const workersOnly = (to: string, changed: UpgradeState['changed'] = {}, seconds = 0) => {
    const { spec } = scopeFor({ to, changed });
    const objects = spec.objects?.filter(({ kind }) => kind === 'MachineDeployment');
    return upgradeTask(scopeFor({ to, changed, seconds, spec: { objects } }), runningAt('Preflight'), 'Preflight');
  };
  const refused = workersOnly('v1.36.0');
  expect(answerIn(refused)).toBe('StepRefused');
  expect(refused.status.message).toBe(
    'Preflight: WorkersTooNew: MachineDeployment a: Its spec asks for v1.36.0, and the control plane runs v1.35.0: kubelets must not be newer. Upgrade the control plane first; if that was rolled back, run: capstan retry cluster demo -n default. To go on in spite of it, once, run: capstan retry cluster demo -n default --override WorkersTooNew',
  );
  expect(answerIn(workersOnly('v1.35.1'))).toBe('done');
  const older = { cp: { spec: { replicas: 3, version: 'v1.35.0' } } };
  // The user may set the version of the control plane a moment later.
  expect(answerIn(workersOnly('v1.36.0', older))).toBeUndefined();
  const overdue = workersOnly('v1.36.0', older, 301);
  expect(answerIn(overdue)).toBe('StepRefused');
  expect(overdue.status.message).toContain(
    'WorkersAhead: MachineDeployment a: Its spec asks for v1.36.0, and that of the control plane for v1.35.0: kubelets must not be newer. Set the version of the control plane first',
  );
});

describe('the preflight of the infrastructure', () => {
  it.each<{ rule: string; preflight: Preflight; seconds?: number; answers?: string }>([
    { rule: 'lets the upgrade proceed', preflight: { verdict: 'passed', message: '' }, answers: 'done' },
    { rule: 'refuses it', preflight: { verdict: 'refused', message: 'no such type' }, answers: 'StepRefused' },
    { rule: 'is awaited', preflight: { verdict: 'pending', message: 'unreadable' } },
    { rule: 'waits for what may be applied a moment later', preflight: { verdict: 'absent', message: 'no image' } },
    {
      rule: 'refuses what stays absent',
      preflight: { verdict: 'absent', message: 'no image' },
      seconds: 31,
      answers: 'StepRefused',
    },
  ])('$rule', ({ preflight, seconds = 1, answers }) => {
    const outcome = upgradeTask(scopeFor({ preflight, seconds }), runningAt('Preflight'), 'Preflight');
    expect(answerIn(outcome)).toBe(answers);
    if (answers !== 'done') expect(outcome.status.message).toBe(`Preflight: ${preflight.message}`);
  });
});
