import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, typedReader } from '../../../machinery/api/reconcile.ts';
import { observe, type ScalingPlan } from './observe.ts';
import { reconcile } from './reconcile.ts';

const object = (kind: string, name: string, more: object = {}, metadata: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind,
    metadata: { namespace: 'default', name, uid: name, resourceVersion: '3', ...metadata },
    ...more,
  }) as KubeObject;
const plan = object('ScalingPlan', 'c', { spec: { clusterName: 'c' } }) as ScalingPlan;
const cluster = (kind = 'AWSCluster') => object('Cluster', 'c', { spec: { infrastructureRef: { kind, name: 'net' } } });
const awsCluster = object('AWSCluster', 'net', { spec: { region: 'eu-central-1' } });
const template = (name: string, spec: object, status: object = {}) =>
  object('AWSMachineTemplate', name, { spec: { template: { spec } }, status });
const sizes = { 'capstan.dev/autoscale-min': '0', 'capstan.dev/autoscale-max': '5' };
const pool = (of: string, annotations: object = sizes) => {
  const infrastructureRef = { kind: 'AWSMachineTemplate', name: of };
  return object(
    'MachineDeployment',
    `pool-${of}`,
    { spec: { template: { spec: { infrastructureRef } } } },
    { annotations },
  );
};

type Given = { objects: KubeObject[]; context?: Partial<Context> };
const decide = ({ objects, context = {} }: Given) => {
  const reader = typedReader({
    get: (kind, { name }) => {
      const value = objects.find((one) => one.kind === kind && one.metadata.name === name);
      return value ? { state: 'found', value } : { state: 'absent' };
    },
    list: (kind) => ({ state: 'found', value: objects.filter((one) => one.kind === kind) }),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'absent' }),
    ask: () => ({ state: 'absent' }),
  });
  const all = { now: 0, config: {}, ...context } as Context;
  const { actions = [], ...rest } = reconcile(observe(plan, reader, all), all);
  const prices = actions.map((action) => {
    if (action.do !== 'patch') throw new Error('no patch');
    return [action.name, (action.patch.status as { price: object }).price];
  });
  return { prices: Object.fromEntries(prices), ...rest };
};
const large = { instanceType: 't3.large' };
const source = 'price table of 2025-05-28';
const spot = `on-demand price, which bounds spot prices: ${source}`;

describe('the price of a template', () => {
  it.each([
    { rule: 'comes from the table', spec: large, price: { dollarsPerHour: '0.096', zones: null, source } },
    {
      rule: 'is that of the on-demand instance for spot instances',
      spec: { ...large, spotMarketOptions: {} },
      price: { dollarsPerHour: '0.096', zones: null, source: spot },
    },
    {
      rule: 'is unknown for a type that the table lacks',
      spec: { instanceType: 'm99.large' },
      price: { dollarsPerHour: null, zones: null, source: `m99.large is unknown in the ${source}` },
    },
  ])('$rule', ({ spec, price }) =>
    expect(decide({ objects: [cluster(), awsCluster, pool('a'), template('a', spec)] })).toEqual({
      prices: { a: price },
    }));

  it.each([
    {
      rule: 'did not change',
      objects: [cluster(), awsCluster, pool('a'), template('a', large, { price: { dollarsPerHour: '0.096', source } })],
    },
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
