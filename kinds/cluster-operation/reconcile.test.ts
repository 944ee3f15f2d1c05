import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operationAnnotations } from '../common/target.ts';
import {
  absent,
  annotated,
  at,
  deletion,
  found,
  objectOf,
  operationOf,
  runningAt,
  type Stage,
  saying,
  scored,
  targeted,
  told,
  wasAvailable,
} from './operation.fixture.ts';

import type { OperationStatus } from './schema.ts';
import { createSteps } from './steps/create.ts';
import { deleteSteps } from './steps/delete.ts';

const before = (step: string): string[] => {
  const steps: readonly string[] = step.startsWith('Delete') || step === 'Prove' ? deleteSteps : createSteps;
  return steps.slice(0, steps.indexOf(step));
};
const running = (step: string, more: OperationStatus = {}) => runningAt(step, before(step), more);
const policy = (onFailure: string, deadline = '1h') =>
  annotated({ 'capstan.dev/on-create-failure': onFailure, 'capstan.dev/create-deadline': deadline });
const built = (onFailure = 'TearDown', deadline = '1h') => ({
  metadata: {
    annotations: { ...policy(onFailure, deadline).metadata.annotations, ...targeted('Build').metadata.annotations },
  },
});
const failed: OperationStatus = {
  phase: 'Running',
  execution: 'an-execution',
  step: 'Network',
  started: at(0),
  clock: { since: at(0), seconds: 0 },
  steps: [
    { name: 'Preflight', started: at(0), ended: at(0), verdict: 'Succeeded' },
    {
      name: 'Network',
      started: at(0),
      ended: at(30),
      verdict: 'DeadlineExceeded',
      message: 'CreateVpc: VpcLimitExceeded: full',
    },
  ],
};
const undoing: OperationStatus = {
  ...failed,
  step: 'TearDown',
  steps: [...failed.steps!, { name: 'TearDown', started: at(30), verdict: 'Running' }],
};
const nothing = targeted('Nothing');
const left = { remains: found(['EC2 instance i-1']) };
const controlPlane = saying(told('ControlPlaneAvailable', 'True'));

describe('the beginning', () => {
  it.each<{ rule: string; stage: Stage; does: string[]; phase: string | undefined; says?: RegExp }>([
    { rule: 'starts the workflow once the Cluster names it', stage: {}, does: ['StartExecution'], phase: 'Pending' },
    {
      rule: 'waits to be named',
      stage: { cluster: annotated({ [operationAnnotations.operation]: 'another' }) },
      does: [],
      phase: 'Pending',
      says: /named/,
    },
    {
      rule: 'is passed over by a newer one',
      stage: {
        cluster: annotated({ [operationAnnotations.operation]: 'demo-create-2' }),
        named: operationOf(undefined, { spec: { attempt: 2 } }),
      },
      does: [],
      phase: 'Cancelled',
      says: /superseded by demo-create-2/,
    },
    {
      rule: 'is not passed over by the one before',
      stage: {
        operation: { spec: { attempt: 2 } },
        cluster: annotated({ [operationAnnotations.operation]: 'demo-create-0' }),
        named: operationOf(undefined),
      },
      does: [],
      phase: 'Pending',
    },
    {
      rule: 'says why it cannot start, and tries again',
      stage: {
        context: {
          lastFailure: { port: 'workflows', operation: 'StartExecution', code: 'AccessDenied', message: 'no.', at: 0 },
        },
      },
      does: ['StartExecution'],
      phase: 'Pending',
      says: /cannot be started: AccessDenied: no/,
    },
    { rule: 'does nothing while paused', stage: { cluster: { spec: { paused: true } } }, does: [], phase: undefined },
    { rule: 'does nothing without workflows', stage: { context: { config: {} } }, does: [], phase: undefined },
  ])('$rule', ({ stage, does, phase, says = /.*/ }) => {
    const { plan, status } = scored(stage);
    expect((plan.actions ?? []).map((action) => ('operation' in action ? action.operation : action.do))).toEqual(does);
    expect(status.phase).toBe(phase);
    expect(status.message ?? '').toMatch(says);
  });
  it('names the execution only when it was started', () => {
    expect(scored({}).status.execution).toBe('uid-of-demo-create-0123456789abcdef-1');
    const lastFailure = { port: 'workflows', operation: 'StartExecution', code: 'X', message: '', at: 0 };
    expect(scored({ context: { lastFailure } }).status.execution).toBeUndefined();
  });
});

describe('Preflight', () => {
  it('admits the cluster and answers, in that order', () => {
    const { plan, target, answers } = scored({ status: { phase: 'Pending', execution: 'e' }, waiting: ['Preflight'] });
    expect(target).toBe('Build');
    expect(plan.actions?.[0]).toMatchObject({ do: 'patch', kind: 'Cluster', resourceVersion: '7' });
    expect(answers).toEqual(['Preflight: {}']);
  });
  it('admits nothing when it refuses', () => {
    const { target, answers, status } = scored({
      status: { execution: 'e' },
      waiting: ['Preflight'],
      preflight: 'refuses',
    });
    expect(target).toBeUndefined();
    expect(answers).toEqual(['Preflight: StepRefused']);
    expect(status.steps?.[0]).toMatchObject({ verdict: 'Refused', message: expect.stringContaining('nowhere-1') });
  });
  it('is not lost by a crash between the verdict and the target', () => {
    const status = running('Network');
    expect(scored({ status, waiting: ['Preflight'] }).target).toBe('Build');
    expect(scored({ status, waiting: ['Network'] }).target).toBe('Build');
    expect(scored({ status, waiting: ['Network'], cluster: targeted('Build') }).target).toBeUndefined();
  });
  it('decides nothing about a Cluster that was changed by another operation', () => {
    const cluster = annotated({ [operationAnnotations.operation]: 'demo-create-2' });
    expect(scored({ status: running('Network'), cluster, waiting: ['Network'] })).toMatchObject({
      target: undefined,
      answers: ['Network: Cancelled'],
    });
  });
});

describe('each step of a create', () => {
  const steps = createSteps.filter((step) => step !== 'Available').map((step) => ({ step }));
  const waits: Partial<Stage> = {
    preflight: 'refuses',
    situation: {
      resourceSets: [objectOf('ClusterResourceSet', 'cni', { spec: { resources: [{ kind: 'Secret', name: 's' }] } })],
    },
  };
  const late = { ...waits, seconds: 31 };
  it.each(steps)('$step that is late meets TearDown and Hold as a failure', ({ step }) => {
    for (const onFailure of ['TearDown', 'Hold']) {
      const error = step === 'Preflight' ? 'StepRefused' : 'DeadlineExceeded';
      const { answers, status, target } = scored({
        ...late,
        status: running(step),
        cluster: built(onFailure, '30s'),
        waiting: [step],
      });
      expect(answers).toEqual([`${step}: ${error}`]);
      expect(target).toBeUndefined();
      expect(status.steps?.at(-1)?.message).toMatch(/./);
    }
  });
  it.each(steps)('$step that is late goes on under Retry, and says so', ({ step }) => {
    const { answers, status, plan } = scored({
      ...late,
      status: running(step),
      cluster: built('Retry', '30s'),
      waiting: [step],
    });
    expect(answers).toEqual([]);
    expect(status).toMatchObject({
      late: true,
      phase: 'Running',
      message: expect.stringContaining(`Step ${step} is late`),
    });
    expect(plan.events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'Late' }));
  });
  it.each(steps)('$step goes on when the deadline was extended', ({ step }) => {
    if (step === 'Preflight') return;
    const { answers, plan, status } = scored({
      ...late,
      status: running(step),
      cluster: built('TearDown', '1m'),
      waiting: [step],
    });
    expect(answers).toEqual([]);
    expect(plan.requeueAfter).toBe(29);
    expect(status.deadline).toBe(at(60));
  });
  it.each(createSteps.map((step) => ({ step })))('$step is done once the cluster was ever Available', ({ step }) => {
    const { answers } = scored({ ...late, status: running(step), cluster: wasAvailable, waiting: [step] });
    expect(answers).toEqual([`${step}: {}`]);
  });
  it.each(createSteps.map((step) => ({ step })))('$step can be cancelled: what was made is kept', ({ step }) => {
    const stage: Stage = { status: running(step), operation: { spec: { cancel: true } }, waiting: [step] };
    const first = scored({ ...stage, cluster: targeted('Build') });
    expect(first).toMatchObject({ target: 'Hold', answers: [] });
    expect(first.plan.again).toBe(true);
    expect(first.plan.status).toBeUndefined();
    const second = scored({ ...stage, cluster: targeted('Hold') });
    expect(second.answers).toEqual([`${step}: Cancelled`]);
    const third = scored({ ...stage, cluster: targeted('Hold'), waiting: ['Cancelled'] });
    expect(third.answers).toEqual(['Cancelled: {}']);
    expect(third.status).toMatchObject({ phase: 'Cancelled', message: expect.stringContaining('kept') });
    expect(third.status.steps?.at(-1)?.verdict).toBe('Cancelled');
  });
  it.each(createSteps.map((step) => ({ step })))('$step ends when the Cluster is deleted, and holds nothing', ({
    step,
  }) => {
    const cluster = { metadata: { deletionTimestamp: at(1) } };
    expect(scored({ status: running(step), cluster, waiting: [step] })).toMatchObject({
      answers: [`${step}: Cancelled`],
      target: undefined,
    });
    expect(scored({ status: running(step), cluster, waiting: ['Cancelled'] }).status).toMatchObject({
      phase: 'Cancelled',
    });
  });
  it.each(createSteps.map((step) => ({ step })))('$step decides nothing for as long as a pause lasts', ({ step }) => {
    const paused = { ...built('TearDown', '30s'), spec: { paused: true } };
    const day = 24 * 3600;
    const first = scored({ ...waits, status: running(step), cluster: paused, waiting: [step], seconds: 10 });
    expect(first.answers).toEqual([]);
    expect(first.status.clock).toEqual({ seconds: 10 });
    expect(first.status.deadline).toBeUndefined();
    const later = scored({ ...waits, status: first.status, cluster: paused, waiting: [step], seconds: day });
    expect(later.status).toEqual(first.status);
    if (step === 'Preflight') return;
    const resumed = scored({
      ...waits,
      status: first.status,
      cluster: built('TearDown', '30s'),
      waiting: [step],
      seconds: day,
    });
    expect(resumed.answers).toEqual([]);
    expect(resumed.plan.requeueAfter).toBe(20);
  });
});

describe('tasks that wait', () => {
  const initialized = { status: { initialization: { controlPlaneInitialized: true } } };
  const step = 'FirstControlPlaneMachine';
  it.each<{ rule: string; stage: Stage; answers: string[] }>([
    {
      rule: 'are told at once when it is true before they come',
      stage: { status: running(step), cluster: initialized, waiting: [step] },
      answers: [`${step}: {}`],
    },
    {
      rule: 'are both told when a token was doubled',
      stage: { status: running(step), cluster: initialized, waiting: [step, step] },
      answers: [`${step}: {}`, `${step}: {}`],
    },
    {
      rule: 'are told the same of a step that was decided',
      stage: { status: running('Workers'), waiting: [step] },
      answers: [`${step}: {}`],
    },
    {
      rule: 'are told the same of a step that failed',
      stage: { status: failed, waiting: ['Network'] },
      answers: ['Network: DeadlineExceeded'],
    },
    {
      rule: 'are told of an old and a new step in one pass',
      stage: { status: running('Network'), waiting: ['Network', 'Preflight'] },
      answers: ['Preflight: {}'],
    },
    {
      rule: 'are sent away when a namesake was meant',
      stage: { status: running(step), cluster: initialized, waiting: [{ step, uid: 'other' }] },
      answers: [`${step}: Cancelled`],
    },
    {
      rule: 'are sent away when nobody knows their step',
      stage: { status: running(step), waiting: ['Dance'] },
      answers: ['Dance: UnknownStep'],
    },
    {
      rule: 'are sent away when their step is of another type',
      stage: { status: running(step), waiting: ['Prove'] },
      answers: ['Prove: UnknownStep'],
    },
    {
      rule: 'may not say that it succeeded when it did not',
      stage: { status: running(step), waiting: ['Succeeded'] },
      answers: ['Succeeded: OutOfOrder'],
    },
    {
      rule: 'may not say that it is torn down when it is not',
      stage: { status: undoing, cluster: nothing, waiting: ['TornDown'] },
      answers: ['TornDown: OutOfOrder'],
    },
    {
      rule: 'may not say that a deletion succeeded without proof',
      stage: {
        status: running('Prove'),
        operation: deletion,
        cluster: annotated({ [operationAnnotations.operation]: 'demo-delete-1' }),
        waiting: ['Succeeded'],
      },
      answers: ['Succeeded: OutOfOrder'],
    },
    {
      rule: 'hear of the end when it is over',
      stage: { status: { phase: 'Cancelled' }, waiting: ['Workers', 'Cancelled', 'Decide'] },
      answers: ['Workers: Cancelled', 'Cancelled: {}', 'Decide: {"policy":"Hold"}'],
    },
    {
      rule: 'go on to the end of an operation that succeeded',
      stage: { status: { phase: 'Succeeded' }, waiting: ['Workers', 'Succeeded'] },
      answers: ['Workers: {}', 'Succeeded: {}'],
    },
    {
      rule: 'are sent away when the Cluster is gone',
      stage: { status: running(step), cluster: null, waiting: [step] },
      answers: [`${step}: Cancelled`],
    },
  ])('$rule', ({ stage, answers }) => expect(scored(stage).answers).toEqual(answers));
  it('change nothing about an operation that is over', () => {
    const { plan } = scored({ status: { phase: 'TornDown' }, waiting: ['Network'] });
    expect(plan.status).toBeUndefined();
    expect(plan.actions).toBeUndefined();
  });
  it('see a step begin once', () => {
    const first = scored({ status: running('Workers'), cluster: controlPlane, waiting: ['Workers'] });
    expect(first.plan.events).toEqual([]);
    const again = scored({ status: first.status, cluster: controlPlane, waiting: ['Workers'], seconds: 5 });
    expect(again.status).toEqual(first.status);
  });
});

describe('after a failed step', () => {
  it.each<{ rule: string; cluster?: object; operation?: object; policy: string }>([
    { rule: 'tears down by default', policy: 'TearDown' },
    { rule: 'holds when told to', cluster: policy('Hold'), policy: 'Hold' },
    { rule: 'goes on when told to', cluster: policy('Retry'), policy: 'Retry' },
    { rule: 'holds what was ever Available', cluster: wasAvailable, policy: 'Hold' },
    { rule: 'holds what is Available', cluster: saying(told('Available', 'True')), policy: 'Hold' },
    { rule: 'holds what was there before', operation: { spec: { adopted: true } }, policy: 'Hold' },
  ])('$rule', ({ cluster = {}, operation = {}, policy }) => {
    expect(scored({ status: failed, cluster, operation, waiting: ['Decide'] }).answers).toEqual([
      `Decide: {"policy":"${policy}"}`,
    ]);
  });
  it('opens the failed step again under Retry', () => {
    const { status } = scored({ status: failed, cluster: policy('Retry'), waiting: ['Decide'] });
    expect(status.steps?.map(({ name }) => name)).toEqual(['Preflight']);
  });
  it('holds by moving the target first', () => {
    expect(scored({ status: failed, cluster: targeted('Build'), waiting: ['Hold'] })).toMatchObject({
      target: 'Hold',
      answers: ['Hold: {}'],
    });
    expect(scored({ status: failed, cluster: wasAvailable, waiting: ['Hold'] }).target).toBeUndefined();
  });
  it('says on hold what failed, what became of it and what to do', () => {
    const { status, answers } = scored({
      status: failed,
      cluster: targeted('Hold'),
      waiting: [{ step: 'Held', error: 'DeadlineExceeded' }],
    });
    expect(answers).toEqual(['Held: {}']);
    expect(status.phase).toBe('Held');
    expect(status.message).toMatch(
      /Step Network was not done before the deadline: CreateVpc: VpcLimitExceeded: full\. All that was made is kept, nothing new is bought\..*capstan retry cluster demo -n default.*create-deadline/,
    );
  });
  it.each(createSteps.map((step) => ({ step })))('an unknown error in $step is held, and moves no target', ({
    step,
  }) => {
    const { status, target } = scored({
      status: running(step),
      cluster: targeted('Build'),
      waiting: [{ step: 'Held', error: 'Lambda.Unknown' }],
    });
    expect(target).toBeUndefined();
    expect(status).toMatchObject({ phase: 'Held', message: expect.stringContaining('Lambda.Unknown') });
    expect(status.steps?.at(-1)?.verdict).toBe('Failed');
  });
  it('calls it a success when the cluster became Available meanwhile', () => {
    expect(
      scored({ status: failed, cluster: wasAvailable, waiting: [{ step: 'Held', error: 'StepRefused' }] }).status.phase,
    ).toBe('Succeeded');
  });
});

describe('tearing down', () => {
  it.each<{ rule: string; stage: Stage; target?: string; answers?: string[]; phase?: string; says?: RegExp }>([
    {
      rule: 'moves the target exactly as observed',
      stage: { status: failed, cluster: targeted('Build'), situation: left },
      target: 'Nothing',
      phase: 'Running',
    },
    {
      rule: 'takes no proof from before the target moved',
      stage: { status: failed, cluster: targeted('Build') },
      target: 'Nothing',
      phase: 'Running',
    },
    {
      rule: 'waits for what is left, and says so',
      stage: { status: undoing, cluster: nothing, situation: left, seconds: 60 },
      says: /VpcLimitExceeded: full\. What was made of it is being removed: waiting for EC2 instance i-1/,
    },
    {
      rule: 'gives what was under way a moment to show',
      stage: { status: undoing, cluster: nothing, seconds: 35 },
      phase: 'Running',
    },
    {
      rule: 'is done when nothing is left',
      stage: { status: undoing, cluster: nothing, seconds: 60 },
      answers: ['TearDown: {}'],
    },
    {
      rule: 'never begins for a cluster that was Available',
      stage: { status: failed, cluster: wasAvailable },
      answers: ['TearDown: Cancelled'],
      phase: 'Succeeded',
    },
    {
      rule: 'never begins for one that is Available',
      stage: { status: failed, cluster: saying(told('Available', 'True')) },
      answers: ['TearDown: Cancelled'],
      phase: 'Succeeded',
    },
    {
      rule: 'never begins for one that was there before',
      stage: { status: failed, operation: { spec: { adopted: true } } },
      answers: ['TearDown: NotFromNothing'],
    },
    {
      rule: 'cannot be cancelled',
      stage: { status: undoing, cluster: nothing, situation: left, operation: { spec: { cancel: true } }, seconds: 60 },
      phase: 'Running',
    },
    {
      rule: 'is not ended by the deletion of its object',
      stage: {
        status: undoing,
        cluster: nothing,
        situation: left,
        operation: { metadata: { deletionTimestamp: at(50) } },
        seconds: 60,
      },
      phase: 'Running',
    },
    {
      rule: 'ends when the Cluster is deleted',
      stage: {
        status: undoing,
        cluster: { metadata: { ...nothing.metadata, deletionTimestamp: at(50) } },
        situation: left,
        seconds: 60,
      },
      answers: ['TearDown: Cancelled'],
    },
    {
      rule: 'is patient for half an hour',
      stage: { status: undoing, cluster: nothing, situation: left, seconds: 1829 },
      phase: 'Running',
    },
    {
      rule: 'is held after that',
      stage: { status: undoing, cluster: nothing, situation: left, seconds: 1830 },
      answers: ['TearDown: StepRefused'],
    },
    {
      rule: 'stays held without an end',
      stage: { status: { ...undoing, phase: 'Held' }, cluster: nothing, situation: left, seconds: 9e6 },
      phase: 'Held',
      says: /tried again/,
    },
    {
      rule: 'ends from there',
      stage: { status: { ...undoing, phase: 'Held' }, cluster: nothing, seconds: 9e6 },
      answers: ['TearDown: {}'],
    },
  ])('$rule', ({ stage, target, answers = [], phase, says = /.*/ }) => {
    const result = scored({ ...stage, waiting: ['TearDown'] });
    expect(result.target).toBe(target);
    expect(result.answers).toEqual(answers);
    if (phase) expect(result.status.phase).toBe(phase);
    expect(result.status.message ?? '').toMatch(says);
  });
  it('looks again every 15 seconds', () => {
    expect(
      scored({ status: undoing, cluster: nothing, situation: left, seconds: 60, waiting: ['TearDown'] }).plan
        .requeueAfter,
    ).toBe(15);
  });
  it('is recorded with what failed and what to do', () => {
    const done = scored({ status: undoing, cluster: nothing, seconds: 60, waiting: ['TearDown'] }).status;
    const { status, plan } = scored({ status: done, cluster: nothing, seconds: 61, waiting: ['TornDown'] });
    expect(status).toMatchObject({ phase: 'TornDown', ended: at(61) });
    expect(status.message).toMatch(
      /^Step Network .*VpcLimitExceeded.*\. Nothing is left of it\. .*capstan retry cluster demo/,
    );
    expect(plan.events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'TornDown' }));
  });
  it('begins again when it is held', () => {
    const refused = scored({
      status: undoing,
      cluster: nothing,
      situation: left,
      seconds: 1830,
      waiting: ['TearDown'],
    }).status;
    const { status } = scored({
      status: refused,
      cluster: nothing,
      situation: left,
      seconds: 1831,
      waiting: ['TearDownHeld'],
    });
    expect(status).toMatchObject({ phase: 'Held', message: expect.stringContaining('EC2 instance i-1') });
    expect(scored({ status, cluster: nothing, seconds: 1832, waiting: ['TearDown'] }).answers).toEqual([]);
    expect(
      scored({ status, cluster: nothing, situation: left, seconds: 1832, waiting: ['TearDown'] }).status.phase,
    ).toBe('Held');
  });
});

describe('a deletion', () => {
  const named = annotated({ [operationAnnotations.operation]: 'demo-delete-1' });
  const cluster = { metadata: { ...named.metadata, deletionTimestamp: at(0) } };
  const gone = { infrastructure: absent, controlPlane: absent };
  const vpc = objectOf(
    'AWSCluster',
    'demo',
    saying(
      told('VpcReady', 'False', {
        severity: 'Error',
        message: 'DeleteVpc: DependencyViolation: eni-1',
        lastTransitionTime: at(-500),
      }),
    ),
  );
  const stage = (more: Stage): Stage => ({ operation: deletion, cluster, ...more });
  it.each(deleteSteps.map((step) => ({ step })))('$step is done when it is so', ({ step }) => {
    expect(scored(stage({ status: running(step), situation: gone, waiting: [step] })).answers).toEqual([`${step}: {}`]);
  });
  it('waits two minutes for an error of the cloud to pass', () => {
    const at119 = scored(
      stage({
        status: running('DeleteNetwork'),
        situation: { infrastructure: found(vpc) },
        seconds: 119,
        waiting: ['DeleteNetwork'],
      }),
    );
    expect(at119.answers).toEqual([]);
    expect(at119.plan.requeueAfter).toBe(1);
    const at120 = scored(
      stage({
        status: running('DeleteNetwork'),
        situation: { infrastructure: found(vpc) },
        seconds: 120,
        waiting: ['DeleteNetwork'],
      }),
    );
    expect(at120.answers).toEqual(['DeleteNetwork: StepRefused']);
  });
  it('is held with what blocks it, goes on, and ends when that is gone', () => {
    const refused = scored(
      stage({
        status: running('DeleteNetwork'),
        situation: { infrastructure: found(vpc) },
        seconds: 120,
        waiting: ['DeleteNetwork'],
      }),
    );
    const held = scored(
      stage({
        status: refused.status,
        situation: { infrastructure: found(vpc) },
        seconds: 121,
        waiting: [{ step: 'Held', error: 'StepRefused' }],
      }),
    );
    expect(held.status).toMatchObject({ phase: 'Held', message: expect.stringContaining('eni-1') });
    const waiting = scored(
      stage({
        status: held.status,
        situation: { infrastructure: found(vpc), remains: found(['VPC vpc-1']) },
        seconds: 9999,
        waiting: ['Prove'],
      }),
    );
    expect(waiting).toMatchObject({
      answers: [],
      status: { phase: 'Held', message: expect.stringContaining('VPC vpc-1') },
    });
    expect(waiting.plan.requeueAfter).toBe(15);
    const proved = scored(stage({ status: waiting.status, situation: gone, seconds: 10_000, waiting: ['Prove'] }));
    expect(proved.answers).toEqual(['Prove: {}']);
    const over = scored(stage({ status: proved.status, situation: gone, seconds: 10_001, waiting: ['Succeeded'] }));
    expect(over.status).toMatchObject({ phase: 'Succeeded', message: 'Nothing is left of the cluster' });
  });
  it('moves no target', () => {
    for (const step of [...deleteSteps, 'Held', 'Succeeded', 'Cancelled'])
      expect(scored(stage({ status: running('Prove'), waiting: [step] })).target).toBeUndefined();
  });
  it('is not cancelled', () => {
    expect(
      scored(
        stage({
          operation: { ...deletion, spec: { type: 'delete', cancel: true } },
          status: running('Prove'),
          situation: left,
          waiting: ['Prove'],
        }),
      ).answers,
    ).toEqual([]);
  });
});

describe('without a task that waits', () => {
  const ended = (status: 'FAILED' | 'ABORTED' | 'RUNNING' = 'ABORTED') =>
    found({ status, error: 'Stopped', cause: 'by hand' });
  const held = (status: OperationStatus): OperationStatus => ({ ...status, phase: 'Held' });
  const named = {
    metadata: { annotations: { [operationAnnotations.operation]: 'demo-delete-1' }, deletionTimestamp: at(0) },
  };
  it.each<{ rule: string; stage: Stage; phase: string; says?: RegExp; target?: string }>([
    {
      rule: 'goes on while the workflow runs',
      stage: { status: running('Network'), execution: ended('RUNNING') },
      phase: 'Running',
    },
    {
      rule: 'goes on while nobody can say',
      stage: { status: running('Network'), execution: { state: 'unreadable', reason: 'x' } },
      phase: 'Running',
    },
    {
      rule: 'is held when the workflow was stopped',
      stage: { status: running('Network'), execution: ended() },
      phase: 'Held',
      says: /stopped: Stopped: by hand\. Nothing was undone/,
    },
    {
      rule: 'is held when the workflow is gone',
      stage: { status: running('Network'), execution: absent, seconds: 3600 },
      phase: 'Held',
      says: /gone/,
    },
    {
      rule: 'waits for a workflow that was just started to show',
      stage: { status: running('Network'), execution: absent, seconds: -30 },
      phase: 'Running',
    },
    {
      rule: 'succeeds when the cluster is Available although the workflow was stopped',
      stage: { status: running('Network'), execution: ended(), cluster: wasAvailable },
      phase: 'Succeeded',
    },
    {
      rule: 'succeeds from hold when the cluster becomes Available',
      stage: { status: held(failed), cluster: wasAvailable },
      phase: 'Succeeded',
    },
    { rule: 'stays on hold otherwise', stage: { status: held(failed), cluster: targeted('Hold') }, phase: 'Held' },
    {
      rule: 'is held when the workflow was stopped in a teardown',
      stage: { status: undoing, cluster: nothing, situation: left, execution: ended() },
      phase: 'Held',
      says: /VpcLimitExceeded.*stopped/,
    },
    {
      rule: 'looks by itself whether it is torn down',
      stage: { status: held(undoing), cluster: nothing },
      phase: 'TornDown',
      says: /Nothing is left/,
    },
    {
      rule: 'says what a teardown on hold waits for',
      stage: { status: held(undoing), cluster: nothing, situation: left },
      phase: 'Held',
      says: /EC2 instance i-1/,
    },
    {
      rule: 'looks by itself whether a deletion is done',
      stage: {
        status: held(running('Prove')),
        operation: deletion,
        cluster: named,
        situation: { infrastructure: absent },
      },
      phase: 'Succeeded',
    },
    {
      rule: 'says what a deletion on hold waits for',
      stage: { status: held(running('Prove')), operation: deletion, cluster: named, situation: left },
      phase: 'Held',
      says: /EC2 instance i-1/,
    },
    {
      rule: 'is cancelled at once',
      stage: { status: held(failed), cluster: targeted('Hold'), operation: { spec: { cancel: true } } },
      phase: 'Cancelled',
    },
    {
      rule: 'lets a running workflow come to its end when cancelled',
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
    { rule: 'is kept while its Cluster stands on it', stage: { status: { phase: 'TornDown' } }, finished: false },
    {
      rule: 'goes when the Cluster names another',
      stage: {
        status: { phase: 'TornDown' },
        cluster: annotated({ [operationAnnotations.operation]: 'demo-create-2' }),
      },
      finished: true,
    },
    { rule: 'goes when the Cluster goes', stage: { status: { phase: 'Cancelled' }, cluster: going }, finished: true },
    { rule: 'goes when the Cluster is gone', stage: { status: { phase: 'Succeeded' }, cluster: null }, finished: true },
    {
      rule: 'goes without workflows',
      stage: { status: { phase: 'Running' }, context: { config: {} } },
      finished: true,
    },
  ])('$rule', ({ stage, finished }) => {
    expect(scored({ ...stage, operation: going }).plan.finished ?? false).toBe(finished);
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

describe('whatever is observed', () => {
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
        conditions: fc.subarray([told('Available', 'True'), told('InfrastructureReady', 'True')]),
        initialization: fc.record({ controlPlaneInitialized: fc.boolean() }),
      }),
    },
    { requiredKeys: ['metadata'] },
  );
  const read = fc.constantFrom<Stage['situation'] & object>(
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
      situation: read,
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
  it('decides something, and never tears down or holds what was Available', () => {
    fc.assert(
      fc.property(stages, (generated) => {
        const stage = generated as Stage;
        const { target, plan, answers } = scored(stage);
        if (isSafe(stage)) expect(target).not.toBe('Nothing');
        const isOver = ['Succeeded', 'TornDown', 'Cancelled', 'RolledBack'].includes(stage.status?.phase ?? '');
        if (isOver) expect([plan.status, plan.actions]).toEqual([undefined, undefined]);
        if (isOver) expect(answers).toHaveLength(stage.waiting?.length ?? 0);
        if (plan.requeueAfter !== undefined) expect(plan.requeueAfter).toBeGreaterThanOrEqual(0);
        expect(new Set((plan.answers ?? []).map(({ to }) => to)).size).toBe(answers.length);
      }),
      { numRuns: 1000 },
    );
  });
  it('comes to rest: the same seen again and again changes nothing more', () => {
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
