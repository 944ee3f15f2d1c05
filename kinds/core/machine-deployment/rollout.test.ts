import { describe, expect, it } from 'vitest';
import type { MachineSet } from '../machine-set/schema.ts';
import { type Counted, counted, limitsOf, planOnDelete, planPaused, planRollingUpdate } from './rollout.ts';
import type { MachineDeployment } from './schema.ts';

const set = (name: string, spec: number, replicas = spec, available = replicas): Counted => ({
  name,
  spec,
  replicas,
  available,
  creating: 0,
});
const limits = (replicas: number, maxSurge: number, maxUnavailable: number) => ({ replicas, maxSurge, maxUnavailable });

describe('limitsOf', () => {
  const deployment = (replicas: number, maxSurge: number | string, maxUnavailable: number | string) =>
    ({
      spec: { replicas, rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } } },
    }) as MachineDeployment;
  it.each([
    { rule: 'percentages of surge are rounded up', of: deployment(3, '25%', 0), is: limits(3, 1, 0) },
    { rule: 'percentages of unavailable are rounded down', of: deployment(3, 1, '50%'), is: limits(3, 1, 1) },
    { rule: 'one may be unavailable when both round to nothing', of: deployment(3, 0, '10%'), is: limits(3, 0, 1) },
    { rule: 'no more may be unavailable than there are', of: deployment(2, 1, 5), is: limits(2, 1, 2) },
    {
      rule: 'one may be unavailable where one more may not be, and none at all',
      of: deployment(3, 0, 0),
      is: limits(3, 0, 1),
    },
    { rule: 'none need be where one more may be', of: deployment(3, 1, 0), is: limits(3, 1, 0) },
    { rule: 'those that may be are not made one', of: deployment(3, 0, 2), is: limits(3, 0, 2) },
    { rule: 'nothing is unavailable of nothing', of: deployment(0, '50%', 1), is: limits(0, 0, 0) },
    {
      rule: 'one more is made where nothing is said',
      of: { spec: { replicas: 3 } } as MachineDeployment,
      is: limits(3, 1, 0),
    },
    {
      rule: 'nothing moves by itself where users delete',
      of: { spec: { replicas: 3, rollout: { strategy: { type: 'OnDelete' } } } } as MachineDeployment,
      is: limits(3, 0, 0),
    },
  ])('$rule', ({ of, is }) => expect(limitsOf(of)).toEqual(is));
});

describe('counted', () => {
  it('takes a set that says nothing yet for an empty one', () => {
    const fresh = { metadata: { name: 'new' } } as MachineSet;
    expect(counted(fresh)).toEqual(set('new', 0));
  });
  it('takes what its status says', () => {
    const one = { metadata: { name: 'new' }, spec: { replicas: 3 }, status: { replicas: 2, availableReplicas: 1 } };
    expect(counted(one as MachineSet)).toEqual(set('new', 3, 2, 1));
  });
});

describe('planRollingUpdate', () => {
  it.each([
    { rule: 'a first set gets all', limits: limits(3, 1, 0), current: set('new', 0), old: [], plan: { new: 3 } },
    {
      rule: 'a new set starts with the surge',
      limits: limits(3, 1, 0),
      current: set('new', 0),
      old: [set('old', 3)],
      plan: { new: 1 },
    },
    {
      rule: 'none is made while another set makes one that it was told to and is not to have any more',
      limits: limits(3, 1, 0),
      current: set('new', 0),
      old: [set('old', 3), { ...set('between', 0), creating: 1 }],
      plan: {},
    },
    {
      rule: 'nor is one taken to make room for it',
      limits: limits(3, 1, 0),
      current: set('new', 0),
      old: [set('old', 3, 3, 2), { ...set('between', 0), creating: 1 }],
      plan: {},
    },
    {
      rule: 'what a set makes is counted once',
      limits: limits(3, 2, 0),
      current: { ...set('new', 1, 0, 0), creating: 1 },
      old: [set('old', 3)],
      plan: { new: 2 },
    },
    {
      rule: 'nothing is taken while the new machine is not available',
      limits: limits(3, 1, 0),
      current: set('new', 1, 1, 0),
      old: [set('old', 3)],
      plan: {},
    },
    {
      rule: 'one goes when one is available above the minimum',
      limits: limits(3, 1, 0),
      current: set('new', 1),
      old: [set('old', 3)],
      plan: { old: 2 },
    },
    {
      rule: 'a machine in deletion still counts as there',
      limits: limits(3, 1, 0),
      current: set('new', 1),
      old: [set('old', 2, 3, 2)],
      plan: {},
    },
    {
      rule: 'none goes for one that is on its way out and still available',
      limits: limits(3, 1, 0),
      current: set('new', 2),
      old: [set('old', 2, 3, 3)],
      plan: {},
    },
    {
      rule: 'without surge an old machine goes first',
      limits: limits(3, 0, 1),
      current: set('new', 0),
      old: [set('old', 3)],
      plan: { old: 2 },
    },
    {
      rule: 'and a new one takes its place',
      limits: limits(3, 0, 1),
      current: set('new', 0),
      old: [set('old', 2)],
      plan: { new: 1 },
    },
    {
      rule: 'unavailable machines go before available ones',
      limits: limits(3, 1, 0),
      current: set('new', 1, 1, 0),
      old: [set('old', 3, 3, 2)],
      plan: {},
    },
    {
      rule: 'also those of a newer set',
      limits: limits(3, 3, 0),
      current: set('new', 1),
      old: [set('older', 3), set('old', 1, 1, 0), set('leaving', 0, 1, 0)],
      plan: { old: 0 },
    },
    {
      rule: 'the oldest set shrinks first',
      limits: limits(3, 2, 0),
      current: set('new', 1),
      old: [set('older', 2), set('old', 1)],
      plan: { new: 2, older: 1 },
    },
    {
      rule: 'a set with too many is cut to the wanted number',
      limits: limits(2, 1, 0),
      current: set('new', 4),
      old: [],
      plan: { new: 2 },
    },
    {
      rule: 'a set that may lose available machines keeps enough of them',
      limits: limits(3, 1, 0),
      current: set('new', 1),
      old: [set('old', 4, 4, 3)],
      plan: { old: 3 },
    },
    {
      rule: 'replicas that have no machine yet are taken freely',
      limits: limits(3, 1, 0),
      current: set('new', 0),
      old: [set('old', 5, 3, 3)],
      plan: { old: 3 },
    },
    {
      rule: 'one stuck old machine is taken when nothing else can move',
      limits: limits(3, 0, 1),
      current: set('new', 1),
      old: [set('old', 2, 2, 0)],
      plan: { old: 1 },
    },
    {
      rule: 'a stuck one goes although its set might choose an available one, for nothing else can move',
      limits: limits(3, 1, 0),
      current: set('new', 1),
      old: [set('old', 3, 3, 2)],
      plan: { old: 2 },
    },
    {
      rule: 'of several sets from the first that has one',
      limits: limits(4, 1, 0),
      current: set('new', 1),
      old: [set('empty', 0), set('older', 2), set('old', 2, 2, 1)],
      plan: { old: 1 },
    },
    {
      rule: 'not while a new one is not available',
      limits: limits(3, 1, 0),
      current: set('new', 1, 1, 0),
      old: [set('old', 3, 3, 2)],
      plan: {},
    },
    {
      rule: 'nor while anything is made or goes',
      limits: limits(3, 1, 0),
      current: set('new', 1),
      old: [set('old', 3, 3, 2), set('leaving', 0, 1, 0)],
      plan: {},
    },
    {
      rule: 'no more go at once than may, although others that leave are still available',
      limits: limits(2, 1, 0),
      current: set('new', 1),
      old: [set('older', 3), set('leaving', 0, 1)],
      plan: { older: 2 },
    },
    {
      rule: 'several sets shrink at once as far as each may',
      limits: limits(4, 2, 2),
      current: set('new', 2),
      old: [set('older', 1), set('old', 3)],
      plan: { older: 0, old: 0 },
    },
    {
      rule: 'everything goes when nothing is wanted',
      limits: limits(0, 0, 0),
      current: set('new', 0),
      old: [set('old', 2)],
      plan: { old: 0 },
    },
  ])('$rule', ({ limits: wanted, current, old, plan }) => {
    expect(Object.fromEntries(planRollingUpdate(wanted, current, old))).toEqual(plan);
  });
});

/**
 * All small cases: desired replicas, strategy limits, and the counts of one new and two old sets.
 */
const situations = () => {
  const upTo = (most: number) => Array.from({ length: most + 1 }, (_, index) => index);
  const sets = (name: string, most: number) =>
    upTo(most).flatMap((spec) => upTo(spec).map((available) => set(name, spec, spec, available)));
  /** A set that is scaling down by one and still has the surplus Machine. */
  const leaving = (name: string, most: number) => upTo(most).map((spec) => set(name, spec, spec + 1));
  const wanted = upTo(3).flatMap((replicas) => [
    limits(replicas, 1, 0),
    limits(replicas, 0, Math.min(1, replicas)),
    limits(replicas, 2, Math.min(1, replicas)),
  ]);
  return wanted.flatMap((limits) =>
    sets('new', 3).flatMap((current) =>
      [...sets('older', 3), ...leaving('older', 2)].flatMap((older) =>
        [...sets('old', 1), ...leaving('old', 1)].map((old) => ({ limits, current, older, old })),
      ),
    ),
  );
};

describe('a rolling update', () => {
  const total = (sets: readonly Counted[], of: (one: Counted) => number) => sets.reduce((all, one) => all + of(one), 0);

  it('makes no more than the surge, and takes no more than may be missing, whichever its sets choose', () => {
    for (const { limits, current, older, old } of situations()) {
      const all = [older, old, current];
      const plan = planRollingUpdate(limits, current, [older, old]);
      const sizeOf = (one: Counted) => plan.get(one.name) ?? one.spec;
      const where = JSON.stringify({ limits, all, plan: [...plan] });
      if (sizeOf(current) > current.spec)
        expect(total(all, sizeOf), where).toBeLessThanOrEqual(limits.replicas + limits.maxSurge);
      /** The Machines that stay available if sets delete available ones first. */
      const staying = (sizeFor: (one: Counted) => number) =>
        total(all, (one) => Math.max(one.available - Math.max(one.replicas - Math.min(one.spec, sizeFor(one)), 0), 0));
      const least = Math.min(
        staying(({ spec }) => spec),
        limits.replicas - limits.maxUnavailable,
      );
      // A Machine that never becomes available may cost one that is.
      const isStuck = [older, old].some((one) => one.spec > one.available) && current.spec === current.available;
      const oldAlone = (one: Counted) => (one === current ? one.spec : sizeOf(one));
      expect(staying(oldAlone), where).toBeGreaterThanOrEqual(isStuck ? least - 1 : least);
    }
  });

  it('comes to its end from everywhere, although old machines that do not work never will', () => {
    for (const situation of situations()) {
      const { limits } = situation;
      let { current, older, old } = situation;
      const next = (one: Counted, size: number, isNew: boolean): Counted => {
        // Sets delete unavailable Machines first; new Machines become available in the end.
        const working = isNew ? size : Math.min(one.available, size);
        return { ...one, spec: size, replicas: size, available: working };
      };
      for (let round = 0; round < 20; round++) {
        const plan = planRollingUpdate(limits, current, [older, old]);
        current = next(current, plan.get('new') ?? current.spec, true);
        older = next(older, plan.get('older') ?? older.spec, false);
        old = next(old, plan.get('old') ?? old.spec, false);
      }
      expect([current.spec, older.spec, old.spec], JSON.stringify(situation)).toEqual([limits.replicas, 0, 0]);
    }
  });
});

describe('planOnDelete', () => {
  it.each([
    { rule: 'waits while all old machines are there', current: set('new', 0), old: [set('old', 3)], plan: {} },
    {
      rule: 'an old set follows its deleted machines',
      current: set('new', 0),
      old: [set('old', 3, 2)],
      plan: { old: 2 },
    },
    { rule: 'the new set grows by what is missing', current: set('new', 0), old: [set('old', 2)], plan: { new: 1 } },
    {
      rule: 'what is too many goes from the oldest',
      current: set('new', 1),
      old: [set('older', 2), set('old', 2)],
      plan: { older: 0 },
    },
    {
      rule: 'none that is available goes for one that is not yet',
      current: set('new', 1, 1, 0),
      old: [set('old', 3)],
      plan: {},
    },
    {
      rule: 'one that is not available goes at any time',
      current: set('new', 1, 1, 0),
      old: [set('older', 2), set('old', 2, 2, 1)],
      plan: { old: 1 },
    },
    {
      rule: 'of several sets no more than are too many, and none twice for the same',
      current: set('new', 1),
      old: [set('older', 2, 1), set('old', 2)],
      plan: { older: 0 },
    },
    {
      rule: 'none goes for those that users have deleted already',
      current: set('new', 1),
      old: [set('older', 3, 1), set('old', 1)],
      plan: { older: 1 },
    },
    {
      rule: 'what is spared once is not spared again',
      current: set('new', 2),
      old: [set('older', 2), set('old', 2, 2, 1)],
      plan: { older: 0, old: 1 },
    },
    {
      rule: 'so many go that enough are left, those that are not available beside them',
      current: set('new', 1),
      old: [set('old', 5, 5, 4)],
      plan: { old: 2 },
    },
  ])('$rule', ({ current, old, plan }) => {
    expect(Object.fromEntries(planOnDelete(3, current, old))).toEqual(plan);
  });
});

describe('planPaused', () => {
  const real = (name: string, replicas: number | undefined, max: number | string, available = replicas): MachineSet =>
    ({
      metadata: {
        name,
        creationTimestamp: { new: '2026-01-03', old: '2026-01-02' }[name] ?? '2026-01-01',
        annotations: { 'machinedeployment.clusters.x-k8s.io/max-replicas': String(max) },
      },
      spec: { replicas },
      status: { replicas, availableReplicas: available },
    }) as unknown as MachineSet;
  it.each([
    {
      rule: 'one active set gets all',
      replicas: 5,
      current: real('new', 3, 4),
      old: [real('old', 0, 4)],
      plan: { new: 5 },
    },
    {
      rule: 'an old one, too',
      replicas: 5,
      current: real('new', 0, 4),
      old: [real('old', 3, 4), real('older', 0, 4)],
      plan: { old: 5 },
    },
    {
      rule: 'of sets without machines the new one',
      replicas: 2,
      current: real('new', undefined, 4),
      old: [real('old', 0, 4)],
      plan: { new: 2 },
    },
    {
      rule: 'or the latest',
      replicas: 2,
      current: undefined,
      old: [real('old', 0, 4), real('older', 0, 4)],
      plan: { old: 2 },
    },
    {
      rule: 'sets keep their proportion when growing',
      replicas: 20,
      current: real('new', 5, 11),
      old: [real('old', 5, 11)],
      plan: { new: 11, old: 10 },
    },
    {
      rule: 'the larger one first',
      replicas: 15,
      maxSurge: 3,
      current: real('new', 5, 13),
      old: [real('old', 8, 13)],
      plan: { new: 7, old: 11 },
    },
    {
      rule: 'what is left over goes to the largest',
      replicas: 9,
      current: real('new', 3, 10),
      old: [real('old', 3, 10), real('older', 3, 10)],
      plan: { new: 4 },
    },
    {
      rule: 'what a set does not note is what there was',
      replicas: 20,
      current: real('new', 5, 'unknown'),
      old: [real('old', 5, 0)],
      plan: { new: 16 },
    },
    {
      rule: 'sets keep their proportion when shrinking',
      replicas: 4,
      current: real('new', 5, 11),
      old: [real('old', 5, 11)],
      plan: { new: 3, old: 2 },
    },
    {
      rule: 'nothing is more than was wanted when nothing is',
      replicas: 0,
      current: real('new', 2, 4),
      old: [real('old', 2, 4)],
      plan: { new: 0, old: 0 },
    },
    {
      rule: 'none changes that has its size',
      replicas: 9,
      current: real('new', 5, 10),
      old: [real('old', 5, 10)],
      plan: {},
    },
    {
      rule: 'a saturated new set ends the old ones',
      replicas: 3,
      current: real('new', 3, 4),
      old: [real('old', 1, 4), real('older', 1, 4)],
      plan: { old: 0, older: 0 },
    },
    {
      rule: 'not one whose machines are not all available',
      replicas: 3,
      current: real('new', 3, 4, 2),
      old: [real('old', 1, 4)],
      plan: {},
    },
    {
      rule: 'nor one that has another size',
      replicas: 3,
      current: real('new', 2, 4, 3),
      old: [real('old', 2, 4)],
      plan: {},
    },
    {
      rule: 'sets that do not roll keep what they have',
      isRolling: false,
      replicas: 20,
      current: real('new', 5, 11),
      old: [real('old', 5, 11)],
      plan: {},
    },
  ])('$rule', ({ replicas, maxSurge = 1, isRolling = true, current, old, plan }) => {
    for (const listed of [old, old.toReversed()])
      expect(Object.fromEntries(planPaused(limits(replicas, maxSurge, 0), isRolling, current, listed))).toEqual(plan);
  });
});
