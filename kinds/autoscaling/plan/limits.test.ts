/** Limits and quotas of Machines, and replicas that get no Machine. */
import { describe, expect, it } from 'vitest';
import { type Inputs, plan } from './index.ts';
import { amount, idOf, inputs, machines, minute, node, now, pending, pool } from './plan.fixture.ts';
import type { Pool, Quota } from './types.ts';

const quota = (limit: Quota['limit'], most: number, used: number): Quota => ({
  limit,
  most,
  used,
  source: `exceeded quota: ${limit}`,
});
const growth = (given: Inputs) =>
  Object.fromEntries(plan(given).scale.map(({ pool: id, from, to }) => [id.split('/')[2], to - from]));
const size = amount(1, 4, { pods: 110 });
const small = { capacity: size, allocatable: size, labels: {} };

describe('a shared limit', () => {
  it.each<{ rule: string; quotas: Quota[]; pools?: Pool[]; by: object }>([
    { rule: 'of Machines allows what is left of it', quotas: [quota('machines', 7, 5)], by: { a: 2 } },
    { rule: 'of Machines allows nothing when it is used up', quotas: [quota('machines', 5, 7)], by: {} },
    { rule: 'of vCPU counts the other clusters and this one', quotas: [quota('vCPU', 20, 12)], by: { a: 2 } },
    {
      rule: 'of vCPU leaves room for smaller machines',
      quotas: [quota('vCPU', 13, 10)],
      pools: [pool('a'), pool('small', { template: small, instanceType: 'small' })],
      by: { small: 3 },
    },
    { rule: 'counts with the smallest', quotas: [quota('vCPU', 100, 0), quota('machines', 6, 5)], by: { a: 1 } },
  ])('$rule', ({ quotas, pools = [pool('a')], by }) =>
    expect(growth(inputs({ pods: pending(12, { requests: amount(1) }), pools }, { quotas }))).toEqual(by));

  it('is the reason on pods and pools that it stops', () => {
    const decision = plan(inputs({ pods: pending(12), pools: [pool('a')] }, { quotas: [quota('machines', 6, 5)] }));
    expect(decision.pods[0]).toMatchObject({ left: 8, reasons: { [idOf('a')]: 'exceeded quota: machines' } });
    expect(decision.limits).toEqual([{ limit: 'machines', value: 6, message: 'exceeded quota: machines' }]);
  });
});

describe('a limit of dollars an hour', () => {
  const prices = { 'm5.xlarge/on-demand': 0.2, 'big/on-demand': 0.5, 'big/spot': 0.15, 'big/spot/az-b': 0.1 };
  const unknown = 'the price is unknown, and a limit of the cost per hour applies';
  it.each<{ rule: string; most?: number; quotas?: Quota[]; pools: Pool[]; by: object; limits?: string[] }>([
    {
      rule: 'allows what it pays for, with the pools that exist',
      most: 1,
      pools: [pool('a', { replicas: 3, machines: machines('x', 'y', 'z') })],
      by: { a: 2 },
      limits: ['max cluster cost per hour reached'],
    },
    {
      rule: 'leaves room for a cheaper pool',
      most: 0.4,
      pools: [pool('a', { instanceType: 'big' }), pool('b')],
      by: { b: 2 },
      limits: ['max cluster cost per hour reached'],
    },
    {
      rule: 'counts spot prices, of the zone if it is known',
      most: 0.3,
      pools: [pool('a', { instanceType: 'big', market: 'spot', zones: ['az-b'] })],
      by: { a: 3 },
    },
    {
      rule: 'counts on-demand prices where a spot pool may buy on demand',
      most: 1,
      pools: [pool('a', { instanceType: 'big', market: 'spot', fallback: true })],
      by: { a: 2 },
      limits: ['max cluster cost per hour reached'],
    },
    {
      rule: 'that clusters share counts the others',
      quotas: [quota('dollarsPerHour', 3, 2.6)],
      pools: [pool('a')],
      by: { a: 2 },
      limits: ['exceeded quota: dollarsPerHour'],
    },
    {
      rule: 'stops pools of unknown price, and says why',
      most: 100,
      pools: [pool('a', { instanceType: 'new' })],
      by: {},
      limits: [unknown],
    },
    { rule: 'of another cluster does not matter', pools: [pool('a', { instanceType: 'new' })], by: { a: 3 } },
  ])('$rule', ({ most, quotas = [], pools, by, limits = [] }) => {
    const settings = { ...(most !== undefined && { limits: { dollarsPerHour: most } }) };
    const given = inputs({ pods: pending(12), pools }, { quotas, prices, settings });
    expect(growth(given)).toEqual(by);
    expect(plan(given).limits.map(({ message }) => message)).toEqual(limits);
  });

  it('shows what the pools cost after the decision', () => {
    const given = inputs({ pods: pending(8), pools: [pool('a'), pool('b', { instanceType: 'new' })] }, { prices });
    expect(plan(given).usage?.dollarsPerHour).toBeCloseTo(0.4);
  });
});

describe('the minimum of a pool', () => {
  it('is reached only as far as limits allow, and they are named', () => {
    const decision = plan(inputs({ pools: [pool('a', { min: 5 })] }, { settings: { limits: { nodes: 3 } } }));
    expect(decision.scale).toMatchObject([{ to: 3, reason: 'MinSize' }]);
    expect(decision.limits).toMatchObject([{ limit: 'nodes', value: 3 }]);
  });
});

describe('replicas without a Machine', () => {
  const lacking = (replicas: number, more: Partial<Pool> = {}) => pool('a', { replicas, ...more });
  it('are upcoming nodes while the quota allows them', () => {
    const given = inputs({ pods: pending(8), pools: [lacking(2)] }, { quotas: [quota('machines', 7, 5)] });
    expect(plan(given)).toMatchObject({ scale: [], pods: [{ onUpcoming: 8 }] });
  });
  it('are given back when the quota forbids them, and their pods are refused', () => {
    const given = inputs({ pods: pending(8), pools: [lacking(2)] }, { quotas: [quota('machines', 6, 5)] });
    expect(plan(given)).toMatchObject({
      scale: [{ from: 2, to: 1, reason: 'NoMachine' }],
      pods: [{ onUpcoming: 4, left: 4 }],
      limits: [{ limit: 'machines' }],
    });
  });
  it('are given back when no Machine came in time, and the pods go to another pool', () => {
    const pools = [lacking(2), pool('b', { instanceType: 'other' })];
    const history = (at: number) => ({ pools: { [idOf('a')]: { missing: { since: at, count: 2 } } } });
    const given = (at: number) => inputs({ pods: pending(8), pools }, { history: history(at) });
    expect(growth(given(now - 14 * minute))).toEqual({});
    expect(plan(given(now - 14 * minute)).nextDue).toBe(now + minute);
    expect(growth(given(now - 15 * minute))).toEqual({ a: -2, b: 2 });
    expect(plan(given(now - 15 * minute)).pools[0]).toMatchObject({ blocked: 'in backoff after failed scale-up' });
  });
  it('wait again when some of them got a Machine', () => {
    const some = lacking(3, { machines: machines('n') });
    const history = { pools: { [idOf('a')]: { missing: { since: now - 15 * minute, count: 3 } } } };
    const decision = plan(inputs({ nodes: [node('n')], pools: [some] }, { history }));
    expect(decision.scale).toEqual([]);
    expect(decision.history.pools?.[idOf('a')]?.missing).toEqual({ since: now, count: 2 });
  });
  it.each<{ rule: string; more: Partial<Pool> }>([
    { rule: 'in a rollout', more: { rollingOut: true } },
    { rule: 'while the pool is held', more: { held: 'paused' } },
  ])('are left alone $rule', ({ more }) =>
    expect(growth(inputs({ pools: [lacking(2, more)] }, { quotas: [quota('machines', 1, 5)] }))).toEqual({}));
  it('are no lost launches once they are given back', () => {
    const quotas = [quota('machines', 5, 5)];
    const history = { pools: { [idOf('a')]: { launches: [{ at: now - minute, count: 6 }] } } };
    const first = plan(inputs({ pods: pending(24), pools: [lacking(6)] }, { quotas, history }));
    expect(first.scale).toMatchObject([{ to: 0 }]);
    const next = inputs({ pods: pending(4), pools: [lacking(0)] }, { history: first.history, now: now + minute });
    expect(growth(next)).toEqual({ a: 1 });
  });
});
