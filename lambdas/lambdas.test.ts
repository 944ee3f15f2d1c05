import { describe, expect, it } from 'vitest';
import { controllers as allControllers } from '../kinds/controllers.ts';
import { controllers as aws } from '../kinds/workers/aws.ts';
import { controllers as core } from '../kinds/workers/core.ts';
import { controllers as workload } from '../kinds/workers/workload.ts';
import { createAwaits } from '../machinery/operations/index.ts';
import type { Table } from '../machinery/ports.ts';
import { noRestrictions } from '../machinery/server/index.ts';
import { composeFoundation } from '../runtime/foundation.ts';
import { positionOf } from '../runtime/position.ts';
import { controllers as wiring } from '../wiring.ts';
import { serves } from './api.ts';
import { dispatches } from './dispatch.ts';
import { executes } from './executions.ts';
import alarm from './fixtures/alarm-state-change.json' with { type: 'json' };
import proxy from './fixtures/api-gateway-proxy.json' with { type: 'json' };
import reservation from './fixtures/capacity-reservation-interruption-warning.json' with { type: 'json' };
import record from './fixtures/dynamodb-stream-record.json' with { type: 'json' };
import execution from './fixtures/execution-status-change.json' with { type: 'json' };
import health from './fixtures/health-event.json' with { type: 'json' };
import instance from './fixtures/instance-state-change.json' with { type: 'json' };
import rebalance from './fixtures/rebalance-recommendation.json' with { type: 'json' };
import interruption from './fixtures/spot-interruption-warning.json' with { type: 'json' };
import sqs from './fixtures/sqs.json' with { type: 'json' };
import { wakes } from './instances.ts';
import { operates } from './operate.ts';
import { reconciles } from './reconcile/reconciles.ts';
import { createDispatching } from './runtime/dispatching.ts';
import { createOperating, type Operating } from './runtime/operating.ts';
import { createReconciling } from './runtime/reconciling.ts';
import { createServing } from './runtime/serving.ts';
import { createSweeping } from './runtime/sweeping.ts';
import type { Switches } from './runtime/switches.ts';
import { createWaking } from './runtime/waking.ts';
import { sweeps } from './sweep.ts';
import { recordedSwitches, silent } from './switches.fixture.ts';
import { createWorld, invocation, type World } from './world.fixture.ts';

const key = (controller: string, type: string, name: string) => ({ controller, type, namespace: 'default', name });
const machineSets = 'machinesets.cluster.x-k8s.io';
const operations = 'clusteroperations.capstan.dev';

describe('the worker classes', () => {
  it('run each controller once, on the worker in the wiring', async () => {
    const all = Object.entries({ core, aws, workload }).flatMap(([worker, controllers]) =>
      Object.entries(controllers).map(([name, load]) => ({ name, worker, load })),
    );
    for (const { name, load } of all) expect((await (load as () => Promise<{ name: string }>)()).name).toBe(name);
    const placed = all.map(({ name, worker }) => [name, worker]);
    expect(placed.sort()).toEqual(
      Object.entries(wiring)
        .map(([name, { worker }]) => [name, worker])
        .sort(),
    );
    expect(placed.length).toBe(allControllers.length);
  });
});

const fallAsleep = ({ foundation: { work } }: World) =>
  work.write({ put: { pk: 'awake', sk: 'installation', state: 'asleep', last: 0 } });
const operatingOf = ({ foundation }: World, switched: string[] = []) =>
  createOperating(foundation, recordedSwitches(switched));

describe('dispatch', () => {
  const dispatching = ({ foundation }: World, switched: string[] = []) =>
    createDispatching(foundation, recordedSwitches(switched));
  const image = record.dynamodb.NewImage;
  const changed = (more: object, eventName = 'INSERT') => ({
    ...record,
    eventName,
    dynamodb: { ...record.dynamodb, NewImage: { ...image, ...more } },
  });

  it.each([
    { rule: 'a change enqueues the controllers that the wiring names', given: record, wakes: true },
    { rule: 'a seal enqueues nothing', given: changed({ event: { S: 'SEAL' } }), wakes: false },
    {
      rule: 'an item outside the log enqueues nothing',
      given: changed({ pk: { S: 'o#machines' } }),
      wakes: false,
    },
    { rule: 'an expired item enqueues nothing', given: { ...record, eventName: 'REMOVE' }, wakes: false },
    { rule: 'an overwritten log slot enqueues nothing', given: changed({}, 'MODIFY'), wakes: false },
  ])('$rule', async ({ given, wakes: isWaking }) => {
    const world = createWorld();
    const answer = await dispatches(() => dispatching(world))({ Records: [given] }, invocation);
    expect(answer).toEqual({ batchItemFailures: [] });
    const woken = world.sent.map((one) => (one.key as { controller: string }).controller);
    expect(woken.includes('machine-set') && woken.includes('machine')).toBe(isWaking);
    expect(woken.length > 0).toBe(isWaking);
  });

  it.each([
    { rule: 'retries from a change that failed', minutes: 9, seen: ['a', 'b'], noted: ['a'] },
    {
      rule: 'leaves a change that has failed for ten minutes to the sweep',
      minutes: 10,
      seen: ['a', 'b', 'c'],
      noted: ['a', 'c'],
      left: ['b'],
    },
    {
      rule: 'retries it as long as no sweep is sure to follow',
      minutes: 10,
      seen: ['a', 'b'],
      noted: ['a'],
      isAsleep: true,
    },
  ])('$rule', async ({ minutes, seen, noted, left = [], isAsleep = false }) => {
    const world = createWorld();
    const did = { seen: [] as string[], noted: [] as string[], left: [] as string[] };
    const runtime = {
      log: world.foundation.log,
      clock: world.clock,
      note: async (entries: readonly { name: string }[]) => void did.noted.push(...entries.map(({ name }) => name)),
      leave: async ({ name }: { name: string }) => {
        if (isAsleep) throw new Error('no');
        did.left.push(name);
      },
      dispatch: async ({ name }: { name: string }) => {
        did.seen.push(name);
        if (name === 'b') throw new Error('no');
      },
    };
    const Records = ['a', 'b', 'c'].map((name) => {
      const given = changed({ name: { S: name }, at: { N: String(world.clock.now() - minutes * 60_000) } });
      return { ...given, dynamodb: { ...given.dynamodb, SequenceNumber: `of ${name}` } };
    });
    const isRetried = left.length === 0;
    expect(await dispatches(() => runtime)({ Records }, invocation)).toEqual({
      batchItemFailures: isRetried ? [{ itemIdentifier: 'of b' }] : [],
    });
    expect(did).toEqual({ seen, noted, left });
  });

  it('leaves work beyond its time limit to the next invocation, and always makes progress', async () => {
    const world = createWorld();
    const Records = ['1', '2', '3'].map((n) => ({ ...record, dynamodb: { ...record.dynamodb, SequenceNumber: n } }));
    const ending = { ...invocation, getRemainingTimeInMillis: () => 5_000 };
    expect(await dispatches(() => dispatching(world))({ Records }, ending)).toEqual({
      batchItemFailures: [{ itemIdentifier: '2' }],
    });
    expect(world.sent.length).toBeGreaterThan(0);
  });

  it('enables polling with the first work after a sleep, and not again at once', async () => {
    const world = createWorld();
    const switched: string[] = [];
    const dispatch = dispatches(() => runtime);
    const runtime = dispatching(world, switched);
    await fallAsleep(world);
    await dispatch({ Records: [changed({ event: { S: 'SEAL' } })] }, invocation);
    expect(switched).toEqual([]);
    await dispatch({ Records: [record, record] }, invocation);
    expect(switched).toEqual(['schedules on', 'mappings on']);
  });

  it('has a change redelivered when polling could not be enabled', async () => {
    const world = createWorld();
    await fallAsleep(world);
    const switched: string[] = [];
    const refusing = {
      ...recordedSwitches(switched),
      mappings: { ...silent, enable: () => Promise.reject(new Error('no')) },
    };
    const dispatch = (switches: Switches) => dispatches(() => createDispatching(world.foundation, switches));
    const given = { Records: [record] };
    expect(await dispatch(refusing)(given, invocation)).toMatchObject({ batchItemFailures: [{}] });
    expect(await dispatch(recordedSwitches(switched))(given, invocation)).toEqual({ batchItemFailures: [] });
    expect(switched).toEqual(['schedules on', 'schedules on', 'mappings on']);
  });
});

describe('reconcile', () => {
  const reconciling = ({ foundation }: World, stored?: number) => {
    const hidden: number[] = [];
    const read = async () => (stored ? { position: stored, regions: [] } : undefined);
    const runtime = createReconciling(foundation, {
      controllers: core,
      position: positionOf(foundation, {
        marker: { read, furthest: read, write: async () => {} },
      }),
      config: { speed: 1, workflows: true },
      hide: async (_, seconds) => void hidden.push(seconds),
    });
    return { runtime: () => runtime, hidden };
  };
  const wanted = ({ foundation: { workItems } }: World) => workItems.get(key('machine-set', machineSets, 'workers'));
  const ask = ({ foundation: { workItems } }: World) =>
    workItems.request(key('machine-set', machineSets, 'workers'), { urgent: true });

  it('runs the pass that a message asks for', async () => {
    const world = createWorld();
    await ask(world);
    const answer = await reconciles(reconciling(world).runtime)(sqs, invocation);
    // No work remains for an object that does not exist.
    expect([answer, await wanted(world)]).toEqual([{ batchItemFailures: [] }, undefined]);
  });

  it('puts a redelivered message back while another worker may be running it', async () => {
    const world = createWorld();
    await ask(world);
    const item = { pk: `k#machine-set#${machineSets}`, sk: 'default/workers' };
    const lease = world.clock.now() + 90_000;
    await world.foundation.work.write({ update: item, set: { lease, holder: 'another' } });
    const { runtime, hidden } = reconciling(world);
    const [message] = sqs.Records;
    const again = { ...message, attributes: { ...message!.attributes, ApproximateReceiveCount: '2' } };
    expect(await reconciles(runtime)({ Records: [again] }, invocation)).toEqual({
      batchItemFailures: [{ itemIdentifier: message!.messageId }],
    });
    expect(hidden).toEqual([90]);
  });

  it('does nothing while the account is ahead of the objects', async () => {
    const world = createWorld();
    await ask(world);
    expect(await reconciles(reconciling(world, 7).runtime)(sqs, invocation)).toEqual({ batchItemFailures: [] });
    expect(await wanted(world)).toMatchObject({ want: 1, done: 0 });
  });
});

describe('operate and executions', () => {
  const operation = { namespace: 'default', name: 'prod-create-1', uid: '5f0c7d7e-0000-4000-8000-000000000003' };
  const failing = () => Promise.reject(new Error('no'));
  const waiting = ({ foundation: { work, clock } }: World) =>
    createAwaits({ table: work, workflows: { succeed: failing, fail: failing }, clock }).of(operations, operation);
  const woken = (want: number) => ({
    worker: 'aws',
    slow: false,
    delay: 0,
    key: { ...key('cluster-operation', operations, operation.name), want },
  });

  it('stores the task token and enqueues the operation', async () => {
    const world = createWorld();
    const runtime = () => operatingOf(world);
    await operates(runtime)({ task: 'Network', token: 'AQC8…', operation }, invocation);
    expect(await waiting(world)).toMatchObject([{ step: 'Network', uid: operation.uid }]);
    expect(world.sent).toEqual([woken(1)]);
  });

  it('rejects an event that names no operation', async () => {
    const world = createWorld();
    const refused = operates(() => operatingOf(world))({ task: 'Network', token: 't' }, invocation);
    await expect(refused).rejects.toThrow('the event is none that this function is for: operation');
  });

  it.each([
    'SUCCEEDED',
    'FAILED',
    'TIMED_OUT',
    'ABORTED',
  ])('drops the task token when an execution %s', async (status) => {
    const world = createWorld();
    const runtime = () => operatingOf(world);
    await operates(runtime)({ task: 'Network', token: 'AQC8…', operation }, invocation);
    await executes(runtime)({ ...execution, detail: { ...execution.detail, status } }, invocation);
    expect(await waiting(world)).toEqual([]);
    expect(world.sent).toEqual([woken(1), woken(2)]);
  });

  it.each([
    {
      what: 'a task begins',
      tell: (operating: Operating) =>
        operates(() => operating)({ task: 'Succeeded', token: 'AQC8…', operation }, invocation),
    },
    { what: 'an execution ends', tell: (operating: Operating) => executes(() => operating)(execution, invocation) },
  ])('enables polling when all is asleep and $what', async ({ tell }) => {
    const world = createWorld();
    const switched: string[] = [];
    await fallAsleep(world);
    await tell(operatingOf(world, switched));
    expect(switched).toEqual(['schedules on', 'mappings on']);
  });

  it('leaves a running execution alone', async () => {
    const world = createWorld();
    const running = { ...execution, detail: { ...execution.detail, status: 'RUNNING' } };
    await executes(() => operatingOf(world))(running, invocation);
    expect(world.sent).toEqual([]);
  });

  it('fails, and is invoked again, when the event does not name an operation', async () => {
    const world = createWorld();
    const silent = { ...execution, detail: { ...execution.detail, input: null } };
    await expect(executes(() => operatingOf(world))(silent, invocation)).rejects.toThrow('the input');
  });
});

describe('instances, told about alarms', () => {
  const type = 'scalingplans.capstan.dev';
  it.each<{ rule: string; states?: object; wakes: number }>([
    { rule: 'has the alarm read for a cluster with a pool that names it', states: { 'queue-deep': 'OK' }, wakes: 1 },
    { rule: 'enqueues nothing for an alarm that no pool names', states: { other: 'OK' }, wakes: 0 },
    { rule: 'enqueues nothing for a cluster without alarms', wakes: 0 },
  ])('$rule', async ({ states, wakes: count }) => {
    const world = createWorld();
    const annotations = states && { 'capstan.dev/alarms': JSON.stringify(states) };
    const metadata = { namespace: 'default', name: 'c', uid: 'a-uid', ...(annotations && { annotations }) };
    const object = { apiVersion: 'capstan.dev/v1alpha1', kind: 'ScalingPlan', metadata };
    await world.foundation.store.commit(type, metadata, () => ({ do: 'put', object }));
    await wakes(() => createWaking(world.foundation))(alarm, invocation);
    expect(world.sent.map(({ worker, key: to }) => ({ worker, to }))).toEqual(
      Array(count).fill({ worker: 'aws', to: { ...key('alarms', type, 'c'), want: 1 } }),
    );
  });
});

describe('instances', () => {
  const pending = { ...instance, detail: { ...instance.detail, state: 'pending' } };
  const id = instance.detail['instance-id'];
  const type = 'awsmachines.infrastructure.cluster.x-k8s.io';
  const named = { providerID: `aws:///eu-west-1a/${id}`, instanceID: id };

  it.each<{ rule: string; event?: object; spec: object; isDeleted?: true; wakes: number }>([
    { rule: 'enqueues the Machine that names the instance', spec: named, wakes: 1 },
    {
      rule: 'enqueues the Machine that names the instance only by its provider ID',
      spec: { providerID: named.providerID },
      wakes: 1,
    },
    { rule: 'enqueues nothing for a pending instance', event: pending, spec: named, wakes: 0 },
    { rule: 'enqueues no deleted Machine', spec: named, isDeleted: true, wakes: 0 },
    { rule: 'ignores an instance that no Machine names', spec: { instanceID: 'i-1' }, wakes: 0 },
  ])('$rule', async ({ event = instance, spec, isDeleted, wakes: count }) => {
    const world = createWorld();
    const { store } = world.foundation;
    const metadata = { namespace: 'default', name: 'workers-x7', uid: 'a-uid' };
    const object = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'AWSMachine', metadata, spec };
    await store.commit(type, metadata, () => ({ do: 'put', object }));
    if (isDeleted) await store.commit(type, metadata, () => ({ do: 'remove', object }));
    await wakes(() => createWaking(world.foundation))(event, invocation);
    expect(world.sent.map(({ worker, key: to }) => ({ worker, to }))).toEqual(
      Array(count).fill({ worker: 'aws', to: { ...key('aws-machine', type, 'workers-x7'), want: 1 } }),
    );
  });

  const time = (text: string) => Date.UTC(2026, 10, 21, ...(text.split(':').map(Number) as [number, number]));
  const warned = { reason: 'SpotInterruption', at: time('8:00'), deadline: time('8:02') };
  const recommended = { reason: 'RebalanceRecommendation', at: time('7:58') };
  const held = (spec: object) => ({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSMachine',
    metadata: {
      namespace: 'default',
      name: 'workers-x7',
      uid: 'a-uid',
      annotations: { kept: 'x' },
    },
    spec,
  });
  it.each<{ rule: string; events: object[]; spec?: object; is: object | undefined }>([
    { rule: 'records a warning that a spot instance ends', events: [interruption], is: warned },
    { rule: 'records a recommendation, which names no end', events: [rebalance], is: recommended },
    {
      rule: 'records the end that a warning about a reservation names',
      events: [reservation],
      is: { reason: 'CapacityReservationInterruption', at: time('8:00'), deadline: time('8:03') },
    },
    { rule: 'records a warning after a recommendation', events: [rebalance, interruption], is: warned },
    { rule: 'keeps a warning that overtook a recommendation', events: [interruption, rebalance], is: warned },
    {
      rule: 'keeps the first of two warnings',
      events: [interruption, { ...interruption, time: '2026-11-21T08:01:00Z' }],
      is: warned,
    },
    { rule: 'ignores a warning about an unknown instance', events: [interruption], spec: {}, is: undefined },
    {
      rule: 'ignores a warning about an instance that only the index still names',
      events: [interruption],
      spec: { instanceID: id },
      is: undefined,
    },
  ])('$rule', async ({ events, spec = named, is }) => {
    const world = createWorld();
    const { store } = world.foundation;
    const object = held(spec);
    await store.commit(type, object.metadata, () => ({ do: 'put', object }));
    for (const event of events) await wakes(() => createWaking(world.foundation))(event, invocation);
    const { annotations = {} } = (await store.get(type, object.metadata))!.metadata;
    const note = annotations['capstan.dev/interruption'];
    expect(note && JSON.parse(note)).toEqual(is && { ...is, providerID: named.providerID });
    expect(annotations.kept).toBe('x');
  });

  it('writes nothing for a repeated warning, and fails without a time, so that the event is retried', async () => {
    const world = createWorld();
    const { store } = world.foundation;
    const object = held(named);
    await store.commit(type, object.metadata, () => ({ do: 'put', object }));
    const handle = (event: object) => wakes(() => createWaking(world.foundation))(event, invocation);
    await handle(interruption);
    const { resourceVersion } = (await store.get(type, object.metadata))!.metadata;
    await handle(interruption);
    expect((await store.get(type, object.metadata))!.metadata.resourceVersion).toBe(resourceVersion);
    await expect(handle({ ...interruption, time: undefined })).rejects.toThrow('has no time');
  });

  it.each([
    { rule: 'reads the status of the cluster of an instance that AWS Health names', id, wakes: 1 },
    { rule: 'ignores an instance of another owner that AWS Health names', id: 'i-1', wakes: 0 },
  ])('$rule', async ({ id: own, wakes: count }) => {
    const world = createWorld();
    const metadata = {
      namespace: 'default',
      name: 'workers-x7',
      uid: 'a-uid',
      labels: { 'cluster.x-k8s.io/cluster-name': 'demo' },
    };
    const spec = { instanceID: own };
    const object = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'AWSMachine', metadata, spec };
    await world.foundation.store.commit(type, metadata, () => ({ do: 'put', object }));
    await wakes(() => createWaking(world.foundation))(health, invocation);
    expect(world.sent.map(({ worker, key: to }) => ({ worker, to }))).toEqual(
      Array(count).fill({
        worker: 'aws',
        to: { ...key('instance-status', 'clusters.cluster.x-k8s.io', 'demo'), want: 1 },
      }),
    );
  });

  it('reads the table once for an instance of another owner', async () => {
    const world = createWorld();
    const { objects, work } = world.foundation;
    const calls: string[] = [];
    const counted = (name: string, table: Table): Table => ({
      get: (...given) => {
        calls.push(`get ${name}`);
        return table.get(...given);
      },
      query: (...given) => {
        calls.push(`query ${name}`);
        return table.query(...given);
      },
      write: (...given) => {
        calls.push(`write ${name}`);
        return table.write(...given);
      },
      transact: (...given) => {
        calls.push(`transact ${name}`);
        return table.transact(...given);
      },
    });
    const foundation = composeFoundation({
      ...world.foundation,
      objects: counted('objects', objects),
      work: counted('work', work),
    });
    await wakes(() => createWaking(foundation))(instance, invocation);
    expect(calls).toEqual(['query objects']);
  });
});

describe('sweep', () => {
  it('requeues runnable work that was lost, on the queue of its worker class', async () => {
    const world = createWorld();
    await world.foundation.workItems.request(key('machine-set', machineSets, 'workers'), { urgent: true });
    world.sent.length = 0;
    await sweeps(() => createSweeping(world.foundation, recordedSwitches([])))({ run: 'sweep' }, invocation);
    expect(world.sent).toEqual([
      { worker: 'core', slow: false, delay: 0, key: key('machine-set', machineSets, 'workers') },
    ]);
  });

  it('resyncs everything behind the work that users caused', async () => {
    const world = createWorld();
    const metadata = { namespace: 'default', name: 'workers', uid: 'a-uid' };
    const object = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', metadata };
    await world.foundation.store.commit(machineSets, metadata, () => ({ do: 'put', object }));
    await sweeps(() => createSweeping(world.foundation, recordedSwitches([])))({ run: 'resync' }, invocation);
    expect(world.sent).toContainEqual({
      worker: 'core',
      slow: true,
      delay: 0,
      key: { ...key('machine-set', machineSets, 'workers'), want: 1 },
    });
    expect(world.sent.every(({ slow }) => slow)).toBe(true);
  });

  const minute = 60_000;
  const long = Date.UTC(2026, 10, 21) - 60 * minute;
  const cluster = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' };
  const metadata = { namespace: 'default', name: 'prod', uid: 'a-uid' };
  const kept = ['schedules kept on', 'mappings kept on'];

  it.each([
    { rule: 'falls asleep when there is nothing to do', seen: long, does: ['mappings off', 'schedules off'] },
    { rule: 'resyncs everything before it falls asleep', does: [...kept, 'slow on'] },
    { rule: 'resyncs again when there was work since', seen: long - 1, does: [...kept, 'slow on'] },
    { rule: 'stays awake while there is a Cluster', isCluster: true, does: [...kept, 'slow kept off'] },
    { rule: 'stays awake while there is something to do', work: { want: 1 }, does: [...kept, 'slow kept off'] },
    { rule: 'stays awake while delayed work is pending', work: { due: long + 1e9 }, does: [...kept, 'slow kept off'] },
    {
      rule: 'falls asleep with finished work items',
      seen: long,
      work: { want: 3, done: 3 },
      does: ['mappings off', 'schedules off'],
    },
    { rule: 'stays awake shortly after the last work', last: long + 55 * minute, does: [...kept, 'slow kept off'] },
    { rule: 'leaves slow queues enabled during a resync', isCluster: true, resync: long + 55 * minute, does: kept },
    {
      rule: 'disables slow queues after a resync',
      isCluster: true,
      resync: long + 50 * minute,
      does: [...kept, 'slow kept off'],
    },
    {
      rule: 'wakes up for work that was left while asleep',
      state: 'asleep',
      work: { want: 1 },
      does: ['schedules on', 'mappings on', 'slow kept off'],
    },
    {
      rule: 'stays asleep after a deployment',
      seen: long,
      state: 'asleep',
      does: ['mappings off', 'schedules off'],
    },
  ])('$rule', async ({ isCluster, work, last = long, seen, state = 'awake', resync, does }) => {
    const { foundation } = createWorld();
    const { store, work: table } = foundation;
    if (isCluster)
      await store.commit('clusters.cluster.x-k8s.io', metadata, () => ({
        do: 'put',
        object: { ...cluster, metadata },
      }));
    if (work) await table.write({ put: { pk: `k#machine-set#${machineSets}`, sk: 'default/workers', ...work } });
    if (resync) await table.write({ put: { pk: 'awake', sk: 'resync', at: resync } });
    if (seen) await table.write({ put: { pk: 'awake', sk: 'resync', at: seen, done: seen, all: seen } });
    await table.write({ put: { pk: 'awake', sk: 'installation', state, last } });
    const switched: string[] = [];
    await sweeps(() => createSweeping(foundation, recordedSwitches(switched)))({ run: 'sweep' }, invocation);
    expect(switched).toEqual(does);
  });

  it('requeues lost work even when the switches fail, and fails afterwards', async () => {
    const world = createWorld();
    await world.foundation.workItems.request(key('machine-set', machineSets, 'workers'), { urgent: true });
    world.sent.length = 0;
    const keep = () => Promise.reject(new Error('lambda:GetEventSourceMapping is denied'));
    const sweeping = createSweeping(world.foundation, { ...recordedSwitches([]), mappings: { ...silent, keep } });
    await expect(sweeps(() => sweeping)({ run: 'sweep' }, invocation)).rejects.toThrow('denied');
    expect(world.sent.map(({ worker }) => worker)).toEqual(['core']);
  });

  it('rejects a notification of dropped changes without a time', async () => {
    const Message = JSON.stringify({ DDBStreamBatchInfo: { batchSize: 1 } });
    const refused = sweeps(() => createSweeping(createWorld().foundation, recordedSwitches([])))(
      { Records: [{ Sns: { Message } }] },
      invocation,
    );
    await expect(refused).rejects.toThrow('approximateArrivalOfLastRecord');
  });

  it('rejects an event that no schedule sends', async () => {
    const world = createWorld();
    const refused = sweeps(() => createSweeping(world.foundation, recordedSwitches([])))(
      { run: 'destroy' },
      invocation,
    );
    await expect(refused).rejects.toThrow('none that this function is for');
  });
});

describe('published documents', () => {
  it.each([
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    '/apis/clusterctl.cluster.x-k8s.io/v1alpha3/providers',
  ])('are equal for every process: %s', async (path) => {
    const options = {
      authenticate: () => ({ username: 'me', groups: [] }),
      rightsOf: () => noRestrictions,
    };
    const shownBy = async ({ clock, foundation }: World, later: number) => {
      await clock.advance(later);
      const api = serves(() => createServing(foundation, options));
      const { body } = await api({ ...proxy, path }, invocation);
      // The position of a list is its store's.
      return (JSON.parse(body) as { items: object[] }).items;
    };
    const world = createWorld();
    expect(await shownBy(world, 0)).toEqual(await shownBy(world, 90_000));
  });
});

describe('log entries', () => {
  const canary = 'canary-4711';
  const serving = (world: World) =>
    createServing(world.foundation, {
      authenticate: (request) =>
        request.headers.get('authorization') === `Bearer ${canary}` ? { username: 'me', groups: [] } : undefined,
      rightsOf: () => noRestrictions,
    });
  const request = (httpMethod: string, path: string, body?: unknown) => ({
    ...proxy,
    httpMethod,
    path,
    multiValueHeaders: { Authorization: [`Bearer ${canary}`], 'Content-Type': ['application/json'] },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', namespace: 'default' },
    stringData: { value: canary },
  };

  it('contain no Secret data and no token, whatever fails', async () => {
    const world = createWorld();
    const runtime = serving(world);
    const api = serves(() => runtime);
    const created = await api(request('POST', '/api/v1/namespaces/default/secrets', secret), invocation);
    expect(created.statusCode).toBe(201);
    world.foundation.objects.query = () => Promise.reject(Object.assign(new Error('no'), { request: secret }));
    world.foundation.objects.get = () => Promise.reject(new Error(`Bearer ${canary}`));
    const failed = await api(request('PUT', '/api/v1/namespaces/default/secrets/a', secret), invocation);
    expect(failed.statusCode).toBe(500);
    world.foundation.log.error('Something failed', { secret, token: canary, deep: { data: { value: canary } } });
    const operation = { namespace: 'default', name: 'o', uid: 'u' };
    world.foundation.work.write = () => Promise.reject(new Error('no'));
    const operate = operates(() => operatingOf(world));
    await expect(operate({ task: 'Network', token: canary, operation }, invocation)).rejects.toThrow();
    expect(world.lines.length).toBeGreaterThanOrEqual(3);
    const text = world.lines.join('\n');
    expect(text).not.toContain(canary);
    expect(text).not.toContain(Buffer.from(canary).toString('base64'));
  });

  it('name their request, object or operation', async () => {
    const world = createWorld();
    world.foundation.work.write = () => Promise.reject(new Error('no'));
    const operation = { namespace: 'default', name: 'o', uid: 'u' };
    const operate = operates(() => operatingOf(world));
    await expect(operate({ task: 'Network', token: 't', operation }, invocation)).rejects.toThrow();
    expect(JSON.parse(world.lines[0]!)).toMatchObject({
      level: 'ERROR',
      message: 'Invocation failed',
      invocation: invocation.awsRequestId,
      ClusterOperation: 'default/o',
      task: 'Network',
      error: { message: 'no' },
    });
  });
});
