import { describe, expect, it } from 'vitest';
import type { MachineSet } from '../machine-set/schema.ts';
import {
  type Counted,
  counted,
  countedUpToDate,
  limitsOf,
  planKept,
  planOnDelete,
  planPaused,
  planRollingUpdate,
} from './rollout.ts';
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
    { rule: 'rounds percentages of surge up', of: deployment(3, '25%', 0), is: limits(3, 1, 0) },
    { rule: 'rounds percentages of unavailable down', of: deployment(3, 1, '50%'), is: limits(3, 1, 1) },
    { rule: 'allows one unavailable when both round to zero', of: deployment(3, 0, '10%'), is: limits(3, 0, 1) },
    { rule: 'limits unavailable to the replicas', of: deployment(2, 1, 5), is: limits(2, 1, 2) },
    {
      rule: 'allows one unavailable when both limits are zero',
      of: deployment(3, 0, 0),
      is: limits(3, 0, 1),
    },
    { rule: 'allows none unavailable with a surge', of: deployment(3, 1, 0), is: limits(3, 1, 0) },
    { rule: 'keeps a given number of unavailable', of: deployment(3, 0, 2), is: limits(3, 0, 2) },
    { rule: 'allows none unavailable without replicas', of: deployment(0, '50%', 1), is: limits(0, 0, 0) },
    {
      rule: 'defaults to a surge of one',
      of: { spec: { replicas: 3 } } as MachineDeployment,
      is: limits(3, 1, 0),
    },
    {
      rule: 'moves nothing for OnDelete',
      of: { spec: { replicas: 3, rollout: { strategy: { type: 'OnDelete' } } } } as MachineDeployment,
      is: limits(3, 0, 0),
    },
  ])('$rule', ({ of, is }) => expect(limitsOf(of)).toEqual(is));
});

describe('the observed counts', () => {
  it('are zero for a set without status', () => {
    const fresh = { metadata: { name: 'new' } } as MachineSet;
    expect(counted(fresh)).toEqual(set('new', 0));
  });
  it('come from the status', () => {
    const one = { metadata: { name: 'new' }, spec: { replicas: 3 }, status: { replicas: 2, availableReplicas: 1 } };
    expect(counted(one as MachineSet)).toEqual(set('new', 3, 2, 1));
  });
  it.each([
    { rule: 'are up to date', upToDateReplicas: 1, available: 1 },
    { rule: 'have a wrong image', upToDateReplicas: 0, available: 0 },
    { rule: 'are not known to be up to date', upToDateReplicas: undefined, available: 1 },
  ])('of an upgrade count $available available Machines that $rule', ({ upToDateReplicas, available }) => {
    const status = { replicas: 1, availableReplicas: 1, ...(upToDateReplicas !== undefined && { upToDateReplicas }) };
    const one = { metadata: { name: 'new' }, spec: { replicas: 1 }, status } as MachineSet;
    const current = countedUpToDate(one);
    expect(current).toEqual(set('new', 1, 1, available));
    // A pool of one keeps its old Machine until the new one is up to date.
    const only = { replicas: 1, maxSurge: 1, maxUnavailable: 0 };
    const plan = planRollingUpdate(only, current, [set('old', 1, 1, 1)]);
    expect(plan.get('old')).toBe(available === 1 ? 0 : undefined);
  });
});

describe('planRollingUpdate', () => {
  it.each([
    {
      rule: 'scales the first set to the full size',
      limits: limits(3, 1, 0),
      current: set('new', 0),
      old: [],
      plan: { new: 3 },
    },
    {
      rule: 'starts a new set with the surge',
      limits: limits(3, 1, 0),
      current: set('new', 0),
      old: [set('old', 3)],
      plan: { new: 1 },
    },
    {
      rule: 'adds no machine while another set creates a surplus one',
      limits: limits(3, 1, 0),
      current: set('new', 0),
      old: [set('old', 3), { ...set('between', 0), creating: 1 }],
      plan: {},
    },
    {
      rule: 'removes no machine to make room for it',
      limits: limits(3, 1, 0),
      current: set('new', 0),
      old: [set('old', 3, 3, 2), { ...set('between', 0), creating: 1 }],
      plan: {},
    },
    {
      rule: 'counts a machine in creation once',
      limits: limits(3, 2, 0),
      current: { ...set('new', 1, 0, 0), creating: 1 },
      old: [set('old', 3)],
      plan: { new: 2 },
    },
    {
      rule: 'removes nothing while the new machine is unavailable',
      limits: limits(3, 1, 0),
      current: set('new', 1, 1, 0),
      old: [set('old', 3)],
      plan: {},
    },
    {
      rule: 'removes one when one above the minimum is available',
      limits: limits(3, 1, 0),
      current: set('new', 1),
      old: [set('old', 3)],
      plan: { old: 2 },
    },
    {
      rule: 'counts a machine in deletion',
      limits: limits(3, 1, 0),
      current: set('new', 1),
      old: [set('old', 2, 3, 2)],
      plan: {},
    },
    {
      rule: 'removes none for an available machine in deletion',
      limits: limits(3, 1, 0),
      current: set('new', 2),
      old: [set('old', 2, 3, 3)],
      plan: {},
    },
    {
      rule: 'removes an old machine first without a surge',
      limits: limits(3, 0, 1),
      current: set('new', 0),
      old: [set('old', 3)],
      plan: { old: 2 },
    },
    {
      rule: 'adds a new machine in its place',
      limits: limits(3, 0, 1),
      current: set('new', 0),
      old: [set('old', 2)],
      plan: { new: 1 },
    },
    {
      rule: 'removes unavailable machines before available ones',
      limits: limits(3, 1, 0),
      current: set('new', 1, 1, 0),
      old: [set('old', 3, 3, 2)],
      plan: {},
    },
    {
      rule: 'removes unavailable machines of a newer set',
      limits: limits(3, 3, 0),
      current: set('new', 1),
      old: [set('older', 3), set('old', 1, 1, 0), set('leaving', 0, 1, 0)],
      plan: { old: 0 },
    },
    {
      rule: 'shrinks the oldest set first',
      limits: limits(3, 2, 0),
      current: set('new', 1),
      old: [set('older', 2), set('old', 1)],
      plan: { new: 2, older: 1 },
    },
    {
      rule: 'cuts an oversized set to the desired number',
      limits: limits(2, 1, 0),
      current: set('new', 4),
      old: [],
      plan: { new: 2 },
    },
    {
      rule: 'keeps enough machines of a set that may lose available ones',
      limits: limits(3, 1, 0),
      current: set('new', 1),
      old: [set('old', 4, 4, 3)],
      plan: { old: 3 },
    },
    {
      rule: 'removes replicas without a machine freely',
      limits: limits(3, 1, 0),
      current: set('new', 0),
      old: [set('old', 5, 3, 3)],
      plan: { old: 3 },
    },
    {
      rule: 'removes one stuck old machine when nothing else can move',
      limits: limits(3, 0, 1),
      current: set('new', 1),
      old: [set('old', 2, 2, 0)],
      plan: { old: 1 },
    },
    {
      rule: 'removes a stuck one although its set might choose an available one, because nothing else can move',
      limits: limits(3, 1, 0),
      current: set('new', 1),
      old: [set('old', 3, 3, 2)],
      plan: { old: 2 },
    },
    {
      rule: 'removes a stuck one from the first set that has one',
      limits: limits(4, 1, 0),
      current: set('new', 1),
      old: [set('empty', 0), set('older', 2), set('old', 2, 2, 1)],
      plan: { old: 1 },
    },
    {
      rule: 'removes no stuck one while a new machine is unavailable',
      limits: limits(3, 1, 0),
      current: set('new', 1, 1, 0),
      old: [set('old', 3, 3, 2)],
      plan: {},
    },
    {
      rule: 'removes no stuck one while a machine is created or deleted',
      limits: limits(3, 1, 0),
      current: set('new', 1),
      old: [set('old', 3, 3, 2), set('leaving', 0, 1, 0)],
      plan: {},
    },
    {
      rule: 'removes no more at once than allowed, although others that leave are still available',
      limits: limits(2, 1, 0),
      current: set('new', 1),
      old: [set('older', 3), set('leaving', 0, 1)],
      plan: { older: 2 },
    },
    {
      rule: 'shrinks several sets at once within their limits',
      limits: limits(4, 2, 2),
      current: set('new', 2),
      old: [set('older', 1), set('old', 3)],
      plan: { older: 0, old: 0 },
    },
    {
      rule: 'removes everything when no replicas are desired',
      limits: limits(0, 0, 0),
      current: set('new', 0),
      old: [set('old', 2)],
      plan: { old: 0 },
    },
    {
      rule: 'takes an old one for the admitted new one',
      limits: { ...limits(3, 1, 0), most: 1 },
      current: set('new', 1),
      old: [set('old', 3)],
      plan: { old: 2 },
    },
    {
      rule: 'takes none while the upgrade is held',
      limits: { ...limits(3, 1, 0), most: 1, held: true },
      current: set('new', 1),
      old: [set('old', 3)],
      plan: {},
    },
    {
      rule: 'scales down to the surge while the upgrade is held',
      limits: { ...limits(2, 1, 0), most: 1, held: true },
      current: set('new', 1),
      old: [set('old', 3)],
      plan: { old: 2 },
    },
    {
      rule: 'scales up while the upgrade is held',
      limits: { ...limits(5, 1, 0), most: 1, held: true },
      current: set('new', 1),
      old: [set('old', 3)],
      plan: { old: 4 },
    },
  ])('$rule', ({ limits: wanted, current, old, plan }) => {
    expect(Object.fromEntries(planRollingUpdate(wanted, current, old))).toEqual(plan);
  });
});

/**
 * All small cases: desired replicas, strategy limits, and the counts of one new and two old sets.
 */
const smallCases = () => {
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

  it('respects maxSurge and maxUnavailable, whichever Machines its sets choose', () => {
    for (const { limits, current, older, old } of smallCases()) {
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
      const oldSizeOf = (one: Counted) => (one === current ? one.spec : sizeOf(one));
      expect(staying(oldSizeOf), where).toBeGreaterThanOrEqual(isStuck ? least - 1 : least);
    }
  });

  it('completes from every state, even if broken old machines never recover', () => {
    for (const given of smallCases()) {
      const { limits } = given;
      let { current, older, old } = given;
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
      expect([current.spec, older.spec, old.spec], JSON.stringify(given)).toEqual([limits.replicas, 0, 0]);
    }
  });
});

describe('a rolling update that an upgrade limits', () => {
  const total = (sets: readonly Counted[], of: (one: Counted) => number) => sets.reduce((all, one) => all + of(one), 0);
  const limited = smallCases()
    .filter(({ older, old }) => older.spec + old.spec > 0)
    .flatMap((one) => [1, 2].map((most) => ({ ...one, limits: { ...one.limits, most } })));
  const places = (one: Counted) => Math.max(one.spec, one.replicas);

  it('stays within maxSurge, whichever set grows', () => {
    for (const { limits, current, older, old } of limited) {
      const all = [older, old, current];
      const plan = planRollingUpdate(limits, current, [older, old]);
      const after = total(all, (one) => Math.max(places(one), plan.get(one.name) ?? 0));
      const allowed = Math.max(total(all, places), limits.replicas + limits.maxSurge);
      expect(after, JSON.stringify({ limits, all, plan: [...plan] })).toBeLessThanOrEqual(allowed);
    }
  });

  it('comes to rest with as many new Machines as the upgrade admits, and old ones besides', () => {
    for (const given of limited) {
      const { limits } = given;
      let { current, older, old } = given;
      const next = (one: Counted, size = one.spec) => set(one.name, size);
      let changes = 0;
      for (let round = 0; round < 20; round++) {
        const plan = planRollingUpdate(limits, current, [older, old]);
        changes = plan.size;
        current = next(current, plan.get('new'));
        older = next(older, plan.get('older'));
        old = next(old, plan.get('old'));
      }
      // No upgrade takes back new Machines that exist.
      const updated = Math.min(Math.max(given.current.spec, limits.most), limits.replicas);
      const where = JSON.stringify(given);
      expect([current.spec, older.spec + old.spec, changes], where).toEqual([updated, limits.replicas - updated, 0]);
    }
  });
});

describe('planOnDelete', () => {
  it.each([
    { rule: 'waits while all old machines exist', current: set('new', 0), old: [set('old', 3)], plan: {} },
    {
      rule: 'shrinks an old set with its deleted machines',
      current: set('new', 0),
      old: [set('old', 3, 2)],
      plan: { old: 2 },
    },
    {
      rule: 'grows the new set by the missing machines',
      current: set('new', 0),
      old: [set('old', 2)],
      plan: { new: 1 },
    },
    {
      rule: 'removes a surplus from the oldest set',
      current: set('new', 1),
      old: [set('older', 2), set('old', 2)],
      plan: { older: 0 },
    },
    {
      rule: 'removes no available machine for an unavailable one',
      current: set('new', 1, 1, 0),
      old: [set('old', 3)],
      plan: {},
    },
    {
      rule: 'removes an unavailable machine at any time',
      current: set('new', 1, 1, 0),
      old: [set('older', 2), set('old', 2, 2, 1)],
      plan: { old: 1 },
    },
    {
      rule: 'removes no more than the surplus from several sets, and counts each machine once',
      current: set('new', 1),
      old: [set('older', 2, 1), set('old', 2)],
      plan: { older: 0 },
    },
    {
      rule: 'removes none for machines that users have already deleted',
      current: set('new', 1),
      old: [set('older', 3, 1), set('old', 1)],
      plan: { older: 1 },
    },
    {
      rule: 'counts a spared machine once',
      current: set('new', 2),
      old: [set('older', 2), set('old', 2, 2, 1)],
      plan: { older: 0, old: 1 },
    },
    {
      rule: 'removes so many that enough remain, including the unavailable ones',
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
      rule: 'gives all to a single active set',
      replicas: 5,
      current: real('new', 3, 4),
      old: [real('old', 0, 4)],
      plan: { new: 5 },
    },
    {
      rule: 'gives all to a single active old set',
      replicas: 5,
      current: real('new', 0, 4),
      old: [real('old', 3, 4), real('older', 0, 4)],
      plan: { old: 5 },
    },
    {
      rule: 'chooses the new set among sets without machines',
      replicas: 2,
      current: real('new', undefined, 4),
      old: [real('old', 0, 4)],
      plan: { new: 2 },
    },
    {
      rule: 'chooses the latest set otherwise',
      replicas: 2,
      current: undefined,
      old: [real('old', 0, 4), real('older', 0, 4)],
      plan: { old: 2 },
    },
    {
      rule: 'keeps the proportion of the sets when growing',
      replicas: 20,
      current: real('new', 5, 11),
      old: [real('old', 5, 11)],
      plan: { new: 11, old: 10 },
    },
    {
      rule: 'starts with the larger set',
      replicas: 15,
      maxSurge: 3,
      current: real('new', 5, 13),
      old: [real('old', 8, 13)],
      plan: { new: 7, old: 11 },
    },
    {
      rule: 'gives the remainder to the largest set',
      replicas: 9,
      current: real('new', 3, 10),
      old: [real('old', 3, 10), real('older', 3, 10)],
      plan: { new: 4 },
    },
    {
      rule: 'uses the current total when a set recorded none',
      replicas: 20,
      current: real('new', 5, 'unknown'),
      old: [real('old', 5, 0)],
      plan: { new: 16 },
    },
    {
      rule: 'keeps the proportion of the sets when shrinking',
      replicas: 4,
      current: real('new', 5, 11),
      old: [real('old', 5, 11)],
      plan: { new: 3, old: 2 },
    },
    {
      rule: 'scales to zero',
      replicas: 0,
      current: real('new', 2, 4),
      old: [real('old', 2, 4)],
      plan: { new: 0, old: 0 },
    },
    {
      rule: 'leaves sets of the right size alone',
      replicas: 9,
      current: real('new', 5, 10),
      old: [real('old', 5, 10)],
      plan: {},
    },
    {
      rule: 'removes old sets when the new set is saturated',
      replicas: 3,
      current: real('new', 3, 4),
      old: [real('old', 1, 4), real('older', 1, 4)],
      plan: { old: 0, older: 0 },
    },
    {
      rule: 'keeps old sets while a machine of the new set is unavailable',
      replicas: 3,
      current: real('new', 3, 4, 2),
      old: [real('old', 1, 4)],
      plan: {},
    },
    {
      rule: 'keeps old sets while the new set has another size',
      replicas: 3,
      current: real('new', 2, 4, 3),
      old: [real('old', 2, 4)],
      plan: {},
    },
    {
      rule: 'keeps the size of sets under OnDelete',
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

describe('planKept', () => {
  const counts = (name: string, replicas: number, exist = replicas, creating: string[] = []) =>
    ({
      metadata: {
        name,
        creationTimestamp: { new: '2026-01-03' }[name] ?? '2026-01-01',
        annotations: { 'capstan.dev/creating': JSON.stringify(creating) },
      },
      spec: { replicas },
      status: { replicas: exist, availableReplicas: exist },
    }) as unknown as MachineSet;
  it.each([
    { rule: 'scales as while paused', current: counts('new', 1), old: counts('old', 1), plan: { new: 2 } },
    { rule: 'adds none beside a Machine in deletion', current: counts('new', 2), old: counts('old', 0, 1), plan: {} },
    {
      rule: 'adds none beside a Machine in creation',
      current: counts('new', 2),
      old: counts('old', 0, 0, ['m']),
      plan: {},
    },
    {
      rule: 'lets a set replace its own Machine in deletion',
      current: counts('new', 2, 3),
      old: counts('old', 0),
      plan: { new: 3 },
    },
    {
      rule: 'shrinks sets without room',
      current: counts('new', 3),
      old: counts('old', 2, 4),
      plan: { old: 0 },
    },
  ])('$rule', ({ current, old, plan }) =>
    expect(Object.fromEntries(planKept(limits(3, 0, 1), current, [old]))).toEqual(plan));

  it.each([
    { rule: 'adds no surge to two revisions', current: counts('new', 1), old: counts('old', 2), plan: {} },
    { rule: 'keeps the surge of two revisions', current: counts('new', 3), old: counts('old', 1), plan: {} },
    {
      rule: 'restores the number of two revisions',
      current: counts('new', 1),
      old: counts('old', 1),
      plan: { new: 2 },
    },
    {
      rule: 'follows a smaller number within the surge',
      current: counts('new', 2),
      old: counts('old', 4),
      plan: { old: 2 },
    },
    { rule: 'scales one revision', current: counts('new', 0), old: counts('old', 4), plan: { old: 3 } },
  ])('$rule', ({ current, old, plan }) =>
    expect(Object.fromEntries(planKept(limits(3, 1, 0), current, [old]))).toEqual(plan));
});
