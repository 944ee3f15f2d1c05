/** Keys that every object inherits are keys like any other. */
import { describe, expect, it } from 'vitest';
import { plan } from './index.ts';
import { inputs, machines, minute, node, now, pending, pool, running } from './plan.fixture.ts';
import { amounts } from './requests.ts';
import type { Inputs, PodShape, Pool } from './types.ts';

const keys = ['constructor', 'toString', 'hasOwnProperty', '__proto__'];
const labelled = (key: string): Record<string, string> => Object.fromEntries([[key, 'x']]);
const boughtBy = (given: Inputs) => plan(given).scale.map(({ to }) => to);
const withPods = (more: Partial<PodShape>, of: Partial<Pool> = {}) =>
  inputs({ pods: pending(1, more), pools: [pool('a', of)] });
const labels = { app: 'web' };

describe.each(keys)('the key %s', (key) => {
  it.each<{ rule: string; shape: Partial<PodShape>; buys: number[] }>([
    { rule: 'a node selector', shape: { nodeSelector: labelled(key) }, buys: [] },
    {
      rule: 'a required label',
      shape: { nodeAffinity: [{ matchExpressions: [{ key, operator: 'Exists' }] }] },
      buys: [],
    },
    {
      rule: 'a label that must be absent',
      shape: { nodeAffinity: [{ matchExpressions: [{ key, operator: 'DoesNotExist' }] }] },
      buys: [1],
    },
    {
      rule: 'a spread',
      shape: { spread: [{ maxSkew: 1, topologyKey: key, labelSelector: { matchLabels: labels } }] },
      buys: [],
    },
    {
      rule: 'a label that a spread compares',
      shape: {
        spread: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            labelSelector: { matchLabels: labels },
            matchLabelKeys: [key],
          },
        ],
      },
      buys: [1],
    },
    {
      rule: 'an affinity',
      shape: { affinity: [{ topologyKey: key, labelSelector: { matchLabels: labels } }] },
      buys: [],
    },
    {
      rule: 'an anti-affinity',
      shape: { antiAffinity: [{ topologyKey: key, labelSelector: { matchLabels: labels } }] },
      buys: [1],
    },
    { rule: 'a resource', shape: { requests: amounts({ cpu: 1, ...Object.fromEntries([[key, '1']]) }) }, buys: [] },
  ])('of $rule means what it says', ({ shape, buys }) => expect(boughtBy(withPods(shape))).toEqual(buys));

  it('of a declared label is one that nodes may lack', () => {
    const template = pool('a').template!;
    const declared = { ...template, labels: { ...template.labels, ...labelled(key) } };
    const shape = { nodeSelector: labelled(key) };
    const own = inputs({
      nodes: [node('n', { createdAt: now - minute })],
      pods: pending(1, shape),
      pools: [pool('a', { template: declared, machines: machines('n') })],
    });
    expect(boughtBy(withPods(shape, { template: declared })), 'from zero').toEqual([1]);
    expect(boughtBy(own), 'while a node without it starts').toEqual([]);
  });

  it('of a node is a name', () => {
    const of = pool('a', { min: 0, machines: machines(key) });
    const given = inputs({ nodes: [node(key)], pools: [of] }, { history: { unneededSince: {} } });
    expect(plan(given).history.unneededSince).toEqual(Object.fromEntries([[key, now]]));
  });

  it('of a namespace is a name', () => {
    const antiAffinity = [{ topologyKey: 'kubernetes.io/hostname', namespaceSelector: { matchLabels: labels } }];
    const given = inputs({
      nodes: [node('n')],
      pods: [...running('n', 1, {}, { namespace: key }), ...pending(1, { antiAffinity })],
      pools: [pool('a', { machines: machines('n') })],
    });
    expect(plan(given).pods[0]?.onExisting).toBe(1);
  });
});
