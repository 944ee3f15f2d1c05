import { describe, expect, it } from 'vitest';
import { operationAnnotations } from '../../core/contract/target.ts';
import { createSteps } from '../create/steps.ts';
import {
  annotated,
  at,
  built,
  controlPlane,
  deletion,
  failed,
  nothing,
  objectOf,
  operationOf,
  policy,
  running,
  type Stage,
  saying,
  scored,
  targeted,
  told,
  undoing,
  wasAvailable,
} from './operation.fixture.ts';
import type { OperationStatus } from './schema.ts';

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
      rule: 'is not needed any more when the one before succeeded after all',
      stage: {
        operation: { spec: { attempt: 2 } },
        cluster: annotated({
          [operationAnnotations.operation]: 'demo-create-0',
          [operationAnnotations.wasAvailable]: 'true',
        }),
        named: operationOf({ phase: 'Succeeded' }),
      },
      does: [],
      phase: 'Cancelled',
      says: /Available/,
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
      rule: 'deletes, and is not passed over by the create that the Cluster still names',
      stage: {
        operation: { spec: { type: 'delete' } },
        cluster: {
          ...annotated({ [operationAnnotations.operation]: 'demo-create-2' }),
          metadata: {
            ...annotated({ [operationAnnotations.operation]: 'demo-create-2' }).metadata,
            deletionTimestamp: at(5),
          },
        },
        named: operationOf({ phase: 'Succeeded' }, { spec: { attempt: 2 } }),
      },
      does: [],
      phase: 'Pending',
      says: /named/,
    },
    {
      rule: 'creates, and is passed over by the deletion that the Cluster names',
      stage: {
        operation: { spec: { attempt: 2 } },
        cluster: annotated({ [operationAnnotations.operation]: 'demo-delete-1' }),
        named: operationOf(undefined, { spec: { type: 'delete' } }),
      },
      does: [],
      phase: 'Cancelled',
      says: /superseded by demo-delete-1/,
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
  it('polls for half a minute for an absent object, which may not be visible yet', () => {
    const looks = (seconds: number) =>
      scored({ status: running('Preflight'), waiting: ['Preflight'], preflight: 'misses', seconds });
    expect(looks(29)).toMatchObject({ target: undefined, answers: [], plan: { requeueAfter: 10 } });
    expect(looks(29).status.message).toMatch(/^Preflight: .*instance profile .* does not exist/);
    expect(looks(30)).toMatchObject({ target: undefined, answers: ['Preflight: StepRefused'] });
  });
  it('admits nothing while it does not know', () => {
    const scope = { status: running('Preflight'), waiting: ['Preflight'], preflight: 'unread' } as const;
    expect(scored({ ...scope, waiting: [...scope.waiting] })).toMatchObject({ target: undefined, answers: [] });
  });
  it('polls an unreadable account soon, and rarely once the step is late', () => {
    const looks = (cluster: object = {}, seconds = 0) =>
      scored({ status: running('Preflight'), waiting: ['Preflight'], preflight: 'unread', cluster, seconds }).plan
        .requeueAfter;
    expect(looks()).toBe(10);
    expect(looks(policy('Retry'), 4 * 3600)).toBe(60);
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

describe('a step that is done', () => {
  const steps = (status: OperationStatus) => status.steps?.map(({ name, verdict }) => `${name} ${verdict}`);
  it('begins the next in the same write, whose task then has nothing to write', () => {
    const { status, answers } = scored({ status: running('Preflight'), waiting: ['Preflight'] });
    expect(answers).toEqual(['Preflight: {}']);
    expect(steps(status)).toEqual(['Preflight Succeeded', 'Network Running']);
    expect(status).toMatchObject({ step: 'Network', message: expect.stringMatching(/^Network: waiting for/) });
    expect(scored({ status, waiting: ['Network'], cluster: targeted('Build') }).status).toEqual(status);
  });
  it('takes along what is done already, but for the end', () => {
    const { status, answers, plan } = scored({
      status: running('Workers'),
      waiting: ['Workers'],
      cluster: wasAvailable,
    });
    expect(answers).toEqual(['Workers: {}']);
    expect(steps(status)?.slice(-2)).toEqual(['AddOns Succeeded', 'Available Succeeded']);
    expect(status.phase).toBe('Running');
    expect(plan.events).toEqual([]);
    const later = scored({ status, waiting: ['AddOns', 'Available'], cluster: wasAvailable });
    expect(later.answers).toEqual(['AddOns: {}', 'Available: {}']);
    expect(later.status).toEqual(status);
  });
  it('begins the next of a deletion, whose end its workflow says', () => {
    const waits = { operation: { spec: { type: 'delete' } } };
    const workers = scored({ ...waits, status: running('DeleteWorkers'), waiting: ['DeleteWorkers'] });
    expect(steps(workers.status)).toEqual(['DeleteWorkers Succeeded', 'DeleteControlPlane Running']);
    const proven = scored({ ...waits, status: running('Prove'), waiting: ['Prove'] });
    expect(proven).toMatchObject({ answers: ['Prove: {}'], status: { phase: 'Running' } });
  });
});

describe('each step of a create', () => {
  const steps = createSteps.filter((step) => step !== 'Available').map((step) => ({ step }));
  const waits: Partial<Stage> = {
    preflight: 'refuses',
    clusterState: {
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
      rule: 'are answered at once when it is true before they come',
      stage: { status: running(step), cluster: initialized, waiting: [step] },
      answers: [`${step}: {}`],
    },
    {
      rule: 'are both answered when a token was doubled',
      stage: { status: running(step), cluster: initialized, waiting: [step, step] },
      answers: [`${step}: {}`, `${step}: {}`],
    },
    {
      rule: 'receive the same answer for a step that was decided',
      stage: { status: running('Workers'), waiting: [step] },
      answers: [`${step}: {}`],
    },
    {
      rule: 'receive the same answer for a step that failed',
      stage: { status: failed, waiting: ['Network'] },
      answers: ['Network: DeadlineExceeded'],
    },
    {
      rule: 'are answered for an old and a new step in one pass',
      stage: { status: running('Network'), waiting: ['Network', 'Preflight'] },
      answers: ['Preflight: {}'],
    },
    {
      rule: 'are sent away when they wait for a namesake',
      stage: { status: running(step), cluster: initialized, waiting: [{ step, uid: 'other' }] },
      answers: [`${step}: Cancelled`],
    },
    {
      rule: 'are answered with an error if their step is unknown',
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
    { rule: 'holds by policy', cluster: policy('Hold'), policy: 'Hold' },
    { rule: 'goes on by policy', cluster: policy('Retry'), policy: 'Retry' },
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
      /Step Network was not done before the deadline: CreateVpc: VpcLimitExceeded: full\. All that was made is kept, nothing new is bought\. Remove the cause, then run: capstan retry cluster demo -n default\. .*create-deadline/,
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
