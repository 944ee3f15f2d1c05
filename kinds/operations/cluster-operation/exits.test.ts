/** No state of an operation is without an exit, and its message names the exits that it has. */

import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import { referenceTo } from '../../references.fixture.ts';
import { createSteps } from '../create/steps.ts';
import { deleteSteps } from '../delete/steps.ts';
import type { OperationType } from '../facts.ts';
import { restoreBegins } from '../restore/begin.ts';
import { restoreSteps } from '../restore/step-names.ts';
import type { Observed as StarterSnapshot } from '../starter/observe.ts';
import { reconcile as reconcileStarter } from '../starter/reconcile.ts';
import { definitionFor } from '../types.ts';
import { upgradeSteps } from '../upgrade/step-names.ts';
import { type Counts, scopeFor } from '../upgrade/upgrade.fixture.ts';
import { isOver } from './ended.ts';
import { at, contextOf, found, objectOf, operationOf, runningAt, type Stage, scored } from './operation.fixture.ts';
import type { ClusterOperation, OperationStatus } from './schema.ts';
import { validateOperation } from './validate.ts';

const stepsOf: Record<OperationType, readonly string[]> = {
  create: createSteps,
  upgrade: upgradeSteps,
  restore: restoreSteps,
  delete: deleteSteps,
};
const types = Object.keys(stepsOf) as OperationType[];
const until = (type: OperationType, step: string) => stepsOf[type].slice(0, stepsOf[type].indexOf(step));

/** A state of an operation, and the tasks that its workflow has waiting. */
interface State {
  type: OperationType;
  status: OperationStatus;
  waiting: string[];
  annotations?: Record<string, string>;
  cp?: Counts;
  seconds?: number;
}

const nameOf = (type: OperationType) => `demo-${type}-1`;

const stageOf = (
  { type, status, waiting, annotations = {}, cp = {}, seconds = 0 }: State,
  more: object = {},
): Stage => {
  const upgrade = scopeFor({ cp: { old: 2, ...cp }, seconds, status });
  const { objects } = upgrade.spec;
  const { cluster: _, ...others } = upgrade.clusterState;
  const isNew = type === 'create' || type === 'delete';
  return {
    cluster: {
      metadata: {
        annotations: {
          'capstan.dev/operation': nameOf(type),
          'capstan.dev/target': 'Build',
          ...(!isNew && { 'capstan.dev/was-available': 'true' }),
          ...annotations,
        },
        ...(type === 'delete' && { deletionTimestamp: at(-1) }),
      },
      spec: { controlPlaneRef: referenceTo('KubeadmControlPlane', 'cp') },
    },
    status,
    operation: {
      metadata: {
        name: nameOf(type),
        uid: 'uid-of-demo-create-1',
        finalizers: ['x'],
        ...(more as { metadata?: object }).metadata,
      },
      spec: {
        type,
        ...(type === 'upgrade' && { objects }),
        ...(type === 'restore' && { snapshot: 's' }),
        ...(more as { spec?: object }).spec,
      },
    },
    clusterState: {
      ...others,
      // Nothing that a step waits for comes.
      snapshots: [],
      upgradeCheck: undefined,
      hostsLeft: found(['EC2 instance i-1 (running)']),
      remains: found(['EC2 instance i-1']),
      infrastructure: found(objectOf('AWSCluster', 'demo')),
    },
    waiting,
    preflight: 'unread',
    seconds,
  };
};

const run = (state: State, more: object = {}): { status: OperationStatus; answers: string[] } => {
  const first = scored(stageOf(state, more));
  if (first.target === undefined) return first;
  // The target moves before anything else is decided.
  const annotations = { ...state.annotations, 'capstan.dev/target': first.target };
  return scored(stageOf({ ...state, annotations }, more));
};

/** The exits that a message names. */
const exits = {
  cancel: /run: capstan cancel operation/,
  continue: /run: capstan continue operation/,
  retry: /run: capstan retry cluster/,
  restore: /run: capstan snapshot restore/,
  resume: /until spec\.paused and the annotation .* are removed/,
  unattended: /until nothing is left|ends when (that is done|nothing is left)/,
};
type Exit = keyof typeof exits;
const exitsIn = (message = ''): Exit[] => (Object.keys(exits) as Exit[]).filter((exit) => exits[exit].test(message));

const update = (state: State, change: object): string[] => {
  const operation = (spec: object) =>
    operationOf(state.status, {
      metadata: { name: nameOf(state.type) },
      spec: { type: state.type, snapshot: 's', ...spec },
    });
  const admission: Admission = {
    operation: 'update',
    old: operation({}),
    user: { username: '', groups: [] },
    dryRun: false,
  };
  return validateOperation(operation(change), admission).map(({ detail }) => detail);
};

const starterOf = (state: State, annotations: Record<string, string>): StarterSnapshot => {
  const upgrade = scopeFor({ cp: { old: 2, ...state.cp } });
  const { cluster } = upgrade;
  const own: ClusterOperation = operationOf(state.status, {
    metadata: { name: nameOf(state.type) },
    spec: { type: state.type, ...(state.type === 'upgrade' && { objects: upgrade.spec.objects }) },
  });
  const named = { 'capstan.dev/operation': nameOf(state.type), ...annotations };
  return {
    cluster: {
      ...cluster,
      metadata: {
        ...cluster.metadata,
        annotations: { ...(state.type !== 'create' && { 'capstan.dev/was-available': 'true' }), ...named },
      },
    },
    namespace: found(objectOf('Namespace', 'default')),
    operations: [own],
    description: { objects: [cluster], missing: [], unusable: [] },
    foreign: [],
    machines: [],
    rollouts: upgrade.clusterState.rollouts,
  };
};

const isAccepted: Record<Exit, (state: State) => boolean> = {
  // It ends, is held with other exits, or is undone: in any case something happens.
  cancel: (state) => {
    if (update(state, { cancel: true }).length > 0) return false;
    const { status, answers } = run({ ...state, seconds: 1 }, { spec: { cancel: true } });
    return isOver({ ...operationOf(status), status }) || answers.length > 0;
  },
  continue: (state) => update(state, { continued: [state.status.step] }).length === 0,
  retry: (state) => {
    const { actions = [] } = reconcileStarter(
      starterOf(state, { 'capstan.dev/retry': 'now' }),
      contextOf({ seconds: 1e5 }),
    );
    return actions.some((action) => action.do === 'create');
  },
  restore: (state) => {
    const observed = starterOf(state, {});
    const next = operationOf(undefined, {
      metadata: { name: 'demo-restore-2' },
      spec: { type: 'restore', attempt: 2 },
    });
    return restoreBegins.begin({ ...observed, operations: [...observed.operations, next] }, 0)?.intent !== undefined;
  },
  resume: () => true,
  unattended: ({ type, status }) => status.phase !== 'Held' || definitionFor(type)?.awaited !== undefined,
};

const expectExits = (state: State, message: string | undefined) => {
  const named = exitsIn(message);
  expect(named, message).not.toEqual([]);
  expect(
    named.filter((exit) => !isAccepted[exit](state)),
    message,
  ).toEqual([]);
};

const steps = types.flatMap((type) => stepsOf[type].map((step) => ({ type, step })));
const began = (type: OperationType, step: string): State => ({
  type,
  status: runningAt(step, until(type, step)),
  waiting: [step],
  ...(type === 'upgrade' && { cp: { old: 2, booting: 1 } }),
});

/** Past every deadline; passes have checked the clock all the time. */
const afterDeadline = 1e6;

/** As the workflow does after a failed step, until the operation is over or held. */
const failing = (state: State): OperationStatus => {
  const answered = run({ ...state, seconds: afterDeadline });
  let { status } = answered;
  for (const task of ['Decide', 'RollBack', 'RollBackHeld', 'RolledBack', 'Held']) {
    if (state.type !== 'upgrade' && task !== 'Held') continue;
    if (isOver({ ...operationOf(status), status }) || status.phase === 'Held') return status;
    ({ status } = run({ ...state, status, waiting: [task], seconds: afterDeadline }));
  }
  return status;
};

describe('every state of an operation has an exit that its message names', () => {
  it.each(steps)('$type at $step has a deadline, or ends by itself', ({ type, step }) => {
    const { status, answers } = run(began(type, step));
    if (answers.length > 0) return;
    const past = run({ ...began(type, step), seconds: afterDeadline });
    expect(past.answers, status.message).toHaveLength(1);
  });

  it.each(
    steps.filter(({ type }) => type === 'create' || type === 'upgrade'),
  )('$type at $step that the policy Retry lets go on', ({ type, step }) => {
    const policy = { [`capstan.dev/on-${type}-failure`]: 'Retry' };
    const state = { ...began(type, step), annotations: policy, seconds: afterDeadline };
    const { status, answers } = run(state);
    if (answers.length === 0) expectExits({ ...state, status }, status.message);
  });

  it.each(upgradeSteps.slice(1))('an upgrade that pauses before %s', (step) => {
    const state: State = { ...began('upgrade', step), annotations: { 'capstan.dev/upgrade-pause': step } };
    state.status = { ...state.status, steps: state.status.steps!.filter(({ name }) => name !== step) };
    const { status } = run(state);
    expectExits({ ...state, status }, status.message);
  });

  it.each(steps)('$type whose cluster is paused at $step', ({ type, step }) => {
    const state = began(type, step);
    const { status } = run({ ...state, annotations: { 'cluster.x-k8s.io/paused': '' } });
    expectExits({ ...state, status }, status.message);
  });

  it.each(steps)('$type after its step $step failed', ({ type, step }) => {
    const state = began(type, step);
    if (run(state).answers.length > 0) return;
    const status = failing(state);
    if (status.phase === 'Running') return;
    expectExits({ ...state, status, waiting: [] }, status.message);
  });

  it.each(steps.filter(({ type }) => type !== 'delete'))('$type that a user cancels at $step', ({ type, step }) => {
    const state = began(type, step);
    if (run(state).answers.length > 0) return;
    expect(update(state, { cancel: true })).toEqual([]);
    const ended = run(state, { spec: { cancel: true } });
    expect(ended.answers, ended.status.message).toHaveLength(1);
  });

  it.each(restoreSteps)('a restore whose object is deleted at %s', (step) => {
    const state = began('restore', step);
    const { answers } = run(state, { metadata: { deletionTimestamp: at(1) } });
    expect(answers).toHaveLength(1);
  });
});
