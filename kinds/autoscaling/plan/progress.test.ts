import { describe, expect, it } from 'vitest';
import { type Inputs, plan } from './index.ts';
import { amount, idOf, inputs, machines, minute, node, now, pending, pool } from './plan.fixture.ts';
import { type Progress, progressOf } from './progress.ts';
import type { Node, NodeTemplate, PodShape, Pool } from './types.ts';

const gpu = 'nvidia.com/gpu';
const size = amount(4, 16, { pods: 110 });
const withGpu = { ...size, [gpu]: 1 };
const declared = (more: Partial<NodeTemplate> = {}): NodeTemplate => ({
  capacity: size,
  allocatable: size,
  labels: { 'kubernetes.io/os': 'linux' },
  ...more,
});
const red = declared({ labels: { team: 'red', 'topology.kubernetes.io/region': 'r' } });
const device = declared({ capacity: withGpu, allocatable: withGpu });
const young = { createdAt: now - minute };
const poolOf = (template: NodeTemplate, more: Partial<Pool> = {}): Pool =>
  pool('a', { machines: machines('n'), template, ...more });
const taint = (key: string, effect = 'NoSchedule') => ({ key, effect });

describe('a node', () => {
  it.each<{ rule: string; is: Progress; template?: NodeTemplate; of?: Partial<Node>; more?: Partial<Pool> }>([
    { rule: 'with all that is declared', is: 'whole', template: red, of: { labels: { team: 'red' } } },
    { rule: 'without a label that follows from its place', is: 'whole', of: { ...young, labels: {} } },
    { rule: 'without a declared label', is: 'starting', template: red, of: young },
    { rule: 'without a declared device', is: 'starting', template: device, of: young },
    {
      rule: 'with a start-up taint',
      is: 'starting',
      of: { ...young, taints: [taint('node.cilium.io/agent-not-ready')] },
    },
    {
      rule: "with a start-up taint of its user's",
      is: 'starting',
      of: { ...young, taints: [taint('example.com/wait')] },
      more: { startupTaints: ['example.com/wait'] },
    },
    { rule: 'that is not ready', is: 'starting', of: { ...young, ready: false } },
    { rule: 'that never became ready', is: 'changed', of: { ready: false } },
    { rule: 'that never got a declared label', is: 'changed', template: red },
    { rule: 'that never got a declared device', is: 'changed', template: device },
    { rule: 'with another value', is: 'changed', template: red, of: { ...young, labels: { team: 'blue' } } },
    {
      rule: 'with more than is declared',
      is: 'whole',
      of: { labels: { disk: 'ssd' }, taints: [taint('maintenance')] },
    },
  ])('$rule is $is', ({ is, template = declared(), of = {}, more = {} }) =>
    expect(progressOf(node('n', of), poolOf(template, more), now)).toBe(is));
  it('that does not exist is absent', () => expect(progressOf(undefined, poolOf(red), now)).toBe('absent'));
});

const growth = (given: Inputs) => plan(given).scale.map(({ from, to }) => to - from);
const fitting: Partial<PodShape> = { requests: amount(1) };

describe('pods', () => {
  const starting = (
    template: NodeTemplate,
    shape: Partial<PodShape>,
    of: Partial<Node> = {},
    more: Partial<Pool> = {},
  ) =>
    inputs({
      pods: pending(1, { ...fitting, ...shape }),
      nodes: [node('n', { ...young, ...of })],
      pools: [poolOf(template, more)],
    });
  const onDevice = { requests: amount(1, 1, { [gpu]: 1 }) };
  it.each<{ rule: string; given: Inputs }>([
    { rule: 'a label', given: starting(red, { nodeSelector: { team: 'red' } }) },
    { rule: 'a label of its region', given: starting(red, { nodeSelector: { 'topology.kubernetes.io/region': 'r' } }) },
    {
      rule: 'the label of its zone by which a driver names it',
      given: starting(declared(), { nodeSelector: { 'topology.ebs.csi.aws.com/zone': 'az-a' } }),
    },
    {
      rule: 'the label of its zone',
      given: starting(declared(), { nodeSelector: { 'topology.kubernetes.io/zone': 'az-a' } }, { labels: {} }),
    },
    { rule: 'a device', given: starting(device, onDevice) },
    {
      rule: 'no start-up taint',
      given: starting(declared(), {}, { taints: [taint('node.cilium.io/agent-not-ready', 'NoExecute')] }),
    },
    { rule: 'its amounts', given: starting(declared(), {}, { ready: false, allocatable: {} }) },
  ])('wait for a node that starts to have $rule', ({ given }) => expect(growth(given)).toEqual([]));
  it('get another node while a taint of a user keeps them away', () =>
    expect(growth(starting(declared(), {}, { taints: [taint('maintenance')] }))).toEqual([1]));
  it('get another node once a node did not become what was declared', () =>
    expect(growth(starting(device, onDevice, { createdAt: now - 16 * minute }))).toEqual([1]));
  it('get no node for a declared taint that a starting node lacks', () =>
    expect(growth(starting(declared({ taints: [taint('dedicated')] }), {}))).toEqual([]));

  const zone = 'topology.kubernetes.io/zone';
  it.each([
    zone,
    'failure-domain.beta.kubernetes.io/zone',
    'topology.ebs.csi.aws.com/zone',
  ])('whose volume names its zone by %s get a node there', (key) => {
    const topology = [{ matchExpressions: [{ key, operator: 'In' as const, values: ['az-b'] }] }];
    const given = inputs({
      pods: pending(1, {}, { claims: ['data'] }),
      claims: { 'default/data': { topology } },
      pools: [pool('a'), pool('b', { zones: ['az-b'] })],
    });
    expect(plan(given).scale.map(({ pool: id }) => id)).toEqual([idOf('b')]);
  });
  it.each([
    { rule: 'that its nodes have', ids: ['use1-az1', 'use1-az1'], by: [1] },
    { rule: 'unless they disagree', ids: ['use1-az1', 'use1-az2'], by: [] },
  ])('that select the id of a zone get a node with the id $rule', ({ ids, by }) => {
    const nodes = ids.map((id, at) =>
      node(`n${at}`, { labels: { [zone]: 'az-a', 'topology.k8s.aws/zone-id': id }, unschedulable: true }),
    );
    const pods = pending(1, { nodeSelector: { 'topology.k8s.aws/zone-id': 'use1-az1' } });
    expect(growth(inputs({ pods, nodes, pools: [pool('a')] }))).toEqual(by);
  });
});

it.each<{ rule: string; shape: Partial<PodShape> }>([
  { rule: 'a spread', shape: { spread: [{ maxSkew: 1, topologyKey: 'constructor' }] } },
  {
    rule: 'an affinity',
    shape: { affinity: [{ topologyKey: 'constructor', labelSelector: { matchLabels: { app: 'web' } } }] },
  },
  {
    rule: 'a node affinity',
    shape: { nodeAffinity: [{ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }] },
  },
])('no node has the label that $rule names, although every object has such a property', ({ shape }) =>
  expect(growth(inputs({ pods: pending(1, shape), pools: [pool('a')] }))).toEqual([]));

describe('what nothing declares', () => {
  const reason = (of: Partial<Node>, shape: Partial<PodShape>) => {
    const given = inputs({
      pods: pending(1, { requests: amount(4, 1), ...shape }),
      nodes: [node('n', { unschedulable: true, ...of })],
      pools: [poolOf(declared())],
    });
    expect(growth(given)).toEqual([]);
    return plan(given).pods[0]!.reasons[idOf('a')];
  };
  const terms = (key: string) => [{ matchExpressions: [{ key, operator: 'Exists' as const }] }];
  it.each([
    { by: 'a selector', shape: { nodeSelector: { disk: 'ssd' } } },
    { by: 'an affinity', shape: { nodeAffinity: terms('disk') } },
  ])('is named where pods ask for it by $by', ({ shape }) =>
    expect(reason({ labels: { disk: 'ssd' } }, shape)).toBe(
      "node(s) didn't match Pod's node affinity/selector: nodes of the pool have disk=ssd, which nothing declares " +
        'for new ones: the annotation capacity.cluster-autoscaler.kubernetes.io/labels of the MachineDeployment ' +
        'declares labels',
    ));
  it('is named where pods ask for a device', () =>
    expect(
      reason(
        { allocatable: { ...size, 'example.com/fpga': 2 } },
        { requests: amount(1, 1, { 'example.com/fpga': 1 }) },
      ),
    ).toMatch(/^Insufficient example.com\/fpga: nodes of the pool have example.com\/fpga, which nothing declares/));
  it('is not named where no node has it', () =>
    expect(reason({}, { nodeSelector: { disk: 'ssd' } })).toBe("node(s) didn't match Pod's node affinity/selector"));
});
