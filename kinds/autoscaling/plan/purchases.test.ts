/** What was bought for pods and does not take them is not bought again and again. */
import { describe, expect, it } from 'vitest';
import { amount, idOf, minute, now, pool, shape } from './plan.fixture.ts';
import { type Given, PassingCluster, type Wanted } from './purchases.fixture.ts';
import type { PodShape } from './types.ts';

const template = pool('a').template!;
const declared = (more: object) => ({ template: { ...template, ...more } });
const labelled = declared({ labels: { ...template.labels, disk: 'ssd' } });
const onDisk = (count = 4): Wanted => ({ name: 'web', count, shape: shape({ nodeSelector: { disk: 'ssd' } }) });
const large = declared({ allocatable: amount(16, 16, { pods: 110 }), capacity: amount(16, 16, { pods: 110 }) });
const day = 24 * 60;

const run = (minutes: number, pools: Given[], wanted: Wanted[]) => {
  const cluster = new PassingCluster(pools);
  const waiting = cluster.pass(minutes, wanted);
  return { cluster, waiting };
};

describe('purchases', () => {
  it.each<{ rule: string; given: Given; wanted: Wanted; reason: RegExp }>([
    {
      rule: 'a declared label that nodes never get',
      given: { name: 'a', declared: labelled },
      wanted: onDisk(),
      reason: /didn't match Pod's node affinity\/selector: it lacks the declared label disk=ssd/,
    },
    {
      rule: 'a taint that an agent adds',
      given: { name: 'a', real: { taint: 'audit' } },
      wanted: { name: 'web', count: 4, shape: shape() },
      reason: /untolerated taint \{audit: \}: nothing declares its taint audit/,
    },
    {
      rule: 'an amount that nodes do not have',
      given: { name: 'a', declared: large },
      wanted: { name: 'web', count: 2, shape: shape({ requests: amount(8, 1) }) },
      reason: /Insufficient cpu: it has less cpu than is declared/,
    },
    {
      rule: 'nodes that never become ready',
      given: { name: 'a', real: { never: 'ready' } },
      wanted: { name: 'web', count: 4, shape: shape() },
      reason: /were not ready/,
    },
    {
      rule: 'Machines that never become nodes',
      given: { name: 'a', real: { never: 'joins' } },
      wanted: { name: 'web', count: 4, shape: shape() },
      reason: /is lost \(its Machines failed before such a pod ran there\)|in backoff after failed scale-up/,
    },
  ])('end for $rule, with the reason', ({ given, wanted, reason }) => {
    const { cluster, waiting } = run(day, [given], [wanted]);
    expect(waiting).toBe(wanted.count);
    expect(cluster.purchases.length).toBeLessThanOrEqual(7);
    const gaps = cluster.purchases.slice(1).map(({ at }, index) => at - cluster.purchases[index]!.at);
    expect(gaps).toEqual(gaps.toSorted((a, b) => a - b));
    expect(cluster.reasons().join()).toMatch(reason);
    expect(
      cluster.purchases.slice(1).every(({ nodes }) => nodes === 1),
      'one node finds out',
    ).toBe(true);
  });

  it.each<{ rule: string; given: Given; wanted?: Partial<PodShape>; reason: RegExp }>([
    {
      rule: 'has a taint that nothing declares',
      given: { name: 'a', declared: labelled, real: { taint: 'audit' } },
      reason: /untolerated taint \{audit: \}: nothing declares its taint audit/,
    },
    {
      rule: 'has less than is declared',
      given: { name: 'a', declared: labelled, real: { cpu: 0.5 } },
      reason: /Insufficient cpu: it has less cpu than is declared/,
    },
    {
      rule: 'stands in another zone',
      given: { name: 'a', declared: { ...labelled, zones: ['az-a', 'az-b'] }, real: { zone: 'az-b' } },
      wanted: { nodeSelector: { 'topology.kubernetes.io/zone': 'az-a' } },
      reason: /didn't match Pod's node affinity\/selector/,
    },
  ])('end while a node that $rule is starting', ({ given, wanted, reason }) => {
    const cluster = new PassingCluster([given]);
    cluster.step = 10_000;
    cluster.pass(14, [{ name: 'web', count: 4, shape: shape(wanted) }]);
    expect(cluster.bought()).toBe(1);
    expect(cluster.reasons().join()).toMatch(reason);
  });

  it('wait for Machines that go to the first zone that has capacity', () => {
    const cluster = new PassingCluster([{ name: 'a', declared: { zones: ['az-a', 'az-b'] }, real: { zone: 'az-b' } }]);
    cluster.step = 10_000;
    cluster.history = { offerings: { 'm5.xlarge/az-a/on-demand': { failures: 4, at: now } } };
    const zonal = shape({ nodeSelector: { 'topology.kubernetes.io/zone': 'az-b' } });
    expect(cluster.pass(4, [{ name: 'web', count: 4, shape: zonal }])).toBe(0);
    expect(cluster.bought()).toBe(1);
  });

  it('end where each pod has another shape', () => {
    const wanted = Array.from({ length: day / 10 }, (_, index) => {
      const requests = amount(1 + index / 1000, 1);
      const of = shape({ nodeSelector: { disk: 'ssd' }, requests });
      return { name: `job-${index}`, count: 1, shape: of, from: index * 10, to: index * 10 + 20 };
    });
    const { cluster } = run(day, [{ name: 'a', declared: labelled }], wanted);
    expect(cluster.bought()).toBeLessThanOrEqual(16);
  });

  it('go on in another pool', () => {
    const pools = [
      { name: 'a', declared: { ...labelled, max: 4 } },
      { name: 'b', declared: { ...labelled, instanceType: 'm5.large' }, real: { labels: { disk: 'ssd' } } },
    ];
    const { cluster, waiting } = run(60, pools, [onDisk(20)]);
    expect(waiting).toBe(0);
    expect(cluster.purchases.filter((one) => one.pool === 'a').length).toBeLessThanOrEqual(1);
  });

  it('begin again when the pool declares something else', () => {
    const cluster = new PassingCluster([{ name: 'a', declared: { ...labelled, declaration: '1' } }]);
    cluster.pass(30, [onDisk()]);
    const [own] = cluster.pools;
    const before = cluster.purchases.length;
    own!.declared = { ...labelled, declaration: '2' };
    own!.real = { labels: { disk: 'ssd' } };
    own!.machines = [];
    own!.replicas = 0;
    expect(cluster.pass(5, [onDisk()])).toBe(0);
    expect(cluster.purchases.length).toBe(before + 1);
  });

  it('begin again, for all pods, when a node of the pool takes such a pod', () => {
    const cluster = new PassingCluster([{ name: 'a', declared: labelled }]);
    cluster.pass(25, [onDisk(12)]);
    cluster.pools[0]!.real = { labels: { disk: 'ssd' } };
    expect(cluster.pass(10, [onDisk(12)])).toBe(0);
  });

  it('do not end where others take the room', () => {
    const { waiting, cluster } = run(
      30,
      [{ name: 'a' }],
      [
        { name: 'web', count: 8, shape: shape({ requests: amount(2) }) },
        { name: 'late', count: 6, shape: shape({ requests: amount(2.5) }), from: 3 },
      ],
    );
    expect([waiting, cluster.bought()]).toEqual([0, 10]);
  });

  it('go on at once after the first node that was lost once it had joined', () => {
    const cluster = new PassingCluster([{ name: 'a', real: { never: 'stays' } }]);
    const wanted = { name: 'web', count: 4, shape: shape({ nodeSelector: { disk: 'ssd' } }) };
    cluster.pools[0]!.declared = labelled;
    const purchase = () => Object.values(cluster.history.pools![idOf('a')]!.purchases!)[0]!;
    cluster.pass(5, [wanted]);
    expect([purchase(), cluster.pools[0]!.replicas]).toMatchObject([{ at: now + 3 * minute, failures: 1 }, 1]);
    cluster.pass(3, [wanted]);
    expect([purchase(), cluster.pools[0]!.replicas]).toMatchObject([{ failures: 2, outcome: 'Lost' }, 0]);
    cluster.pass(day, [wanted]);
    expect(cluster.bought()).toBeLessThanOrEqual(8);
  });

  it('have an outcome', () => {
    const ran = run(10, [{ name: 'a' }], [{ name: 'web', count: 8, shape: shape() }]).cluster.history;
    expect(Object.values(ran.pools![idOf('a')]!.purchases!)).toEqual([
      {
        namespace: 'default',
        owner: 'ReplicaSet/web',
        at: now,
        nodes: 2,
        outcome: 'Ran',
        since: now + 2 * minute,
        failures: 0,
      },
    ]);
  });
});
