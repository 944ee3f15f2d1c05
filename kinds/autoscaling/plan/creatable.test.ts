import { describe, expect, it } from 'vitest';
import { plan } from './index.ts';
import { amount, idOf, inputs, machines, minute, node, now, pending, pool } from './plan.fixture.ts';
import type { Inputs, Pool } from './types.ts';

const because = 'no Machine can be created: KubeadmConfigTemplate does not exist';
const broken = (more: Partial<Pool> = {}): Pool => pool('broken', { cannotCreate: because, ...more });
const growth = (given: Inputs) =>
  Object.fromEntries(plan(given).scale.map(({ pool: id, from, to }) => [id.split('/').at(-1), to - from]));

describe('a pool that cannot create Machines', () => {
  it('is not scaled up, and says why', () => {
    const { scale, pods, pools } = plan(inputs({ pods: pending(1), pools: [broken()] }));
    expect(scale).toEqual([]);
    expect(pods[0]).toMatchObject({ left: 1, reasons: { [idOf('broken')]: because } });
    expect(pools).toEqual([{ pool: idOf('broken'), blocked: because }]);
  });
  it('leaves its pods to another pool', () =>
    expect(growth(inputs({ pods: pending(1), pools: [broken(), pool('other')] }))).toEqual({ other: 1 }));
  it('has no nodes that come for replicas without a Machine', () => {
    const given = inputs({ pods: pending(1), pools: [broken({ replicas: 3 }), pool('other')] });
    expect(growth(given)).toEqual({ other: 1 });
    expect(plan(given).pods[0]).toMatchObject({ onUpcoming: 0, onNew: { [idOf('other')]: 1 } });
  });
  it('has nodes that come for its Machines', () => {
    const coming = broken({ replicas: 3, machines: [{ name: 'm', createdAt: now - minute }] });
    expect(plan(inputs({ pods: pending(1), pools: [coming] })).pods[0]).toMatchObject({ onUpcoming: 1 });
  });
  it('counts its Machines, and no replicas without one, for limits and costs', () => {
    const prices = { 'm5.xlarge/on-demand': 0.5 };
    const nodes = [node('a')];
    const pools = [broken({ replicas: 9, machines: machines('a') }), pool('other')];
    const given = inputs({ nodes, pods: pending(1, { requests: amount(4) }), pools }, { prices });
    const settings = { limits: { nodes: 2, dollarsPerHour: 1 } };
    expect(plan({ ...given, settings }).usage).toEqual({ nodes: 1, vCPU: 4, dollarsPerHour: 0.5 });
    expect(growth({ ...given, settings, snapshot: { ...given.snapshot, nodes: [] } })).toEqual({ other: 1 });
  });
  it('is not scaled up to its minimum', () => expect(growth(inputs({ pools: [broken({ min: 2 })] }))).toEqual({}));
  it('keeps a Machine that none would replace', () => {
    const expired = { name: 'm', createdAt: now - 21 * minute };
    const decide = (more: Partial<Pool>) =>
      plan(inputs({ pools: [pool('broken', { min: 1, machines: [expired], ...more })] })).replace;
    expect(decide({})).toHaveLength(1);
    expect(decide({ cannotCreate: because })).toEqual([]);
  });
  it('gives back replicas that got no Machine in time, without a backoff once the cause is gone', () => {
    const first = inputs({ pods: pending(1), pools: [broken({ replicas: 2 })] });
    const waiting = plan(first);
    expect(waiting.scale).toEqual([]);
    const later = { ...first, history: waiting.history, now: now + 16 * minute };
    const { scale, history } = plan(later);
    expect(scale).toMatchObject([{ from: 2, to: 0, reason: 'NoMachine' }]);
    const mended = inputs({ pods: pending(1), pools: [pool('broken')] }, { history, now: now + 17 * minute });
    expect(growth(mended)).toEqual({ broken: 1 });
  });
  it('uses replicas that wait once the cause is gone', () => {
    const { history } = plan(inputs({ pods: pending(1), pools: [broken({ replicas: 1 })] }));
    const mended = inputs(
      { pods: pending(1), pools: [pool('broken', { replicas: 1 })] },
      { history, now: now + minute },
    );
    expect(plan(mended).pods[0]).toMatchObject({ onUpcoming: 1 });
  });
});
