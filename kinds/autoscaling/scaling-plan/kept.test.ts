import { describe, expect, it } from 'vitest';
import type { Action, Context, Failure } from '../../../machinery/api/reconcile.ts';
import { digestOf } from '../../common/digest.ts';
import { plan as decideFrom } from '../plan/index.ts';
import { unpacked } from '../plan/packed.ts';
import { minute, now, pending } from '../plan/plan.fixture.ts';
import type { DecisionRecord } from './kept.ts';
import type { Observed } from './observe.ts';
import { object, observed } from './observed.fixture.ts';
import { reconcile } from './reconcile.ts';
import type { ScalingPlan, ScalingPlanStatus } from './schema.ts';

const context = (more: Partial<Context> = {}): Context =>
  ({ now, installation: 'one', config: {}, attempts: 0, lastFailure: undefined, ...more }) as Context;
const decide = (of: Observed, more: Partial<Context> = {}) => reconcile(of, context(more));
type Keep = { location: string; record: DecisionRecord };
const keeps = (actions: Action[] = []): Keep[] =>
  actions.flatMap((action) =>
    action.do === 'call' && action.port === 'decisions' ? [action.input as unknown as Keep] : [],
  );
const day = 24 * 60 * minute;
const entry = (place: number, age = minute) => ({
  time: new Date(now - age).toISOString(),
  inputs: `${place}`.padStart(16, 'a'),
  message: 'x',
  place,
});

describe('a decision that changes something', () => {
  const first = decide(observed({ pods: pending(9) }));
  it('is kept with its inputs, of which it follows again', () => {
    const [{ location, record } = {} as Keep] = keeps(first.actions);
    expect(location).toBe('decisions/one/uid-c/0.json.gz');
    const { inputs, decision } = JSON.parse(JSON.stringify(record)) as DecisionRecord;
    const { history: _, ...again } = decideFrom(unpacked(inputs));
    expect(again).toEqual(decision);
    expect(first.status?.decisions).toMatchObject([{ inputs: decision.inputs, message: 'workers 0 -> 3', place: 0 }]);
  });
  it('is kept last, after its own writes, and does not fail with the storage', () =>
    expect(first.actions?.at(-1)).toMatchObject({ port: 'decisions', operation: 'Keep', optional: true }));
  it('writes once what equal pods require', () =>
    expect(keeps(first.actions)[0]!.record.inputs.shapes).toHaveLength(1));
  it('is the only one that is kept', () => {
    const idle = decide(observed({ pods: pending(9), replicas: 3 }));
    expect(keeps(idle.actions)).toEqual([]);
    expect(idle.status?.decisions).toBeUndefined();
  });
  it('tells in an Event that it was not kept', () => {
    const lastFailure: Failure = { port: 'decisions', operation: 'Keep', code: 'AccessDenied', message: 'no', at: now };
    expect(decide(observed({ pods: pending(9) }), { lastFailure }).events).toMatchObject([
      { type: 'Warning', reason: 'DecisionNotKept', message: 'The decision cannot be replayed: AccessDenied: no' },
    ]);
  });

  it.each<{ rule: string; before: ScalingPlanStatus['decisions']; place: number; after: number[] }>([
    { rule: 'the next place', before: [entry(3), entry(2)], place: 4, after: [4, 3, 2] },
    { rule: 'the first place after the last', before: [entry(9)], place: 0, after: [0, 9] },
    {
      rule: 'the place of the oldest of ten',
      before: [4, 3, 2, 1, 0, 9, 8, 7, 6, 5].map((place) => entry(place)),
      place: 5,
      after: [5, 4, 3, 2, 1, 0, 9, 8, 7, 6],
    },
    { rule: 'a place without those of long ago', before: [entry(1), entry(0, 31 * day)], place: 2, after: [2, 1] },
  ])('takes $rule', ({ before, place, after }) => {
    const { actions, status } = decide(observed({ pods: pending(9), status: { decisions: before! } }));
    expect(keeps(actions)[0]!.location).toBe(`decisions/one/uid-c/${place}.json.gz`);
    expect(status?.decisions?.map((one) => one.place)).toEqual(after);
  });
});

describe('a ScalingPlan in deletion', () => {
  const deleted = (status: ScalingPlanStatus): Observed => {
    const { plan } = observed({ status });
    const metadata = { ...plan.metadata, deletionTimestamp: new Date(now).toISOString() };
    return { plan: { ...plan, metadata }, cluster: undefined, pools: undefined, machines: [] };
  };
  it('deletes all that it may have kept', () => {
    const { actions, finished } = decide(deleted({ decisions: [entry(0)] }));
    expect(finished).toBe(true);
    expect(actions).toMatchObject([{ port: 'decisions', operation: 'Delete', optional: true }]);
    const { locations } = (actions![0] as { input: unknown }).input as { locations: string[] };
    expect(locations).toHaveLength(11);
    expect(locations.at(-1)).toBe('decisions/one/uid-c/present.json.gz');
    expect(locations[0]).toBe('decisions/one/uid-c/0.json.gz');
  });
  it('asks no storage if nothing was kept', () => expect(decide(deleted({}))).toEqual({ actions: [], finished: true }));
});

describe('a download', () => {
  const asking = (request: string, more: Partial<Observed> = {}): Observed => {
    const of = observed({ status: { decisions: [entry(3)] } });
    const metadata = { ...of.plan.metadata, annotations: { 'capstan.dev/download': request } };
    return { ...of, plan: { ...of.plan, metadata } as ScalingPlan, ...more };
  };
  const request = `2026-11-27T12:00:00Z ${entry(3).inputs}`;
  const link = { state: 'found', value: { url: 'https://link' } } as const;

  it.each<{ rule: string; more: Partial<Observed> }>([
    { rule: 'of an autoscaled cluster', more: {} },
    { rule: 'while the cluster does not answer', more: { unreadable: 'no route', workload: undefined as never } },
    { rule: 'without any pool', more: { pools: [] } },
  ])('is a Secret with a link: $rule', ({ more }) => {
    const offer = { secret: { state: 'absent' }, link } as const;
    const { actions, status } = decide(asking(request, { ...more, offer }));
    expect(actions).toMatchObject([
      { do: 'create', object: { kind: 'Secret', metadata: { name: 'c-decision-download' } } },
    ]);
    expect(status?.download).toMatchObject({ request });
    expect(status?.conditions?.length).toBeGreaterThan(0);
  });
  describe('of the present inputs', () => {
    const now = '2026-11-27T12:00:00Z present';
    const offer = { secret: { state: 'absent' }, link } as const;
    it('stores them first, and tells their hash', () => {
      const { actions, status } = decide(asking(now, { offer }));
      const [{ location, record } = {} as Keep] = keeps(actions);
      expect(location).toBe('decisions/one/uid-c/present.json.gz');
      expect(actions).toMatchObject([
        { operation: 'Keep', optional: true },
        { do: 'create', object: { kind: 'Secret' } },
      ]);
      const { data } = (actions![1] as unknown as { object: { data: Record<string, string> } }).object;
      const inputs = unpacked((JSON.parse(JSON.stringify(record)) as DecisionRecord).inputs);
      expect(Buffer.from(data.inputs!, 'base64').toString()).toBe(digestOf(inputs as never));
      expect(status?.download).toMatchObject({ request: now });
    });
    it.each<{ rule: string; more: Partial<Observed>; says: string }>([
      {
        rule: 'the cluster does not answer',
        more: { unreadable: 'no route' },
        says: 'The cluster cannot be read: no route',
      },
      { rule: 'there is no pool', more: { pools: [] }, says: 'No pool opted in' },
      { rule: 'the Cluster is gone', more: { cluster: undefined }, says: 'The Cluster does not exist' },
    ])('is refused while $rule', ({ more, says }) => {
      const { actions, status } = decide(asking(now, { offer, ...more }));
      expect(keeps(actions)).toEqual([]);
      expect(status?.download).toEqual({ request: now, message: says });
    });
    it('is answered once', () => {
      const { status } = decide(asking(now, { offer }));
      const { plan } = asking(now);
      expect(keeps(decide(asking(now, { plan: { ...plan, status: status! } })).actions)).toEqual([]);
    });
  });
  it('of an unknown decision is answered once', () => {
    const { status } = decide(asking('now 0000'));
    expect(status?.download).toEqual({ request: 'now 0000', message: 'No stored decision has this hash' });
    const { plan } = asking('now 0000');
    expect(decide(asking('now 0000', { plan: { ...plan, status: status! } })).status).toEqual(status);
  });
  it('leaves a Secret of a user alone', () => {
    const offer = {
      secret: { state: 'found', value: object('Secret', 'c-decision-download') as never },
      link,
    } as const;
    const { actions, status } = decide(asking(request, { offer }));
    expect(actions).toBeUndefined();
    expect(status?.download?.message).toBe('Secret c-decision-download is not of ScalingPlan c');
  });
});
