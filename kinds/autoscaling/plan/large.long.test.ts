import { expect, it } from 'vitest';
import { type Decision, type Inputs, planInSteps } from './index.ts';
import { amount, inputs, machines, node, now, pool } from './plan.fixture.ts';
import type { Pod, PodShape, Pool } from './types.ts';

const [nodeCount, poolCount, classCount, podCount] = [1000, 50, 500, 10_000];

const shapeOf = (index: number): PodShape => ({
  labels: { app: `app-${index}` },
  requests: amount(0.1 + (index % 20) / 10, 0.2 + (index % 7) / 4),
  ...(index % 10 === 0 && { nodeSelector: { 'kubernetes.io/os': 'linux' } }),
  ...(index % 25 === 0 && {
    spread: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        labelSelector: { matchLabels: { app: `app-${index}` } },
      },
    ],
  }),
  ...(index % 50 === 1 && {
    antiAffinity: [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: `app-${index}` } } }],
  }),
});
const shapes = Array.from({ length: classCount }, (_, index) => shapeOf(index));
const podOf = (index: number, more: Partial<Pod>): Pod => ({
  namespace: 'default',
  name: `pod-${index}`,
  owner: { kind: 'ReplicaSet', name: `app-${index % classCount}` },
  shape: shapes[index % classCount]!,
  createdAt: now - 60_000,
  ...more,
});

const names = Array.from({ length: nodeCount }, (_, index) => `n${index}`);
const perPool = nodeCount / poolCount;
const zones = ['az-a', 'az-b', 'az-c'];
const poolsWith = (more: Partial<Pool>): Pool[] =>
  Array.from({ length: poolCount }, (_, index) => {
    const size = amount(4 * 2 ** (index % 4), 16 * 2 ** (index % 4), { pods: 110 });
    return pool(`p${index}`, {
      instanceType: `type-${index % 10}`,
      zones: [zones[index % 3]!],
      machines: machines(...names.slice(index * perPool, (index + 1) * perPool)),
      template: { capacity: size, allocatable: size, labels: { 'kubernetes.io/os': 'linux' } },
      ...more,
    });
  });
const runningPods = (cpu: number) =>
  Array.from({ length: 30 * nodeCount }, (_, index) =>
    podOf(index, { node: names[index % nodeCount]!, shape: { ...shapes[index % classCount]!, requests: amount(cpu) } }),
  );

/** Between its steps other work of the process runs; a busy machine stretches the time of each. */
const plannedBriefly = (given: Inputs): Decision => {
  const steps = planInSteps(given);
  for (;;) {
    const before = process.cpuUsage();
    const step = steps.next();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e3).toBeLessThan(200);
    if (step.done) return step.value;
  }
};

const cheaplyDecided = (given: Inputs): Decision => {
  const [before, memory] = [process.cpuUsage(), process.memoryUsage.rss()];
  const decision = plannedBriefly(given);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(10);
  expect(process.memoryUsage.rss() - memory).toBeLessThan(2 ** 30);
  return decision;
};

it('decides within ten seconds and a gigabyte for 10,000 pods of 500 classes, 50 pools and 1,000 nodes', () => {
  const pending = Array.from({ length: podCount }, (_, index) =>
    podOf(index, { name: `w${index}`, unschedulable: true }),
  );
  const pods = [...runningPods(0.1), ...pending];
  const decision = cheaplyDecided(inputs({ nodes: names.map((name) => node(name)), pods, pools: poolsWith({}) }));
  const left = decision.pods.reduce((sum, group) => sum + group.left, 0);
  expect(left).toBe(0);
  expect(decision.scale.length).toBeGreaterThan(0);
});

it('decides within these bounds for 500 classes that are each spread over zones and hosts', () => {
  const spread = (index: number) => ({
    spread: ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      labelSelector: { matchLabels: { app: `app-${index}` } },
    })),
  });
  const own = shapes.map(({ labels, requests }, index) => ({ labels, requests, ...spread(index) }));
  const pending = Array.from({ length: podCount }, (_, index) =>
    podOf(index, { name: `w${index}`, unschedulable: true, shape: own[index % classCount]! }),
  );
  const zoned = poolsWith({}).map((one) => {
    const labels = { ...one.template!.labels, 'topology.kubernetes.io/zone': one.zones![0]! };
    return { ...one, template: { ...one.template!, labels } };
  });
  const pods = [...runningPods(0.1), ...pending];
  const decision = cheaplyDecided(inputs({ nodes: names.map((name) => node(name)), pods, pools: zoned }));
  expect(decision.pods.reduce((sum, group) => sum + group.left, 0)).toBe(0);
});

const apart = (index: number): Partial<PodShape> => ({
  antiAffinity: [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: `app-${index}` } } }],
});
it.each<{ rule: string; more: (index: number) => Partial<PodShape>; moves: boolean }>([
  { rule: 'a move', more: () => ({}), moves: true },
  { rule: 'that no move is possible', more: apart, moves: false },
])('finds $rule within these bounds for 30,000 pods', ({ more, moves }) => {
  const pools = poolsWith({ consolidate: { saving: 0.1, payback: 3_600_000, age: 600_000, evictions: 0.01 } });
  const prices = Object.fromEntries(pools.map((_, index) => [`type-${index}/on-demand`, 0.1 * 2 ** (index % 4)]));
  const own = shapes.map((one, index) => ({ ...one, requests: amount(0.132), ...more(index) }));
  const pods = runningPods(0.132).map((pod, index) => ({ ...pod, shape: own[index % classCount]! }));
  const given = { nodes: names.map((name) => node(name)), pods, pools };
  expect(cheaplyDecided(inputs(given, { prices })).move !== undefined).toBe(moves);
});
