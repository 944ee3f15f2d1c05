import { describe, expect, it } from 'vitest';
import { operationAnnotations } from '../../core/contract/target.ts';
import { createSteps } from '../create/steps.ts';
import {
  annotated,
  at,
  built,
  conditionWith,
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
  undoing,
  wasAvailable,
} from './operation.fixture.ts';
import type { OperationStatus } from './schema.ts';

describe('the start', () => {
  it.each<{ rule: string; stage: Stage; does: string[]; phase: string | undefined; says?: RegExp }>([
    {
      rule: 'starts the workflow once the Cluster names the operation',
      stage: {},
      does: ['StartExecution'],
      phase: 'Pending',
    },
    {
      rule: 'waits until the Cluster names the operation',
      stage: { cluster: annotated({ [operationAnnotations.operation]: 'another' }) },
      does: [],
      phase: 'Pending',
      says: /named/,
    },
    {
      rule: 'is superseded by a newer operation',
      stage: {
        cluster: annotated({ [operationAnnotations.operation]: 'demo-create-2' }),
        named: operationOf(undefined, { spec: { attempt: 2 } }),
      },
      does: [],
      phase: 'Cancelled',
      says: /superseded by demo-create-2/,
    },
    {
      rule: 'is superseded when the previous operation succeeded after all',
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
      rule: 'is not superseded by the previous operation',
      stage: {
        operation: { spec: { attempt: 2 } },
        cluster: annotated({ [operationAnnotations.operation]: 'demo-create-0' }),
        named: operationOf(undefined),
      },
      does: [],
      phase: 'Pending',
    },
    {
      rule: 'of a delete is not superseded by the create that the Cluster still names',
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
      rule: 'of a create is superseded by the delete that the Cluster names',
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
      rule: 'reports why the workflow cannot start, and retries',
      stage: {
        context: {
          lastFailure: { port: 'workflows', operation: 'StartExecution', code: 'AccessDenied', message: 'no.', at: 0 },
        },
      },
      does: ['StartExecution'],
      phase: 'Pending',
      says: /cannot be started: AccessDenied: no/,
    },
    { rule: 'waits while paused', stage: { cluster: { spec: { paused: true } } }, does: [], phase: undefined },
    { rule: 'does not happen without workflows', stage: { context: { config: {} } }, does: [], phase: undefined },
  ])('$rule', ({ stage, does, phase, says = /.*/ }) => {
    const { plan, status } = scored(stage);
    expect((plan.actions ?? []).map((action) => ('operation' in action ? action.operation : action.do))).toEqual(does);
    expect(status.phase).toBe(phase);
    expect(status.message ?? '').toMatch(says);
  });
  it('records the execution only after it was started', () => {
    expect(scored({}).status.execution).toBe('uid-of-demo-create-1-1');
    const lastFailure = { port: 'workflows', operation: 'StartExecution', code: 'X', message: '', at: 0 };
    expect(scored({ context: { lastFailure } }).status.execution).toBeUndefined();
  });
});

describe('Preflight', () => {
  it('admits the cluster and completes the task, in that order', () => {
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
  it('polls for half a minute for a missing object, which may not be visible yet', () => {
    const looks = (seconds: number) =>
      scored({ status: running('Preflight'), waiting: ['Preflight'], preflight: 'misses', seconds });
    expect(looks(29)).toMatchObject({ target: undefined, answers: [], plan: { requeueAfter: 10 } });
    expect(looks(29).status.message).toMatch(/^Preflight: .*instance profile .* does not exist/);
    expect(looks(30)).toMatchObject({ target: undefined, answers: ['Preflight: StepRefused'] });
  });
  it('admits nothing while the result is unknown', () => {
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
  it('survives a crash between the verdict and the target', () => {
    const status = running('Network');
    expect(scored({ status, waiting: ['Preflight'] }).target).toBe('Build');
    expect(scored({ status, waiting: ['Network'] }).target).toBe('Build');
    expect(scored({ status, waiting: ['Network'], cluster: targeted('Build') }).target).toBeUndefined();
  });
  it('decides nothing for a Cluster that another operation changed', () => {
    const cluster = annotated({ [operationAnnotations.operation]: 'demo-create-2' });
    expect(scored({ status: running('Network'), cluster, waiting: ['Network'] })).toMatchObject({
      target: undefined,
      answers: ['Network: Cancelled'],
    });
  });
});

describe('a completed step', () => {
  const steps = (status: OperationStatus) => status.steps?.map(({ name, verdict }) => `${name} ${verdict}`);
  it('starts the next in the same write, so that the next task writes nothing', () => {
    const { status, answers } = scored({ status: running('Preflight'), waiting: ['Preflight'] });
    expect(answers).toEqual(['Preflight: {}']);
    expect(steps(status)).toEqual(['Preflight Succeeded', 'Network Running']);
    expect(status).toMatchObject({ step: 'Network', message: expect.stringMatching(/^Network: waiting for/) });
    expect(scored({ status, waiting: ['Network'], cluster: targeted('Build') }).status).toEqual(status);
  });
  it('completes further fulfilled steps in the same write, except the end', () => {
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
  it('starts the next of a delete, whose end its workflow reports', () => {
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
  const overdue = { ...waits, seconds: 31 };
  it.each(steps)('$step past the deadline is a failure under TearDown and Hold', ({ step }) => {
    for (const onFailure of ['TearDown', 'Hold']) {
      const error = step === 'Preflight' ? 'StepRefused' : 'DeadlineExceeded';
      const { answers, status, target } = scored({
        ...overdue,
        status: running(step),
        cluster: built(onFailure, '30s'),
        waiting: [step],
      });
      expect(answers).toEqual([`${step}: ${error}`]);
      expect(target).toBeUndefined();
      expect(status.steps?.at(-1)?.message).toMatch(/./);
    }
  });
  it.each(steps)('$step past the deadline continues under Retry, and reports that', ({ step }) => {
    const { answers, status, plan } = scored({
      ...overdue,
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
  it.each(steps)('$step continues when the deadline was extended', ({ step }) => {
    if (step === 'Preflight') return;
    const { answers, plan, status } = scored({
      ...overdue,
      status: running(step),
      cluster: built('TearDown', '1m'),
      waiting: [step],
    });
    expect(answers).toEqual([]);
    expect(plan.requeueAfter).toBe(29);
    expect(status.deadline).toBe(at(60));
  });
  it.each(createSteps.map((step) => ({ step })))('$step is complete once the cluster was ever Available', ({
    step,
  }) => {
    const { answers } = scored({ ...overdue, status: running(step), cluster: wasAvailable, waiting: [step] });
    expect(answers).toEqual([`${step}: {}`]);
  });
  it.each(createSteps.map((step) => ({ step })))('$step can be cancelled, and keeps what was created', ({ step }) => {
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
  it.each(createSteps.map((step) => ({ step })))('$step ends when the Cluster is deleted, without a hold', ({
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
  it.each(createSteps.map((step) => ({ step })))('$step decides nothing during a pause', ({ step }) => {
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

describe('waiting tasks', () => {
  const initialized = { status: { initialization: { controlPlaneInitialized: true } } };
  const step = 'FirstControlPlaneMachine';
  it.each<{ rule: string; stage: Stage; answers: string[] }>([
    {
      rule: 'are completed at once when their condition already holds',
      stage: { status: running(step), cluster: initialized, waiting: [step] },
      answers: [`${step}: {}`],
    },
    {
      rule: 'are both completed when a token was duplicated',
      stage: { status: running(step), cluster: initialized, waiting: [step, step] },
      answers: [`${step}: {}`, `${step}: {}`],
    },
    {
      rule: 'receive the same result for a completed step',
      stage: { status: running('Workers'), waiting: [step] },
      answers: [`${step}: {}`],
    },
    {
      rule: 'receive the same result for a failed step',
      stage: { status: failed, waiting: ['Network'] },
      answers: ['Network: DeadlineExceeded'],
    },
    {
      rule: 'are completed for an old and a new step in one pass',
      stage: { status: running('Network'), waiting: ['Network', 'Preflight'] },
      answers: ['Preflight: {}'],
    },
    {
      rule: 'are dismissed when they wait for a namesake',
      stage: { status: running(step), cluster: initialized, waiting: [{ step, uid: 'other' }] },
      answers: [`${step}: Cancelled`],
    },
    {
      rule: 'fail if their step is unknown',
      stage: { status: running(step), waiting: ['Dance'] },
      answers: ['Dance: UnknownStep'],
    },
    {
      rule: 'are dismissed when their step belongs to another type',
      stage: { status: running(step), waiting: ['Prove'] },
      answers: ['Prove: UnknownStep'],
    },
    {
      rule: 'must not report a success that did not happen',
      stage: { status: running(step), waiting: ['Succeeded'] },
      answers: ['Succeeded: OutOfOrder'],
    },
    {
      rule: 'must not report a teardown that did not happen',
      stage: { status: undoing, cluster: nothing, waiting: ['TornDown'] },
      answers: ['TornDown: OutOfOrder'],
    },
    {
      rule: 'must not report a delete as successful without proof',
      stage: {
        status: running('Prove'),
        operation: deletion,
        cluster: annotated({ [operationAnnotations.operation]: 'demo-delete-1' }),
        waiting: ['Succeeded'],
      },
      answers: ['Succeeded: OutOfOrder'],
    },
    {
      rule: 'receive the result of an ended operation',
      stage: { status: { phase: 'Cancelled' }, waiting: ['Workers', 'Cancelled', 'Decide'] },
      answers: ['Workers: Cancelled', 'Cancelled: {}', 'Decide: {"policy":"Hold"}'],
    },
    {
      rule: 'continue to the end of a successful operation',
      stage: { status: { phase: 'Succeeded' }, waiting: ['Workers', 'Succeeded'] },
      answers: ['Workers: {}', 'Succeeded: {}'],
    },
    {
      rule: 'are dismissed when the Cluster is gone',
      stage: { status: running(step), cluster: null, waiting: [step] },
      answers: [`${step}: Cancelled`],
    },
  ])('$rule', ({ stage, answers }) => expect(scored(stage).answers).toEqual(answers));
  it('change nothing about an ended operation', () => {
    const { plan } = scored({ status: { phase: 'TornDown' }, waiting: ['Network'] });
    expect(plan.status).toBeUndefined();
    expect(plan.actions).toBeUndefined();
  });
  it('record the start of a step once', () => {
    const first = scored({ status: running('Workers'), cluster: controlPlane, waiting: ['Workers'] });
    expect(first.plan.events).toEqual([]);
    const again = scored({ status: first.status, cluster: controlPlane, waiting: ['Workers'], seconds: 5 });
    expect(again.status).toEqual(first.status);
  });
});

describe('after a failed step', () => {
  it.each<{ rule: string; cluster?: object; operation?: object; policy: string }>([
    { rule: 'a create is torn down by default', policy: 'TearDown' },
    { rule: 'a create is held under the Hold policy', cluster: policy('Hold'), policy: 'Hold' },
    { rule: 'a create continues under the Retry policy', cluster: policy('Retry'), policy: 'Retry' },
    { rule: 'a create is held if the cluster was ever Available', cluster: wasAvailable, policy: 'Hold' },
    {
      rule: 'a create is held if the cluster is Available',
      cluster: saying(conditionWith('Available', 'True')),
      policy: 'Hold',
    },
    { rule: 'a create is held if the cluster existed before', operation: { spec: { adopted: true } }, policy: 'Hold' },
  ])('$rule', ({ cluster = {}, operation = {}, policy }) => {
    expect(scored({ status: failed, cluster, operation, waiting: ['Decide'] }).answers).toEqual([
      `Decide: {"policy":"${policy}"}`,
    ]);
  });
  it('the failed step is reopened under Retry', () => {
    const { status } = scored({ status: failed, cluster: policy('Retry'), waiting: ['Decide'] });
    expect(status.steps?.map(({ name }) => name)).toEqual(['Preflight']);
  });
  it('a hold moves the target first', () => {
    expect(scored({ status: failed, cluster: targeted('Build'), waiting: ['Hold'] })).toMatchObject({
      target: 'Hold',
      answers: ['Hold: {}'],
    });
    expect(scored({ status: failed, cluster: wasAvailable, waiting: ['Hold'] }).target).toBeUndefined();
  });
  it('a hold reports what failed, what happened to it and what to do', () => {
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
  it.each(
    createSteps.map((step) => ({ step })),
  )('an unknown error in $step holds the operation without moving the target', ({ step }) => {
    const { status, target } = scored({
      status: running(step),
      cluster: targeted('Build'),
      waiting: [{ step: 'Held', error: 'Lambda.Unknown' }],
    });
    expect(target).toBeUndefined();
    expect(status).toMatchObject({ phase: 'Held', message: expect.stringContaining('Lambda.Unknown') });
    expect(status.steps?.at(-1)?.verdict).toBe('Failed');
  });
  it('the operation succeeds when the cluster became Available meanwhile', () => {
    expect(
      scored({ status: failed, cluster: wasAvailable, waiting: [{ step: 'Held', error: 'StepRefused' }] }).status.phase,
    ).toBe('Succeeded');
  });
});
