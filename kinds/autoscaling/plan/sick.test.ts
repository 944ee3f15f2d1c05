/** Clusters of which so many nodes are not ready that the fault is not theirs. */
import { describe, expect, it } from 'vitest';
import { plan } from './index.ts';
import { inputs, machines, minute, node, now, pool, running } from './plan.fixture.ts';
import type { Node, Pod, Pool } from './types.ts';

const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);
const unreachable: Partial<Node> = {
  ready: false,
  readySince: now - 25 * minute,
  taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }],
};
const given = (
  bad: number,
  of: { all?: number; pool?: Partial<Pool>; pods?: Partial<Pod>; sick?: Partial<Node> } = {},
) => {
  const all = names(of.all ?? 20);
  return inputs(
    {
      nodes: all.map((name, at) => node(name, at < bad ? { ...unreachable, ...of.sick } : {})),
      pods: all.slice(0, bad).flatMap((name) => running(name, 3, {}, of.pods)),
      pools: [pool('p', { machines: machines(...all), max: 40, ...of.pool })],
    },
    { history: { unneededSince: Object.fromEntries(all.map((name) => [name, now - 30 * minute])) } },
  );
};
const removed = (...of: Parameters<typeof given>) => plan(given(...of)).remove.length;

describe('no node is removed', () => {
  it.each<{ rule: string; of: Parameters<typeof given> }>([
    { rule: 'while a fifth of them and more are not ready', of: [5] },
    { rule: 'while most are not ready and their pods are evicted', of: [12, { pods: { deleting: true } }] },
    { rule: 'while none is ready', of: [20] },
    { rule: 'beyond a lowered maximum', of: [12, { pool: { max: 10 } }] },
  ])('$rule', ({ of }) => {
    const decision = plan(given(...of));
    expect(decision.remove).toEqual([]);
    expect(decision.scale.filter(({ to, from }) => to < from)).toEqual([]);
    expect(decision.sick).toMatchObject({ nodes: 20 });
    expect(decision.nodes[0]).toMatchObject({
      reason: 'NotUnneededOtherReason',
      message: expect.stringMatching(/of 20 nodes are not ready: no node is removed$/),
    });
  });
});

describe('nodes are removed', () => {
  it('while a fifth is not ready', () => expect(removed(4)).toBeGreaterThan(0));
  it('while two of few are not ready', () => expect(removed(2, { all: 4 })).toBeGreaterThan(0));
  it('while nodes start', () =>
    expect(removed(8, { sick: { createdAt: now - minute, readySince: now - minute } })).toBeGreaterThan(0));
});
