/** Machines in deletion and the pods that wait for their replicas. */
import { describe, expect, it } from 'vitest';
import { plan } from './index.ts';
import { idOf, inputs, machines, node, pending, pool, running } from './plan.fixture.ts';
import type { Machine, Pool } from './types.ts';

const names = ['a', 'b', 'c', 'd'];
/** Four nodes with four pods each, of which two drain. */
const given = (of: Partial<Pool>, waiting: number, more: Partial<Machine> = {}, settings = {}) => {
  const draining = machines('c', 'd').map((one) => ({ ...one, deleting: true, draining: true, ...more }));
  return inputs(
    {
      nodes: names.map((name) => node(name)),
      pods: [...['a', 'b'].flatMap((name) => running(name, 4)), ...pending(waiting)],
      pools: [pool('p', { machines: [...machines('a', 'b'), ...draining], ...of })],
    },
    { settings },
  );
};
const beside = (...of: Parameters<typeof given>) => plan(given(...of)).beside.map(({ machine }) => machine);

describe('Machines that drain', () => {
  it.each<{ rule: string; of: Parameters<typeof given>; names: string[] }>([
    { rule: 'count as replicas while no pod waits', of: [{ replicas: 4 }, 0], names: [] },
    {
      rule: 'count no more where pods wait for their replicas',
      of: [{ replicas: 4 }, 8],
      names: ['machine-c', 'machine-d'],
    },
    { rule: 'are as many as pods need', of: [{ replicas: 4 }, 3], names: ['machine-c'] },
    {
      rule: 'do not hold back what is bought',
      of: [{ replicas: 2 }, 4],
      names: ['machine-c', 'machine-d'],
    },
    { rule: 'count where Machines can be created beside them', of: [{ replicas: 6 }, 8], names: [] },
    { rule: 'count until they are gone once their hosts go', of: [{ replicas: 4 }, 8, { draining: false }], names: [] },
    { rule: 'are not replaced twice', of: [{ replicas: 4 }, 8, { replaced: true }], names: [] },
    { rule: 'count in a paused pool', of: [{ replicas: 4, held: 'paused' }, 8], names: [] },
  ])('$rule', ({ of, names: expected }) => expect(beside(...of)).toEqual(expected));

  it('count while a limit of the cluster forbids nodes beside them, which is the reason', () => {
    const decision = plan(given({ replicas: 4 }, 8, {}, { limits: { nodes: 4 } }));
    expect(decision.beside).toEqual([]);
    expect(decision.pools).toEqual([
      {
        pool: idOf('p'),
        blocked: '2 draining Machines count until they are gone: max total nodes in cluster reached',
      },
    ]);
    expect(decision.limits).toMatchObject([{ limit: 'nodes', value: 4 }]);
  });
  it('count as nodes of the cluster when they are replaced', () =>
    expect(plan(given({ replicas: 4 }, 8, { replaced: true }, { limits: { nodes: 5 } })).usage?.nodes).toBe(6));
});
