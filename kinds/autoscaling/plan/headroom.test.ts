import { describe, expect, it } from 'vitest';
import { type Inputs, plan } from './index.ts';
import { amount, idOf, inputs, machines, minute, node, now, pending, pool, running } from './plan.fixture.ts';
import type { Pool } from './types.ts';

const headroom = (pods: number, cpu = 1) => ({ pods, requests: amount(cpu) });
const pools = (more: Partial<Pool> = {}, ...others: Pool[]) => [
  pool('a', { headroom: headroom(4), ...more }),
  ...others,
];
const growth = (given: Inputs) =>
  Object.fromEntries(plan(given).scale.map(({ pool: id, from, to }) => [id.split('/')[2], to - from]));
const one = { nodes: [node('n')] };
const other = pool('b', { instanceType: 'other', machines: machines('m') });
const taints = [{ key: 'team', value: 'x', effect: 'NoSchedule' }];

describe('headroom', () => {
  it.each<{ rule: string; given: Inputs; by: object }>([
    { rule: 'of an empty pool is a node', given: inputs({ pools: pools() }), by: { a: 1 } },
    {
      rule: 'is free on nodes that exist',
      given: inputs({ ...one, pools: pools({ machines: machines('n') }) }),
      by: {},
    },
    {
      rule: 'is bought again when pods use it',
      given: inputs({ ...one, pods: pending(1), pools: pools({ machines: machines('n') }) }),
      by: { a: 1 },
    },
    {
      rule: 'gives way to pods that wait',
      given: inputs({ ...one, pods: pending(8), pools: pools({ machines: machines('n'), max: 2 }) }),
      by: { a: 1 },
    },
    {
      rule: 'is that of its own pool',
      given: inputs({ nodes: [node('m')], pools: pools({}, other) }),
      by: { a: 1 },
    },
    {
      rule: 'counts on upcoming nodes',
      given: inputs({ pools: pools({ replicas: 1, machines: [{ name: 'x', createdAt: now - minute }] }) }),
      by: {},
    },
    {
      rule: 'is kept on nodes that only some pods tolerate',
      given: inputs({
        nodes: [node('n', { taints })],
        pools: pools({
          machines: machines('n'),
          template: {
            capacity: amount(4, 16, { pods: 110 }),
            allocatable: amount(4, 16, { pods: 110 }),
            labels: {},
            taints,
          },
        }),
      }),
      by: {},
    },
    { rule: 'of a pool that is held changes nothing', given: inputs({ pools: pools({ held: 'paused' }) }), by: {} },
    { rule: 'stays within the maximum', given: inputs({ pools: pools({ max: 0 }) }), by: {} },
  ])('$rule', ({ given, by }) => expect(growth(given)).toEqual(by));

  it('is no pending pod', () => expect(plan(inputs({ pools: pools() })).pods).toEqual([]));
  it('is reported with what it lacks, and why', () => {
    expect(plan(inputs({ pools: pools() })).headroom).toEqual([{ pool: idOf('a'), pods: 4, left: 0 }]);
    expect(plan(inputs({ pools: pools({ max: 0 }) })).headroom).toEqual([
      { pool: idOf('a'), pods: 4, left: 4, reason: 'max node group size reached' },
    ]);
    const huge = pools({ headroom: headroom(2, 64) });
    expect(plan(inputs({ pools: huge })).headroom).toMatchObject([
      { left: 2, reason: 'Insufficient cpu, Insufficient memory' },
    ]);
  });
  it('names the limit that forbids it', () =>
    expect(plan(inputs({ pools: pools() }, { settings: { limits: { nodes: 0 } } })).limits).toMatchObject([
      { limit: 'nodes', value: 0 },
    ]));
});

describe('a node that is not used', () => {
  const nodes = [node('n'), node('m')];
  const history = { unneededSince: { n: now - 11 * minute, m: now - 11 * minute } };
  const removed = (more: Partial<Pool>, pods = running('n', 1)) =>
    plan(inputs({ nodes, pods, pools: [pool('a', { machines: machines('n', 'm'), ...more })] }, { history }));
  it('stays while the headroom needs it', () => {
    const { remove, nodes: states } = removed({ headroom: headroom(4) });
    expect(remove).toEqual([]);
    expect(states).toContainEqual({
      node: 'm',
      pool: idOf('a'),
      reason: 'NotUnneededOtherReason',
      message: 'it keeps the headroom of the pool free',
    });
  });
  it('goes if used nodes have the headroom', () =>
    expect(removed({ headroom: headroom(3) }).remove).toMatchObject([{ node: 'm', reason: 'Empty' }]));
  it('goes without headroom', () => expect(removed({}).remove).toMatchObject([{ node: 'm' }]));
});
