import { describe, expect, it } from 'vitest';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { type Reader, typedReader } from '../../../machinery/api/reconcile.ts';
import type { ClusterOperation } from '../../operations/cluster-operation/schema.ts';
import type { Target } from '../contract/target.ts';
import {
  at,
  cluster,
  condition,
  context,
  controlPlane,
  endpoint,
  is,
  named,
  owner,
  plan,
  under,
} from './cluster.fixture.ts';
import type { Observed } from './observe.ts';
import { observeOperation } from './operation.ts';
import type { Cluster, ClusterStatus } from './schema.ts';

const operation = (
  status: ClusterOperation['status'],
  type: NonNullable<ClusterOperation['spec']>['type'] = 'create',
): ClusterOperation => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'ClusterOperation',
  metadata: { name: `c-${type}-1`, namespace: 'ns', ownerReferences: [owner] },
  spec: { clusterName: 'c', type, fingerprint: '0123456789abcdef', attempt: 1 },
  status,
});
/** A partly created cluster: infrastructure without a control plane. */
const unfinished: Partial<Observed> = {
  cluster: named(),
  controlPlane: is(
    controlPlane({
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'X', message: 'no machine' }] },
    }),
  ),
  snapshot: undefined,
};
const summary = condition(unfinished, 'Available').message;
const whileRunning = operation({ phase: 'Running', message: 'Waiting for the first machine' });

const unresolved = 'AWSMachineTemplate w does not exist';
/** A Cluster that was created so many seconds ago. */
const aged = (seconds: number): Cluster => {
  const { metadata, ...rest } = cluster();
  return {
    ...rest,
    metadata: { ...metadata, creationTimestamp: new Date(context.now - seconds * 1000).toISOString() },
  };
};

const cancelled = (one: ClusterOperation): ClusterOperation => ({ ...one, spec: { ...one.spec!, cancel: true } });

describe('Available, under an operation', () => {
  it.each<{
    rule: string;
    target: Target;
    operation?: ClusterOperation;
    given?: Partial<Observed>;
    says: [status: string, reason: string, message: string];
  }>([
    {
      rule: 'is the summary of the parts while it runs',
      target: 'Build',
      operation: whileRunning,
      says: ['False', 'NotAvailable', summary],
    },
    {
      rule: 'reports what a cluster waits for that is not admitted',
      target: 'Wait',
      operation: operation({ phase: 'Running', message: 'Instance type m9.huge is not offered in us-east-1a' }),
      says: [
        'False',
        'NotAvailable',
        `* ClusterOperation c-create-1: Instance type m9.huge is not offered in us-east-1a\n${summary}`,
      ],
    },
    {
      rule: 'reports that no operation exists yet',
      target: 'Wait',
      given: { ...unfinished, cluster: cluster() },
      says: ['False', 'NotAvailable', `* Waiting for an operation to create the cluster\n${summary}`],
    },
    {
      rule: 'names the references that keep the first operation from beginning, while a manifest is applied',
      target: 'Wait',
      given: { ...unfinished, cluster: aged(20), unresolved },
      says: ['False', 'NotAvailable', `* Waiting for an operation to create the cluster: ${unresolved}\n${summary}`],
    },
    {
      rule: 'gives them as its reason once the manifest should have been applied',
      target: 'Wait',
      given: { ...unfinished, cluster: aged(30), unresolved },
      says: [
        'False',
        'ReferencesUnresolved',
        `* Waiting for an operation to create the cluster: ${unresolved}\n${summary}`,
      ],
    },
    {
      rule: 'reports why the cluster is being torn down',
      target: 'Nothing',
      operation: operation({ phase: 'Running', message: 'FirstControlPlaneMachine: InsufficientInstanceCapacity' }),
      says: ['False', 'TearingDown', 'FirstControlPlaneMachine: InsufficientInstanceCapacity'],
    },
    {
      rule: 'reports that it was torn down',
      target: 'Nothing',
      operation: operation({ phase: 'TornDown', message: 'FirstControlPlaneMachine: InsufficientInstanceCapacity' }),
      says: ['False', 'TornDown', 'FirstControlPlaneMachine: InsufficientInstanceCapacity'],
    },
    {
      rule: 'reports what blocks a teardown',
      target: 'Nothing',
      operation: operation({ phase: 'Held', message: 'vpc-1 is used by eni-2' }),
      says: ['False', 'OperationHeld', 'vpc-1 is used by eni-2'],
    },
    {
      rule: 'reports a teardown whose operation is gone',
      target: 'Nothing',
      says: ['False', 'TearingDown', 'Torn down by ClusterOperation c-create-1'],
    },
    {
      rule: 'is never True during a teardown, whatever its parts report',
      target: 'Nothing',
      operation: operation({ phase: 'Running', message: 'late' }),
      given: { cluster: named() },
      says: ['False', 'TearingDown', 'late'],
    },
    {
      rule: 'reports a hold',
      target: 'Hold',
      operation: operation({ phase: 'Held', message: 'no capacity' }),
      says: ['False', 'OperationHeld', 'no capacity'],
    },
    {
      rule: 'reports a hold and its cause before its operation does',
      target: 'Hold',
      operation: operation({ phase: 'Running', message: 'Workers: no capacity' }),
      says: [
        'False',
        'OperationHeld',
        'Held by ClusterOperation c-create-1: nothing new is created; Workers: no capacity',
      ],
    },
    {
      rule: 'reports a hold by an error that leaves the target unchanged',
      target: 'Build',
      operation: operation({ phase: 'Held', message: 'AccessDenied' }),
      says: ['False', 'OperationHeld', 'AccessDenied'],
    },
    {
      rule: 'reports a cancellation',
      target: 'Hold',
      operation: operation({ phase: 'Cancelled', message: 'by a user' }),
      says: ['False', 'OperationCancelled', 'by a user'],
    },
    {
      rule: 'reports a cancellation before its operation does',
      target: 'Hold',
      operation: cancelled(operation({ phase: 'Running', message: 'Cancelled: by a user' })),
      says: ['False', 'OperationCancelled', 'Cancelled: by a user'],
    },
    {
      rule: 'reports a missed deadline',
      target: 'Build',
      operation: operation({ phase: 'Running', late: true, message: 'ControlPlane is late' }),
      says: ['False', 'OperationLate', 'ControlPlane is late'],
    },
    {
      rule: 'omits a repeated message',
      target: 'Build',
      operation: operation({ phase: 'Running', step: 'Available', late: true, message: `late: ${summary}` }),
      says: ['False', 'OperationLate', `ClusterOperation c-create-1 is late\n${summary}`],
    },
    {
      rule: 'is True for a working cluster, even if late or held',
      target: 'Hold',
      operation: operation({ phase: 'Held', late: true, message: 'no capacity' }),
      given: { cluster: named() },
      says: ['True', 'Available', ''],
    },
    {
      rule: 'is the summary of the parts once the cluster was Available, whatever the operation does',
      target: 'Build',
      operation: operation({ phase: 'Cancelled', message: 'by a user' }),
      given: { ...unfinished, cluster: named({ 'capstan.dev/was-available': 'true' }) },
      says: ['False', 'NotAvailable', summary],
    },
    ...(['upgrade', 'restore'] as const).flatMap((type) => [
      {
        rule: `names a held ${type} of a cluster that works`,
        target: 'Build' as const,
        operation: operation({ phase: 'Held', message: 'To try again, run: x' }, type),
        given: { cluster: named({ 'capstan.dev/was-available': 'true' }) },
        says: ['True', 'Available', `* ClusterOperation c-${type}-1 is Held: To try again, run: x`] as [
          string,
          string,
          string,
        ],
      },
      {
        rule: `names a held ${type} of a cluster that does not work`,
        target: 'Build' as const,
        operation: operation({ phase: 'Held', message: 'To try again, run: x' }, type),
        given: { ...unfinished, cluster: named({ 'capstan.dev/was-available': 'true' }) },
        says: ['False', 'NotAvailable', `* ClusterOperation c-${type}-1 is Held: To try again, run: x\n${summary}`] as [
          string,
          string,
          string,
        ],
      },
    ]),
  ])('$rule', ({ target, operation: one, given = unfinished, says }) => {
    const { status, reason, message } = condition(
      { ...given, ...under(target, given.cluster), operation: one },
      'Available',
    );
    expect([status, reason, message]).toEqual(says);
  });

  it('is latched on the Cluster before it is reported', () => {
    const note = { 'capstan.dev/was-available': 'true' };
    const settled = { spec: { ...cluster().spec, controlPlaneEndpoint: endpoint } };
    expect(plan({ cluster: cluster(settled) }).intent).toEqual({ metadata: { annotations: note } });
    expect(plan({ cluster: named(note, settled) }).intent).toBeUndefined();
    expect(plan(unfinished).intent?.metadata?.annotations).not.toHaveProperty('capstan.dev/was-available');
    expect(plan(under('Nothing')).intent).toBeUndefined();
  });
});

it.each([
  { rule: 'are looked at again when they become an Event', given: { cluster: aged(20), unresolved }, seconds: 10 },
  { rule: 'need no timer then', given: { cluster: aged(30), unresolved }, seconds: undefined },
  { rule: 'need none if all resolve', given: { cluster: aged(20) }, seconds: undefined },
])('references $rule', ({ given, seconds }) => expect(plan({ ...given, ...under('Wait') }).requeueAfter).toBe(seconds));

describe('Deleting, under an operation', () => {
  const ending = { ...cluster({}, true) };
  const given = (status: ClusterOperation['status'], type: 'create' | 'delete' = 'delete') => ({
    cluster: ending,
    operation: operation(status, type),
  });
  it.each([
    {
      rule: 'reports what blocks it',
      over: given({ phase: 'Held', message: 'vpc-1 is used by eni-2' }),
      first: 'vpc-1 is used by eni-2',
    },
    {
      rule: 'is unchanged while the operation runs',
      over: given({ phase: 'Running', message: 'x' }),
      first: '* MachineDeployment: md',
    },
    {
      rule: 'ignores a create',
      over: given({ phase: 'Held', message: 'x' }, 'create'),
      first: '* MachineDeployment: md',
    },
  ])('$rule', ({ over, first }) => {
    const { message, reason } = condition(over, 'Deleting');
    expect([reason, message.split('\n')[0]]).toEqual(['WaitingForWorkersDeletion', first]);
    expect(message).toContain('* MachineDeployment: md');
  });
});

describe('Events of an operation', () => {
  const conditionsWith = (type: string, reason: string, message: string): Condition[] => [
    { type, status: 'False', reason, message, lastTransitionTime: at },
  ];
  const held = operation({ phase: 'Held', message: 'no capacity' });
  const heldDelete = operation({ phase: 'Held', message: 'vpc-1 is used' }, 'delete');
  it.each<{ rule: string; given: Partial<Observed>; before: Condition[]; events: string[] }>([
    {
      rule: 'report a failure once',
      given: { operation: held },
      before: conditionsWith('Available', 'NotAvailable', ''),
      events: ['Warning OperationHeld no capacity'],
    },
    {
      rule: 'do not repeat it',
      given: { operation: held },
      before: conditionsWith('Available', 'OperationHeld', 'no capacity'),
      events: [],
    },
    {
      rule: 'report each phase',
      given: { ...under('Nothing', named()), operation: operation({ phase: 'TornDown', message: 'no capacity' }) },
      before: conditionsWith('Available', 'TearingDown', 'no capacity'),
      events: ['Warning TornDown no capacity'],
    },
    {
      rule: 'do not report a cancellation as a failure',
      given: { operation: operation({ phase: 'Cancelled', message: 'by a user' }) },
      before: conditionsWith('Available', 'NotAvailable', ''),
      events: ['Normal OperationCancelled by a user'],
    },
    {
      rule: 'report another attempt',
      given: { operation: whileRunning },
      before: conditionsWith('Available', 'OperationHeld', 'no capacity'),
      events: ['Normal OperationStarted ClusterOperation c-create-1 tries again'],
    },
    {
      rule: 'do not report that an operation is no longer late',
      given: { operation: whileRunning },
      before: conditionsWith('Available', 'OperationLate', 'Workers is late'),
      events: [],
    },
    ...(['create', 'delete'] as const).map((type) => ({
      rule: `do not report the deletion of a torn-down cluster as an attempt (its operation is to ${type})`,
      given: { cluster: cluster({}, true), operation: operation({ phase: 'Running' }, type) },
      before: conditionsWith('Available', 'TornDown', 'no capacity'),
      events: [],
    })),
    {
      rule: 'name the references that keep it from beginning',
      given: { cluster: aged(30), ...under('Wait'), unresolved },
      before: conditionsWith('Available', 'NotAvailable', ''),
      events: [`Warning ReferencesUnresolved Waiting for an operation to create the cluster: ${unresolved}`],
    },
    {
      rule: 'do not name them while a manifest is applied',
      given: { cluster: aged(20), ...under('Wait'), unresolved },
      before: conditionsWith('Available', 'NotAvailable', ''),
      events: [],
    },
    { rule: 'report nothing while it runs', given: { operation: whileRunning }, before: [], events: [] },
    {
      rule: 'report what blocks a deletion',
      given: { cluster: cluster({}, true), operation: heldDelete },
      before: conditionsWith('Deleting', 'WaitingForWorkersDeletion', '* MachineDeployment: md'),
      events: ['Warning OperationHeld vpc-1 is used'],
    },
    {
      rule: 'report it once',
      given: { cluster: cluster({}, true), operation: heldDelete },
      before: conditionsWith('Deleting', 'WaitingForWorkersDeletion', 'vpc-1 is used\n* MachineDeployment: md'),
      events: [],
    },
  ])('$rule', ({ given, before, events }) => {
    const over = { ...unfinished, ...given };
    const status: ClusterStatus = {
      phase: over.cluster?.metadata.deletionTimestamp ? 'Deleting' : 'Provisioned',
      initialization: { infrastructureProvisioned: true },
      conditions: before,
    };
    const drafts = plan({ ...over, cluster: { ...over.cluster!, status } }).events ?? [];
    expect(drafts.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual(events);
  });
  it('report when its cluster becomes Available, and nothing for a cluster without an operation', () => {
    const availableEvents = (over: Partial<Observed>) =>
      plan(over)
        .events?.filter(({ reason }) => reason === 'Available')
        .map(({ message }) => message);
    expect(availableEvents({ cluster: named(), operation: whileRunning })).toEqual([
      'ClusterOperation c-create-1: Cluster c is available',
    ]);
    expect(
      availableEvents({ cluster: named({ 'capstan.dev/was-available': 'true' }), operation: whileRunning }),
    ).toEqual([]);
    expect(availableEvents({})).toEqual([]);
  });
});

describe('the operation of a Cluster', () => {
  const reads: string[] = [];
  const reader = (answer: KubeObject | undefined): Reader =>
    typedReader({
      get: (kind, key) => {
        reads.push(`${kind} ${key.namespace}/${key.name}`);
        return (answer ? { state: 'found', value: answer } : { state: 'absent' }) as never;
      },
      list: () => ({ state: 'absent' }),
      tombstone: () => ({ state: 'absent' }),
      facts: () => ({ state: 'found', value: [] }),
      ask: () => ({ state: 'absent' }),
    });
  const unowned = { ...whileRunning, metadata: { ...whileRunning.metadata, ownerReferences: [] } };
  it.each([
    {
      rule: 'is the one that the Cluster names',
      of: named(),
      answer: whileRunning,
      workflows: true,
      reads: 1,
      found: true,
    },
    {
      rule: 'is absent when it belongs to another Cluster',
      of: named(),
      answer: unowned,
      workflows: true,
      reads: 1,
      found: false,
    },
    {
      rule: 'is absent when the Cluster names none',
      of: cluster(),
      answer: whileRunning,
      workflows: true,
      reads: 0,
      found: false,
    },
    {
      rule: 'is not read without workflows',
      of: named(),
      answer: whileRunning,
      workflows: false,
      reads: 0,
      found: false,
    },
  ])('$rule', ({ of, answer, workflows, reads: wanted, found }) => {
    reads.length = 0;
    const { withheld } = under('Hold', of);
    const within = { ...context, config: { workflows }, ...(withheld && { withheld }) };
    const operated = observeOperation(of, reader(answer), within);
    expect(reads).toEqual(wanted ? ['ClusterOperation ns/c-create-1'] : []);
    expect(operated.operation !== undefined).toBe(found);
    expect(operated.withheld).toBe(withheld);
  });
});
