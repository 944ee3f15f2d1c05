import { describe, expect, it } from 'vitest';
import { operationAnnotations } from '../../core/contract/target.ts';
import { runningAt, scopeFor, targetsIn, type UpgradeState } from '../upgrade/upgrade.fixture.ts';
import {
  absent,
  annotated,
  at,
  contextOf,
  deletion,
  failed,
  found,
  left,
  nothing,
  running,
  type Stage,
  scored,
  targeted,
  undoing,
  wasAvailable,
} from './operation.fixture.ts';
import type { OperationStatus } from './schema.ts';
import { unattended } from './unattended.ts';

const deleting: Stage = {
  operation: deletion,
  status: running('DeleteWorkers'),
  cluster: {
    metadata: { deletionTimestamp: at(0), annotations: { [operationAnnotations.operation]: 'demo-delete-1' } },
  },
};

it('checks within an hour whether its workflow runs, because the event of its end may be lost', () => {
  const stage: Stage = { status: running('Network'), execution: found({ status: 'RUNNING' }) };
  expect(scored(stage).plan.requeueAfter).toBe(3600);
  const cancelled = { cluster: targeted('Hold'), operation: { spec: { cancel: true } } };
  expect(scored({ ...stage, ...cancelled }).plan.requeueAfter).toBe(3600);
});

it('checks within an hour whether its workflow has advanced, because its last result may have been late', () => {
  const scores = scored({ ...deleting, waiting: ['DeleteWorkers'] });
  expect(scores).toMatchObject({ answers: ['DeleteWorkers: {}'], plan: { requeueAfter: 3600 } });
  const done = scored({ status: undoing, cluster: nothing, seconds: 60, waiting: ['TearDown'] }).status;
  const ended = scored({ status: done, cluster: nothing, seconds: 61, waiting: ['TornDown'] });
  expect(ended).toMatchObject({ answers: ['TornDown: {}'], status: { phase: 'TornDown' } });
  expect(ended.plan.requeueAfter).toBeUndefined();
});

describe('an operation that a restore took back', () => {
  const restored = annotated({ 'capstan.dev/restored-at': '2026-01-01T09:00:00.500Z' });
  const uid = 'uid-of-demo-create-1';
  const after = `${uid}-${Date.parse('2026-01-01T09:00:00Z') / 1000}`;
  const pending: OperationStatus = { phase: 'Pending', execution: `${uid}-1`, message: 'Waiting for its workflow' };
  const begun = running('Network', { execution: `${uid}-1`, deadline: at(3600) });
  it.each<{ rule: string; stage: Stage; execution: string | undefined; phase?: string }>([
    {
      rule: 'starts under a name of its own',
      stage: { status: {}, operation: restored },
      execution: after,
      phase: 'Pending',
    },
    {
      rule: 'begins anew when its workflow has ended before its first step',
      stage: { status: pending, execution: found({ status: 'SUCCEEDED' }) },
      execution: `${uid}-2`,
      phase: 'Pending',
    },
    {
      rule: 'goes on when its workflow has succeeded',
      stage: { status: begun, execution: found({ status: 'SUCCEEDED' }) },
      execution: `${uid}-2`,
    },
    {
      rule: 'goes through its last steps although its cluster is Available',
      stage: { status: begun, operation: restored, cluster: wasAvailable, execution: found({ status: 'SUCCEEDED' }) },
      execution: after,
    },
    {
      rule: 'goes on when its workflow has failed',
      stage: { status: begun, operation: restored, execution: found({ status: 'FAILED' }) },
      execution: after,
    },
    {
      rule: 'goes on when its workflow was that of another stack',
      stage: { status: begun, operation: restored, execution: absent },
      execution: after,
    },
    {
      rule: 'goes on when it was restored before',
      stage: { status: { ...begun, execution: `${uid}-7` }, operation: restored, execution: absent },
      execution: after,
    },
    {
      rule: 'goes on when it began in an earlier version',
      stage: { status: running('Network'), operation: restored, execution: found({ status: 'ABORTED' }) },
      execution: after,
    },
    {
      rule: 'starts its new workflow again until that is visible',
      stage: { status: { ...begun, execution: after }, operation: restored, execution: absent },
      execution: after,
    },
    {
      rule: 'keeps a workflow that still runs',
      stage: { status: begun, operation: restored, execution: found({ status: 'RUNNING' }) },
      execution: undefined,
    },
    {
      rule: 'is held when its new workflow is stopped',
      stage: { status: { ...begun, execution: after }, operation: restored, execution: found({ status: 'ABORTED' }) },
      execution: undefined,
      phase: 'Held',
    },
  ])('$rule', ({ stage, execution, phase = 'Running' }) => {
    const { status, plan } = scored({ seconds: 7200, ...stage });
    expect(status.phase).toBe(phase);
    const started = { do: 'call', operation: 'StartExecution', input: { name: execution } };
    if (execution) expect([status.execution, plan.actions]).toMatchObject([execution, [started]]);
    else expect(plan.actions ?? []).toEqual([]);
  });

  it('gets its time again', () => {
    const { status } = scored({ status: begun, operation: restored, execution: absent, seconds: 7200 });
    expect(status.clock).toEqual({ since: at(7200), seconds: 0 });
    expect(status.deadline).toBeUndefined();
  });
});

// DescribeExecution may return a stale answer, and an operation may have waited long until its
// workflow could be started.
it('restarts an invisible workflow without steps, because its name is unique', () => {
  const status: OperationStatus = { phase: 'Pending', execution: 'demo-1', message: 'Waiting for its workflow' };
  const started = scored({ status, execution: absent, seconds: 3600 });
  expect(started.status.phase).toBe('Pending');
  expect(started.plan).toMatchObject({ actions: [{ operation: 'StartExecution' }], requeueAfter: 10 });
});

describe('an operation without a waiting task', () => {
  const ended = (status: 'FAILED' | 'ABORTED' | 'RUNNING' = 'ABORTED') =>
    found({ status, error: 'Stopped', cause: 'by hand' });
  const held = (status: OperationStatus): OperationStatus => ({ ...status, phase: 'Held' });
  const named = {
    metadata: { annotations: { [operationAnnotations.operation]: 'demo-delete-1' }, deletionTimestamp: at(0) },
  };
  it.each<{ rule: string; stage: Stage; phase: string; says?: RegExp; target?: string }>([
    {
      rule: 'continues while the workflow runs',
      stage: { status: running('Network'), execution: ended('RUNNING') },
      phase: 'Running',
    },
    {
      rule: 'continues while the execution is unreadable',
      stage: { status: running('Network'), execution: { state: 'unreadable', reason: 'x' } },
      phase: 'Running',
    },
    {
      rule: 'is held when the workflow was stopped',
      stage: { status: running('Network'), execution: ended(), cluster: targeted('Build') },
      phase: 'Held',
      says: /stopped: Stopped: by hand\. Nothing was undone, and the cluster goes on being built/,
    },
    {
      rule: 'makes no promise when the workflow was stopped before admission',
      stage: { status: running('Preflight'), execution: ended() },
      phase: 'Held',
      says: /stopped: Stopped: by hand\. Nothing has been made yet\. To begin anew/,
    },
    {
      rule: 'stays on hold when the workflow was stopped',
      stage: { status: running('Network'), execution: ended(), cluster: targeted('Hold') },
      phase: 'Held',
      says: /stopped: Stopped: by hand\. All that was made is kept/,
    },
    {
      rule: 'is held when the workflow is gone',
      stage: { status: running('Network'), execution: absent, seconds: 3600 },
      phase: 'Held',
      says: /gone/,
    },
    {
      rule: 'waits for a new workflow to become visible',
      stage: { status: running('Network'), execution: absent, seconds: -30 },
      phase: 'Running',
    },
    {
      rule: 'succeeds when the cluster is Available although the workflow was stopped',
      stage: { status: running('Network'), execution: ended(), cluster: wasAvailable },
      phase: 'Succeeded',
    },
    {
      rule: 'succeeds from a hold when the cluster becomes Available',
      stage: { status: held(failed), cluster: wasAvailable },
      phase: 'Succeeded',
    },
    { rule: 'stays on hold otherwise', stage: { status: held(failed), cluster: targeted('Hold') }, phase: 'Held' },
    {
      rule: 'is held when the workflow was stopped in a teardown',
      stage: { status: undoing, cluster: nothing, clusterState: left, execution: ended() },
      phase: 'Held',
      says: /VpcLimitExceeded.*stopped/,
    },
    {
      rule: 'checks by itself whether the teardown is complete',
      stage: { status: held(undoing), cluster: nothing },
      phase: 'TornDown',
      says: /Nothing is left/,
    },
    {
      rule: 'reports what a teardown on hold waits for',
      stage: { status: held(undoing), cluster: nothing, clusterState: left },
      phase: 'Held',
      says: /EC2 instance i-1/,
    },
    {
      rule: 'checks by itself whether a delete is complete',
      stage: {
        status: held(running('Prove')),
        operation: deletion,
        cluster: named,
        clusterState: { infrastructure: absent },
      },
      phase: 'Succeeded',
    },
    {
      rule: 'reports what a delete on hold waits for',
      stage: { status: held(running('Prove')), operation: deletion, cluster: named, clusterState: left },
      phase: 'Held',
      says: /EC2 instance i-1/,
    },
    {
      rule: 'is cancelled at once',
      stage: { status: held(failed), cluster: targeted('Hold'), operation: { spec: { cancel: true } } },
      phase: 'Cancelled',
    },
    {
      rule: 'waits for the end of a running workflow when cancelled',
      stage: {
        status: running('Network'),
        cluster: targeted('Hold'),
        operation: { spec: { cancel: true } },
        execution: ended('RUNNING'),
      },
      phase: 'Running',
    },
    {
      rule: 'is superseded by the operation that the Cluster names',
      stage: { status: held(failed), cluster: annotated({ [operationAnnotations.operation]: 'demo-create-2' }) },
      phase: 'Cancelled',
      says: /superseded by demo-create-2/,
    },
    {
      rule: 'ends with its Cluster',
      stage: { status: running('Network'), cluster: null, execution: absent },
      phase: 'Cancelled',
      says: /Cluster is gone/,
    },
  ])('$rule', ({ stage, phase, says = /.*/, target }) => {
    const result = scored(stage);
    expect(result.status.phase).toBe(phase);
    expect(result.status.message ?? '').toMatch(says);
    expect(result.target).toBe(target);
  });
});

describe('an operation that is deleted', () => {
  const going = { metadata: { deletionTimestamp: at(5) } };
  it.each<{ rule: string; stage: Stage; finished: boolean }>([
    { rule: 'is kept while its Cluster depends on it', stage: { status: { phase: 'TornDown' } }, finished: false },
    {
      rule: 'is removed when the Cluster was Available, which no longer needs it',
      stage: { status: { phase: 'Succeeded' }, cluster: wasAvailable },
      finished: true,
    },
    {
      rule: 'is removed when the Cluster names another operation',
      stage: {
        status: { phase: 'TornDown' },
        cluster: annotated({ [operationAnnotations.operation]: 'demo-create-2' }),
      },
      finished: true,
    },
    {
      rule: 'is removed when the Cluster is in deletion',
      stage: { status: { phase: 'Cancelled' }, cluster: going },
      finished: true,
    },
    {
      rule: 'is removed when the Cluster is gone',
      stage: { status: { phase: 'Succeeded' }, cluster: null },
      finished: true,
    },
    {
      rule: 'is removed without workflows',
      stage: { status: { phase: 'Running' }, context: { config: {} } },
      finished: true,
    },
  ])('$rule', ({ stage, finished }) => {
    expect(scored({ ...stage, operation: going }).plan.finished ?? false).toBe(finished);
  });

  it('says until when it is kept, with an Event at first', () => {
    const kept = scored({ status: { phase: 'Cancelled', message: 'why' }, operation: going });
    const message = expect.stringMatching(
      /^It stays until the Cluster is deleted or another operation takes its place: without this record Cluster demo would be created again\. To go on, run: capstan retry cluster demo -n default; to give the cluster up: kubectl delete cluster demo -n default$/,
    );
    expect(kept.status).toEqual({
      phase: 'Cancelled',
      message: 'why',
      conditions: [{ type: 'Deleting', status: 'True', reason: 'Kept', message, lastTransitionTime: at(5) }],
    });
    expect(kept.plan.events).toMatchObject([{ type: 'Normal', reason: 'Kept', message }]);
    const later = scored({ status: kept.status, operation: going });
    expect([later.status, later.plan.events]).toEqual([kept.status, undefined]);
  });
  it('stops its workflow and ends as Cancelled', () => {
    const stage: Stage = {
      status: running('Network'),
      cluster: targeted('Hold'),
      operation: going,
      execution: found({ status: 'RUNNING' }),
    };
    const { plan, status } = scored(stage);
    expect(plan.actions).toMatchObject([
      { operation: 'StopExecution', input: { definition: 'create-cluster', name: 'an-execution' } },
    ]);
    expect(status.phase).toBe('Cancelled');
  });
});

describe('an upgrade whose workflow has ended', () => {
  const outcomeOf = (status: OperationStatus, targets: UpgradeState['targets']) =>
    unattended(scopeFor({ targets, status }), status, found({ status: 'FAILED', error: 'Runtime' }), contextOf({}));
  it.each<{ rule: string; status: OperationStatus; targets: UpgradeState['targets']; now?: Record<string, string> }>([
    {
      rule: 'lets ill Machines of an admitted rollout be repaired, and keeps its limit',
      status: runningAt('WorkersCanary'),
      targets: { 'MachineDeployment/a': { target: 'Build', most: 1 } },
      now: { a: 'Build 1 held' },
    },
    {
      rule: 'does so when an earlier attempt to write that failed',
      status: runningAt('WorkersCanary', { phase: 'Held' }),
      targets: { 'MachineDeployment/a': { target: 'Build', most: 1 } },
      now: { a: 'Build 1 held' },
    },
    {
      rule: 'writes that once',
      status: runningAt('WorkersCanary', { phase: 'Held' }),
      targets: { 'MachineDeployment/a': { target: 'Build', most: 1, held: true } },
    },
    {
      rule: 'goes on with its rollback',
      status: runningAt('WorkersCanary', { phase: 'Held' }),
      targets: { 'MachineDeployment/a': { target: 'RollBack' } },
    },
  ])('$rule', ({ status, targets, now }) => {
    const { status: next, actions } = outcomeOf(status, targets);
    expect(next.phase).toBe('Held');
    expect(targetsIn(actions)).toEqual(now);
  });
});
