import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, type Read, typedReader } from '../../../machinery/api/reconcile.ts';
import { alarmNotFound } from '../../common/autoscale/alarm-states.ts';
import { referenceTo } from '../../references.fixture.ts';
import { observe, type ScalingPlan } from './observe.ts';
import { reconcile } from './reconcile.ts';

const object = (kind: string, name: string, more: object = {}, metadata: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { namespace: 'default', name, ...metadata }, ...more }) as KubeObject;
const planWith = (states?: object, metadata: object = {}) => {
  const annotations = { ...(states && { 'capstan.dev/alarms': JSON.stringify(states) }) };
  return object('ScalingPlan', 'c', { spec: { clusterName: 'c' } }, { annotations, ...metadata }) as ScalingPlan;
};
const cluster = (kind = 'AWSCluster') =>
  object('Cluster', 'c', { spec: { infrastructureRef: referenceTo(kind, 'net') } });
const network = object('AWSCluster', 'net', { spec: { region: 'eu-central-1' } });
const sizes = { 'capstan.dev/autoscale-min': '0', 'capstan.dev/autoscale-max': '5' };
const pool = (name: string, alarms?: string, more: object = sizes) =>
  object(
    'MachineDeployment',
    name,
    {},
    {
      annotations: { ...more, ...(alarms !== undefined && { 'capstan.dev/autoscale-alarms': alarms }) },
    },
  );
const named = [cluster(), network, pool('a', 'queue min=1'), pool('b', 'queue min=2; load max=9'), pool('c')];
const answer = (states: object, composite: object = {}): Read<unknown> => {
  const list = (of: object) => Object.entries(of).map(([AlarmName, StateValue]) => ({ AlarmName, StateValue }));
  return { state: 'found', value: { MetricAlarms: list(states), CompositeAlarms: list(composite) } };
};
const refused: Read<unknown> = { state: 'unreadable', reason: 'DescribeAlarms: AccessDenied: no' };

type Given = { plan?: ScalingPlan; objects?: KubeObject[]; answers?: Read<unknown>; context?: Partial<Context> };
const decide = ({ plan = planWith(), objects = named, answers = answer({}), context = {} }: Given) => {
  const asked: unknown[] = [];
  const reader = typedReader({
    get: (kind, { name }) => {
      const value = objects.find((one) => one.kind === kind && one.metadata.name === name);
      return value ? { state: 'found', value } : { state: 'absent' };
    },
    list: (kind) => ({ state: 'found', value: objects.filter((one) => one.kind === kind) }),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'absent' }),
    ask: <T>(_: string, operation: string, input: unknown) => {
      asked.push({ operation, ...(input as object) });
      return answers as Read<T>;
    },
  });
  const all = { now: 0, config: {}, ...context } as Context;
  const { intent, events, requeueAfter } = reconcile(observe(plan, reader, all), all);
  const note = intent?.metadata?.annotations?.['capstan.dev/alarms'];
  return { asked, note: note ? JSON.parse(note) : note, events: events?.map(({ message }) => message), requeueAfter };
};

describe('the alarms that pools name', () => {
  it('are read in one call, and recorded', () => {
    const { asked, note, requeueAfter } = decide({ answers: answer({ queue: 'ALARM' }, { load: 'OK' }) });
    expect(asked).toEqual([
      {
        operation: 'DescribeAlarms',
        region: 'eu-central-1',
        input: { AlarmNames: ['load', 'queue'], AlarmTypes: ['MetricAlarm', 'CompositeAlarm'], MaxRecords: 100 },
      },
    ]);
    expect(note).toEqual({ load: 'OK', queue: 'ALARM' });
    expect(requeueAfter).toBe(300);
  });

  it('are those of the plan, too', () => {
    const pools = [{ name: 'd', min: 0, max: 5, alarms: 'planned min=1' }];
    const plan = { ...planWith(), spec: { clusterName: 'c', pools } };
    const unannotated = object('MachineDeployment', 'd', { spec: { clusterName: 'c' } });
    const objects = [...named, unannotated];
    expect(decide({ plan, objects }).note).toEqual({
      load: alarmNotFound,
      planned: alarmNotFound,
      queue: alarmNotFound,
    });
  });

  const quiet = { asked: 0, note: undefined, events: undefined, requeueAfter: undefined };
  it.each<{ rule: string; given: Given; is: object }>([
    { rule: 'are none: no call is made', given: { objects: [cluster(), network, pool('c')] }, is: quiet },
    {
      rule: 'are none any more: what is recorded of them goes',
      given: { plan: planWith({ queue: 'ALARM' }), objects: [cluster(), network, pool('c')] },
      is: { ...quiet, note: null },
    },
    {
      rule: 'count only of pools that opted in',
      given: { objects: [cluster(), network, pool('a', 'queue min=1', {})] },
      is: quiet,
    },
    {
      rule: 'are recorded once',
      given: { plan: planWith({ load: 'OK', queue: 'ALARM' }), answers: answer({ queue: 'ALARM', load: 'OK' }) },
      is: { note: undefined, requeueAfter: 300 },
    },
    {
      rule: 'may not exist, which is an Event',
      given: { answers: answer({ queue: 'OK' }) },
      is: { note: { load: 'NotFound', queue: 'OK' }, events: ['There is no alarm load'] },
    },
    {
      rule: 'may still not exist, which is no news',
      given: { plan: planWith({ load: 'NotFound', queue: 'OK' }), answers: answer({ queue: 'OK' }) },
      is: { note: undefined, events: undefined },
    },
    {
      rule: 'keep their states while they cannot be read',
      given: { plan: planWith({ queue: 'ALARM' }), answers: refused },
      is: {
        note: undefined,
        requeueAfter: 300,
        events: ['The alarms cannot be read, and count as before: DescribeAlarms: AccessDenied: no'],
      },
    },
    {
      rule: 'are read again soon after throttling',
      given: { answers: { state: 'unreadable', reason: 'DescribeAlarms: Throttling: slow' } },
      is: { note: undefined, events: undefined, requeueAfter: 15 },
    },
    {
      rule: 'are awaited while there is no infrastructure',
      given: { objects: [cluster(), pool('a', 'queue min=1')] },
      is: { ...quiet, requeueAfter: 15 },
    },
    { rule: 'are not read outside AWS', given: { objects: [cluster('Other'), pool('a', 'queue min=1')] }, is: quiet },
    {
      rule: 'are not read while the cluster is held',
      given: { context: { withheld: { reason: 'x', message: 'x' } as never } },
      is: quiet,
    },
  ])('$rule', ({ given, is }) => {
    const { asked, ...decided } = decide(given);
    expect({ ...decided, asked: asked.length }).toMatchObject(is);
  });
});
