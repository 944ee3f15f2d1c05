import { describe, expect, it } from 'vitest';
import { operationAnnotations } from '../../core/contract/target.ts';
import { callCloud } from '../../ports/index.ts';
import {
  absent,
  annotated,
  at,
  conditionWith,
  deletion,
  failed,
  found,
  left,
  nothing,
  objectOf,
  running,
  type Stage,
  saying,
  scored,
  targeted,
  undoing,
  wasAvailable,
} from '../cluster-operation/operation.fixture.ts';
import { deleteSteps } from './steps.ts';

describe('a teardown', () => {
  it.each<{ rule: string; stage: Stage; target?: string; answers?: string[]; phase?: string; says?: RegExp }>([
    {
      rule: 'moves the target at the observed version',
      stage: { status: failed, cluster: targeted('Build'), clusterState: left },
      target: 'Nothing',
      phase: 'Running',
    },
    {
      rule: 'accepts no proof from before the target moved',
      stage: { status: failed, cluster: targeted('Build') },
      target: 'Nothing',
      phase: 'Running',
    },
    {
      rule: 'waits for remaining resources, and reports them',
      stage: { status: undoing, cluster: nothing, clusterState: left, seconds: 60 },
      says: /VpcLimitExceeded: full\. What was made of it is being removed: waiting for EC2 instance i-1/,
    },
    {
      rule: 'waits a moment for operations in progress to become visible',
      stage: { status: undoing, cluster: nothing, seconds: 35 },
      phase: 'Running',
    },
    {
      rule: 'waits for them only for that moment',
      stage: { status: undoing, cluster: nothing, seconds: 40 },
      answers: ['TearDown: {}'],
    },
    {
      rule: 'is complete when nothing remains',
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
      rule: 'never begins for a cluster that is Available',
      stage: { status: failed, cluster: saying(conditionWith('Available', 'True')) },
      answers: ['TearDown: Cancelled'],
      phase: 'Succeeded',
    },
    {
      rule: 'never begins for a cluster that existed before',
      stage: { status: failed, operation: { spec: { adopted: true } } },
      answers: ['TearDown: NotFromNothing'],
    },
    {
      rule: 'cannot be cancelled',
      stage: {
        status: undoing,
        cluster: nothing,
        clusterState: left,
        operation: { spec: { cancel: true } },
        seconds: 60,
      },
      phase: 'Running',
    },
    {
      rule: 'is not ended by the deletion of its operation',
      stage: {
        status: undoing,
        cluster: nothing,
        clusterState: left,
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
        clusterState: left,
        seconds: 60,
      },
      answers: ['TearDown: Cancelled'],
    },
    {
      rule: 'has half an hour',
      stage: { status: undoing, cluster: nothing, clusterState: left, seconds: 1829 },
      phase: 'Running',
    },
    {
      rule: 'is held afterwards',
      stage: { status: undoing, cluster: nothing, clusterState: left, seconds: 1830 },
      answers: ['TearDown: StepRefused'],
    },
    {
      rule: 'stays held without a limit',
      stage: { status: { ...undoing, phase: 'Held' }, cluster: nothing, clusterState: left, seconds: 9e6 },
      phase: 'Held',
      says: /tried again/,
    },
    {
      rule: 'completes from a hold',
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
  it('requeues every 15 seconds', () => {
    expect(
      scored({ status: undoing, cluster: nothing, clusterState: left, seconds: 60, waiting: ['TearDown'] }).plan
        .requeueAfter,
    ).toBe(15);
  });
  it('records what failed and what to do', () => {
    const done = scored({ status: undoing, cluster: nothing, seconds: 60, waiting: ['TearDown'] }).status;
    const { status, plan } = scored({ status: done, cluster: nothing, seconds: 61, waiting: ['TornDown'] });
    expect(status).toMatchObject({ phase: 'TornDown', ended: at(61) });
    expect(status.message).toMatch(
      /^Step Network .*VpcLimitExceeded.*\. Nothing is left of it\. .*capstan retry cluster demo/,
    );
    expect(plan.events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'TornDown' }));
  });
  it('starts over when it is held', () => {
    const refused = scored({
      status: undoing,
      cluster: nothing,
      clusterState: left,
      seconds: 1830,
      waiting: ['TearDown'],
    }).status;
    const { status } = scored({
      status: refused,
      cluster: nothing,
      clusterState: left,
      seconds: 1831,
      waiting: ['TearDownHeld'],
    });
    expect(status).toMatchObject({ phase: 'Held', message: expect.stringContaining('EC2 instance i-1') });
    const again = scored({ status, cluster: nothing, seconds: 1832, waiting: ['TearDown'] });
    expect(again.answers).toEqual([]);
    const proved = scored({ status: again.status, cluster: nothing, seconds: 1850, waiting: ['TearDown'] });
    expect(proved).toMatchObject({ answers: ['TearDown: {}'], plan: { requeueAfter: 15 } });
    expect(
      scored({ status, cluster: nothing, clusterState: left, seconds: 1832, waiting: ['TearDown'] }).status.phase,
    ).toBe('Held');
  });
});

describe('a delete', () => {
  const named = annotated({ [operationAnnotations.operation]: 'demo-delete-1' });
  const cluster = { metadata: { ...named.metadata, deletionTimestamp: at(0) } };
  const gone = { infrastructure: absent, controlPlane: absent };
  const blocked = (severity: string, since = -500) =>
    objectOf(
      'AWSCluster',
      'demo',
      saying(
        conditionWith('VpcReady', 'False', {
          severity,
          message: 'DeleteVpc: DependencyViolation: eni-1',
          lastTransitionTime: at(since),
        }),
        conditionWith('SubnetsReady', 'False', { severity: 'Info', reason: 'Deleted' }),
      ),
    );
  const blockedMachine = (severity: string, since: number) =>
    objectOf(
      'AWSMachine',
      'm',
      saying(
        conditionWith('InstanceReady', 'False', {
          severity,
          reason: 'Deleting',
          message: 'TerminateInstances: OperationNotPermitted',
          lastTransitionTime: at(since),
        }),
      ),
    );
  const vpc = blocked('Error');
  const stage = (more: Stage): Stage => ({ operation: deletion, cluster, ...more });
  it.each(deleteSteps.map((step) => ({ step })))('completes $step when its condition holds', ({ step }) => {
    expect(scored(stage({ status: running(step), clusterState: gone, waiting: [step] })).answers).toEqual([
      `${step}: {}`,
    ]);
  });
  it('waits two minutes for a transient cloud error to pass', () => {
    const at119 = scored(
      stage({
        status: running('DeleteNetwork'),
        clusterState: { infrastructure: found(vpc) },
        seconds: 119,
        waiting: ['DeleteNetwork'],
      }),
    );
    expect(at119.answers).toEqual([]);
    expect(at119.plan.requeueAfter).toBe(1);
    const at120 = scored(
      stage({
        status: running('DeleteNetwork'),
        clusterState: { infrastructure: found(vpc) },
        seconds: 120,
        waiting: ['DeleteNetwork'],
      }),
    );
    expect(at120.answers).toEqual(['DeleteNetwork: StepRefused']);
  });
  it.each([
    { severity: 'Info', seconds: 30, wait: 300 },
    { severity: 'Warning', seconds: 30, wait: 90 },
    { severity: 'Warning', seconds: 110, wait: 15 },
    { severity: 'Warning', seconds: 1790, wait: 10 },
    { severity: 'Error', seconds: 30, wait: 90 },
  ])('checks whether a transient error has become permanent: $severity', ({ severity, seconds, wait }) => {
    const clusterState = { infrastructure: found(blocked(severity)) };
    const status = running('DeleteNetwork');
    const { plan } = scored(stage({ status, clusterState, seconds, waiting: ['DeleteNetwork'] }));
    expect(plan.requeueAfter).toBe(wait);
  });
  it.each([
    { rule: 'that appeared during a step', ills: [blockedMachine('Error', 60)], seconds: 179, wait: 1 },
    { rule: 'after two minutes', ills: [blockedMachine('Error', 60)], seconds: 180, wait: undefined },
    {
      rule: 'of the oldest of several',
      ills: [blockedMachine('Error', 100), blockedMachine('Error', 60)],
      seconds: 180,
      wait: undefined,
    },
    {
      rule: 'wherever it is reported',
      ills: [blockedMachine('Error', 60), blockedMachine('Error', 100)],
      seconds: 180,
      wait: undefined,
    },
    {
      rule: 'except for a warning',
      ills: [blockedMachine('Warning', 0), blockedMachine('Error', 100)],
      seconds: 180,
      wait: 40,
    },
  ])('measures the time of an error $rule', ({ ills, seconds, wait }) => {
    const status = running('DeleteNetwork');
    const clusterState = { infrastructure: found(blocked('Info')), infraMachines: ills };
    const { plan, answers } = scored(stage({ status, clusterState, seconds, waiting: ['DeleteNetwork'] }));
    expect(answers).toEqual(wait === undefined ? ['DeleteNetwork: StepRefused'] : []);
    if (wait !== undefined) expect(plan.requeueAfter).toBe(wait);
  });
  it('is held with what blocks it, continues, and ends when that is gone', () => {
    const refused = scored(
      stage({
        status: running('DeleteNetwork'),
        clusterState: { infrastructure: found(vpc) },
        seconds: 120,
        waiting: ['DeleteNetwork'],
      }),
    );
    const held = scored(
      stage({
        status: refused.status,
        clusterState: { infrastructure: found(vpc) },
        seconds: 121,
        waiting: [{ step: 'Held', error: 'StepRefused' }],
      }),
    );
    expect(held.status).toMatchObject({ phase: 'Held', message: expect.stringContaining('eni-1') });
    const waiting = scored(
      stage({
        status: held.status,
        clusterState: { infrastructure: found(vpc), remains: found(['VPC vpc-1']) },
        seconds: 9999,
        waiting: ['Prove'],
      }),
    );
    expect(waiting).toMatchObject({
      answers: [],
      status: { phase: 'Held', message: expect.stringContaining('VPC vpc-1') },
    });
    expect(waiting.plan.requeueAfter).toBe(15);
    const proved = scored(stage({ status: waiting.status, clusterState: gone, seconds: 10_000, waiting: ['Prove'] }));
    expect(proved.answers).toEqual(['Prove: {}']);
    // The workflow may have stopped meanwhile, and no event would requeue the operation.
    expect(proved.plan.requeueAfter).toBe(15);
    const over = scored(stage({ status: proved.status, clusterState: gone, seconds: 10_001, waiting: ['Succeeded'] }));
    expect(over.status).toMatchObject({ phase: 'Succeeded', message: 'Nothing is left of the cluster' });
  });
  it.each([
    { when: 'while its workflow waits', status: running('Prove'), waiting: ['Prove'] },
    { when: 'on hold', status: running('Prove', { phase: 'Held' }), waiting: [] },
  ])('deletes resources created for machines that are gone, $when', ({ status, waiting }) => {
    const stranded = [callCloud('eu-central-1', 'TerminateInstances', { InstanceIds: ['i-1'] }, {})];
    const { plan } = scored(
      stage({ status, clusterState: { remains: found(['EC2 instance i-1']), stranded }, waiting }),
    );
    expect(plan.requeueAfter).toBe(15);
    expect(plan.actions).toEqual(stranded);
  });
  it('moves no target', () => {
    for (const step of [...deleteSteps, 'Held', 'Succeeded', 'Cancelled'])
      expect(scored(stage({ status: running('Prove'), waiting: [step] })).target).toBeUndefined();
  });
  it('cannot be cancelled', () => {
    expect(
      scored(
        stage({
          operation: { ...deletion, spec: { type: 'delete', cancel: true } },
          status: running('Prove'),
          clusterState: left,
          waiting: ['Prove'],
        }),
      ).answers,
    ).toEqual([]);
  });
});
