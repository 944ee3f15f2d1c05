/** Purchases end, and pods that a pool can run get a node, whatever becomes of other nodes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { amount, minute, now, pool, shape } from '../../kinds/autoscaling/plan/plan.fixture.ts';
import { type Given, PassingCluster, type Wanted } from '../../kinds/autoscaling/plan/purchases.fixture.ts';

const hours = 12;
const runs = 12;
const pods = 3;
const eventful = 20 * minute;

const disks = fc.constantFrom('ssd', 'hdd');
const labels = fc.option(
  disks.map((disk) => ({ disk })),
  { nil: undefined },
);

const given = (name: string) =>
  fc
    .record({
      declared: labels,
      real: fc.record({
        labels: labels.map((of) => of ?? {}),
        taint: fc.option(fc.constant('audit'), { nil: undefined, freq: 3 }),
        cpu: fc.constantFrom(1, 4, 4),
        zone: fc.constantFrom('az-a', 'az-a', 'az-b'),
        never: fc.option(fc.constantFrom('joins' as const, 'ready' as const, 'stays' as const), {
          nil: undefined,
          freq: 3,
        }),
      }),
      /** Minutes after which a user labels and unlabels all nodes, again and again. */
      flaps: fc.option(fc.integer({ min: 5, max: 120 }), { nil: undefined, freq: 2 }),
    })
    .map((one) => ({ name, ...one }));

const wanted = fc
  .array(
    fc.record({
      disk: fc.option(disks, { nil: undefined }),
      cpu: fc.constantFrom(1, 2, 3),
      zone: fc.option(fc.constant('az-a'), { nil: undefined, freq: 2 }),
      from: fc.integer({ min: 0, max: 120 }),
      /** The pods are created anew all the time, a little different. */
      renewed: fc.option(fc.integer({ min: 5, max: 40 }), { nil: undefined, freq: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((all) => all.map((one, index) => ({ name: `w${index}`, ...one })));

type Drawn<T> = T extends fc.Arbitrary<infer V> ? V : never;
type DrawnPool = Drawn<ReturnType<typeof given>>;
type DrawnPods = Drawn<typeof wanted>[number];

const poolOf = ({ name, declared, real }: DrawnPool): Given => {
  const { template } = pool(name);
  const declares = { instanceType: name, template: { ...template!, labels: { ...template!.labels, ...declared } } };
  const { taint, never, ...rest } = real;
  return { name, declared: declares, real: { ...rest, ...(taint && { taint }), ...(never && { never }) } };
};

const shapeOf = ({ disk, cpu, zone }: DrawnPods, more = 0) => {
  const nodeSelector = { ...(disk && { disk }), ...(zone && { 'topology.kubernetes.io/zone': zone }) };
  return shape({ requests: amount(cpu + more / 1000, 1), nodeSelector });
};

const wantedOf = (one: DrawnPods): Wanted[] => {
  const { name, from, renewed } = one;
  if (!renewed) return [{ name, count: pods, shape: shapeOf(one), from }];
  return Array.from({ length: (hours * 60) / renewed }, (_, at) => {
    const begin = from + at * renewed;
    return { name: `${name}-${at}`, count: 1, shape: shapeOf(one, at % 90), from: begin, to: begin + 2 * renewed };
  });
};

const run = (pools: readonly DrawnPool[], workloads: readonly DrawnPods[]) => {
  const cluster = new PassingCluster(pools.map(poolOf));
  const all = workloads.flatMap(wantedOf);
  let waiting = 0;
  while (cluster.at < now + hours * 60 * minute) {
    for (const [at, { flaps }] of pools.entries()) {
      if (!flaps) continue;
      const isLabelled = Math.floor((cluster.at - now) / (flaps * minute)) % 2 === 1;
      const { real } = poolOf(pools[at]!);
      cluster.pools[at]!.real = { ...real!, labels: isLabelled ? { disk: 'ssd' } : {} };
    }
    // Events cause decisions while nodes start.
    cluster.step = cluster.at < now + eventful ? minute / 3 : 3 * minute;
    waiting = cluster.pass(3, all);
  }
  return { cluster, waiting };
};

/** A pool that is what it declares. */
const good = disks.map(
  (disk): DrawnPool => ({
    name: 'b',
    declared: { disk },
    real: { labels: { disk }, cpu: 4, zone: 'az-a', taint: undefined, never: undefined },
    flaps: undefined,
  }),
);

/** CI repeats its runs; everywhere else they are drawn. */
const { CAPSTAN_SEED } = process.env;
const options = { numRuns: runs, ...(CAPSTAN_SEED && { seed: Number(CAPSTAN_SEED) }) };

it('ends what is bought in vain', () =>
  fc.assert(
    fc.property(fc.tuple(given('a'), given('b')), wanted, (pools, workloads) => {
      // Pools where no pod can ever run.
      const isElsewhere = ({ zone }: DrawnPool['real']) => workloads.every((one) => one.zone && one.zone !== zone);
      const vain = pools.filter(({ real }) => real.taint || real.never || isElsewhere(real));
      const { cluster } = run(pools, workloads);
      for (const { name } of vain) {
        const bought = cluster.purchases.filter((one) => one.pool === name);
        expect(bought.reduce((sum, { nodes }) => sum + nodes, 0)).toBeLessThanOrEqual(24);
        expect(bought.filter(({ at }) => at > now + (hours - 3) * 60 * minute).length).toBeLessThanOrEqual(8);
      }
    }),
    options,
  ));

it('finds the pool that runs the pods', () =>
  fc.assert(
    fc.property(given('a'), good, wanted, (other, own, workloads) => {
      const { disk } = own.declared!;
      const lasting = workloads.map((one) => ({ ...one, renewed: undefined, disk: one.disk && disk }));
      expect(run([other, own], lasting).waiting).toBe(0);
    }),
    options,
  ));
