import { describe, expect, it } from 'vitest';
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { type Context, type Read, typedReader } from '../../../machinery/api/reconcile.ts';
import { referenceTo } from '../../references.fixture.ts';
import { observe, type ScalingPlan } from './observe.ts';
import { reconcile } from './reconcile.ts';

const object = (kind: string, name: string, more: object = {}, metadata: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind,
    metadata: { namespace: 'default', name, uid: name, resourceVersion: '3', ...metadata },
    ...more,
  }) as KubeObject;
const ownPlan = object('ScalingPlan', 'c', { spec: { clusterName: 'c' } }) as ScalingPlan;
const cluster = (kind = 'AWSCluster') =>
  object('Cluster', 'c', { spec: { infrastructureRef: referenceTo(kind, 'net') } });
const inRegion = (region: string, ...zones: string[]) => {
  const subnets = zones.map((zone) => ({ id: zone, resourceID: `subnet-${zone}`, availabilityZone: zone }));
  return object('AWSCluster', 'net', { spec: { region, network: { subnets } } });
};
const inZones = (...zones: string[]) => inRegion('eu-central-1', ...zones);
const awsCluster = inZones('b', 'a');
const template = (name: string, spec: object, status: object = {}) =>
  object('AWSMachineTemplate', name, { spec: { template: { spec } }, status: { zones: ['b', 'a'], ...status } });
const sizes = { 'capstan.dev/autoscale-min': '0', 'capstan.dev/autoscale-max': '5' };
const pool = (of: string, annotations: object = sizes) => {
  const infrastructureRef = referenceTo('AWSMachineTemplate', of);
  return object(
    'MachineDeployment',
    `pool-${of}`,
    { spec: { template: { spec: { infrastructureRef } } } },
    { annotations },
  );
};

const unlisted: Read<unknown> = { state: 'absent' };
const asked: JsonValue[] = [];

type Given = {
  plan?: ScalingPlan;
  objects: KubeObject[];
  context?: Partial<Context>;
  answer?: Read<unknown>;
  listed?: Read<unknown>;
};
const decide = ({ plan = ownPlan, objects, context = {}, answer = unlisted, listed = unlisted }: Given) => {
  const reader = typedReader({
    get: (kind, { name }) => {
      const value = objects.find((one) => one.kind === kind && one.metadata.name === name);
      return value ? { state: 'found', value } : { state: 'absent' };
    },
    list: (kind) => ({ state: 'found', value: objects.filter((one) => one.kind === kind) }),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'absent' }),
    ask: <T>(_: string, action: string, input: JsonValue) => {
      if (action !== 'GetProducts') return answer as Read<T>;
      asked.push(input);
      return listed as Read<T>;
    },
  });
  const all = { now: 0, config: {}, ...context } as Context;
  const { actions = [], ...rest } = reconcile(observe(plan, reader, all), all);
  const written = (field: 'price' | 'zones') =>
    Object.fromEntries(
      actions.flatMap((action) => {
        if (action.do !== 'patch') throw new Error('no patch');
        const value = (action.patch.status as Record<string, unknown>)[field];
        return value === undefined ? [] : [[action.name, value]];
      }),
    );
  const zones = written('zones');
  return { prices: written('price'), ...(Object.keys(zones).length > 0 && { zones }), ...rest };
};
const large = { instanceType: 't3.large' };
const source = 'price table of 2025-05-28';
const refusal = (code: string): Read<unknown> => ({ state: 'unreadable', reason: `${code}: no` });
const bound = (why: string) => ({
  dollarsPerHour: '0.096',
  onDemand: '0.096',
  zones: null,
  source: `on-demand price, which bounds spot prices (${source}; ${why})`,
});
const day = 24 * 3600;
const products = (...prices: string[]): Read<unknown> => ({
  state: 'found',
  value: {
    PriceList: prices.map((USD) =>
      JSON.stringify({ terms: { OnDemand: { a: { priceDimensions: { b: { pricePerUnit: { USD } } } } } } }),
    ),
  },
});
const history = (prices: Record<string, string>, Timestamp = '2026-11-27T10:00:00Z') =>
  Object.entries(prices).map(([AvailabilityZone, SpotPrice]) => ({
    InstanceType: 't3.large',
    AvailabilityZone,
    SpotPrice,
    Timestamp,
  }));
const answered = (...SpotPriceHistory: object[]): Read<unknown> => ({ state: 'found', value: { SpotPriceHistory } });
const spotTemplate = (status: object = {}) => template('a', { ...large, spotMarketOptions: {} }, status);
const current = answered(...history({ b: '0.0300', a: '0.025' }));
const known = {
  dollarsPerHour: '0.03',
  zones: { a: '0.025', b: '0.03' },
  onDemand: '0.096',
  source: 'EC2 spot prices',
};

describe('the price of a template', () => {
  it('is read for a pool that only the plan declares', () => {
    const planned = { ...ownPlan, spec: { clusterName: 'c', pools: [{ name: 'pool-a', min: 0, max: 5 }] } };
    const deployment = pool('a', {});
    const unannotated = { ...deployment, spec: { ...(deployment.spec as object), clusterName: 'c' } };
    const { prices } = decide({ plan: planned, objects: [cluster(), awsCluster, unannotated, template('a', large)] });
    expect(prices).toHaveProperty('a');
  });

  it.each([
    {
      rule: 'comes from the table',
      spec: large,
      price: { dollarsPerHour: '0.096', onDemand: null, zones: null, source },
    },
    {
      rule: 'is unknown for a type that the table lacks',
      spec: { instanceType: 'm99.large' },
      price: { dollarsPerHour: null, onDemand: null, zones: null, source: `m99.large is unknown in the ${source}` },
    },
  ])('$rule', ({ spec, price }) =>
    expect(decide({ objects: [cluster(), awsCluster, pool('a'), template('a', spec)] })).toEqual({
      prices: { a: price },
      requeueAfter: day,
    }));

  it.each([
    {
      rule: 'is that of the price list',
      listed: products('0.0960000000'),
      price: { dollarsPerHour: '0.096', onDemand: null, zones: null, source: 'EC2 price list' },
    },
    {
      rule: 'is that of the table if the list has none',
      listed: products(),
      price: { dollarsPerHour: '0.096', onDemand: null, zones: null, source },
    },
    {
      rule: 'is that of the table if Capstan may not read the list, which is tried again',
      listed: refusal('AccessDeniedException'),
      price: {
        dollarsPerHour: '0.096',
        onDemand: null,
        zones: null,
        source: `${source}; GetProducts: AccessDeniedException: no`,
      },
      after: 3600,
    },
    {
      rule: 'is that of the table until the list can be read',
      listed: refusal('ThrottlingException'),
      price: {
        dollarsPerHour: '0.096',
        onDemand: null,
        zones: null,
        source: `${source}; GetProducts: ThrottlingException: no`,
      },
      after: 900,
    },
  ])('$rule', ({ listed, price, after = day }) =>
    expect(decide({ objects: [cluster(), awsCluster, pool('a'), template('a', large)], listed })).toEqual({
      prices: { a: price },
      requeueAfter: after,
    }));

  it('stays while the list does not answer, and if it did not change', () => {
    const price = { dollarsPerHour: '0.09', source: 'EC2 price list' };
    const objects = [cluster(), awsCluster, pool('a'), template('a', large, { price })];
    expect(decide({ objects, listed: refusal('ThrottlingException') })).toEqual({ prices: {}, requeueAfter: 900 });
    expect(decide({ objects, listed: products('0.09') })).toEqual({ prices: {}, requeueAfter: day });
  });

  it.each([
    { type: 'm5.large', filters: { tenancy: 'Shared' } },
    { type: 'm5.metal', filters: { tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' } },
  ])('is asked for by what $type is', ({ type, filters }) => {
    asked.length = 0;
    decide({ objects: [cluster(), awsCluster, pool('a'), template('a', { instanceType: type })] });
    const [{ input }] = asked as [{ input: { Filters: { Field: string; Value: string }[] } }];
    const given = Object.fromEntries(input.Filters.map(({ Field, Value }) => [Field, Value]));
    expect(given).toMatchObject({ regionCode: 'eu-central-1', instanceType: type, ...filters });
  });

  it('is not asked for where no price list is in dollars', () => {
    asked.length = 0;
    const gov = inRegion('us-gov-west-1', 'b', 'a');
    const { prices } = decide({ objects: [cluster(), gov, pool('a'), template('a', large)] });
    expect([prices.a, asked]).toMatchObject([{ source }, []]);
  });

  it.each([
    {
      rule: 'is of no pool that Capstan scales',
      objects: [cluster(), awsCluster, pool('a', {}), template('a', large)],
    },
    { rule: 'is of another provider', objects: [cluster('ToyCluster'), awsCluster, pool('a'), template('a', large)] },
  ])('is not written if it $rule', ({ objects }) => expect(decide({ objects })).toEqual({ prices: {} }));

  it.each([
    { rule: 'its template exists', objects: [cluster(), awsCluster, pool('a')] },
    { rule: 'the region is known', objects: [cluster(), pool('a'), template('a', large)] },
  ])('waits until $rule', ({ objects }) => expect(decide({ objects })).toEqual({ prices: {}, requeueAfter: 15 }));

  it('is not written while the cluster is held back', () =>
    expect(
      decide({
        objects: [cluster(), awsCluster, pool('a'), template('a', large)],
        context: { withheld: { releases: false, reason: 'OnHold', message: '' } },
      }),
    ).toEqual({ prices: {} }));
});

describe('the price of spot instances', () => {
  const decided = (answer: Read<unknown>, status: object = {}, net = awsCluster, speed = 1) =>
    decide({ objects: [cluster(), net, pool('a'), spotTemplate(status)], answer, context: { config: { speed } } });
  it.each([
    { rule: 'is the current one of each zone', answer: current, price: known },
    {
      rule: 'is the newest',
      answer: answered(...history({ a: '0.025', b: '0.03' }), ...history({ b: '9' }, '2026-11-26T10:00:00Z')),
      price: known,
    },
    {
      rule: 'is that of the zones of the cluster',
      answer: answered(...history({ a: '0.025', b: '0.03', c: '9' })),
      net: inZones('b', 'a'),
      price: known,
    },
    {
      rule: 'is bounded by the on-demand price where the spot market has none',
      answer: answered(),
      price: bound('EC2 has no spot price in the zones of the cluster'),
    },
    {
      rule: 'is bounded by the on-demand price if Capstan may not read it, which is tried again',
      answer: refusal('UnauthorizedOperation'),
      price: bound('DescribeSpotPriceHistory: UnauthorizedOperation: no'),
      after: 3600,
    },
  ])('$rule', ({ answer, net = awsCluster, price, after = day }) =>
    expect(decided(answer, {}, net)).toEqual({ prices: { a: price }, requeueAfter: after }));

  it('is not written again if it did not change, and read again after a day', () => {
    expect(decided(current, { price: known })).toEqual({ prices: {}, requeueAfter: day });
    expect(decided(current, { price: known }, awsCluster, 60).requeueAfter).toBe(day / 60);
  });
  it('stays while EC2 does not answer', () =>
    expect(decided(refusal('RequestLimitExceeded'), { price: known })).toEqual({ prices: {}, requeueAfter: 900 }));
  it('loses the zones that have none any more', () =>
    expect(decided(answered(...history({ b: '0.03' })), { price: known }).prices.a).toMatchObject({
      zones: { a: null, b: '0.03' },
    }));
});

describe('the zones of a template', () => {
  const decided = (spec: object, status: object, { net = awsCluster, answer }: Partial<Given> & { net?: KubeObject }) =>
    decide({
      objects: [cluster(), net, pool('a'), template('a', { ...large, ...spec }, status)],
      ...(answer && { answer }),
    });
  const subnets = (...zones: string[]): Read<unknown> => ({
    state: 'found',
    value: { Subnets: zones.map((zone) => ({ SubnetId: `subnet-${zone}`, AvailabilityZone: zone, Tags: [] })) },
  });
  const named = { subnet: { id: 'subnet-c' } };

  it.each<{ rule: string; spec?: object; status?: object; answer?: Read<unknown>; net?: KubeObject; is?: string[] }>([
    { rule: 'are those of the subnets of the cluster, in their order', status: { zones: [] }, is: ['b', 'a'] },
    { rule: 'are those of the subnet that it names', spec: named, answer: subnets('c'), is: ['c'] },
    {
      rule: 'are those of the subnets that its filters match',
      spec: { subnet: { filters: [{ name: 'tag:of', values: ['me'] }] } },
      answer: subnets('d', 'c'),
      is: ['d', 'c'],
    },
    { rule: 'change with the subnets', net: inZones('a'), is: ['a'] },
    { rule: 'are not written again if they did not change' },
    { rule: 'stay while EC2 does not answer', spec: named, answer: refusal('RequestLimitExceeded') },
    { rule: 'stay while no subnet exists', net: inZones() },
  ])('$rule', ({ spec = {}, status = {}, is, ...more }) =>
    expect(decided(spec, status, more).zones).toEqual(is && { a: is }));

  it('are read again soon while no subnet exists', () =>
    expect(decided({}, {}, { net: inZones() }).requeueAfter).toBe(15));
});
