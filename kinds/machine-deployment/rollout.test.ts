import { describe, expect, it } from 'vitest';
import type { MachineSet } from '../machine-set/schema.ts';
import { type Counted, limitsOf, planOnDelete, planPaused, planRollingUpdate } from './rollout.ts';
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
    { rule: 'nothing is unavailable of nothing', of: deployment(0, '50%', 1), is: limits(0, 0, 0) },
  ])('$rule', ({ of, is }) => expect(limitsOf(of)).toEqual(is));
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
  const real = (name: string, replicas: number, max: number): MachineSet =>
    ({
      metadata: {
        name,
        creationTimestamp: name === 'new' ? '2026-01-02' : '2026-01-01',
        annotations: { 'machinedeployment.clusters.x-k8s.io/max-replicas': String(max) },
      },
      spec: { replicas },
      status: { replicas, availableReplicas: replicas },
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
      rule: 'sets keep their proportion when growing',
      replicas: 20,
      current: real('new', 5, 11),
      old: [real('old', 5, 11)],
      plan: { new: 11, old: 10 },
    },
    {
      rule: 'sets keep their proportion when shrinking',
      replicas: 4,
      current: real('new', 5, 11),
      old: [real('old', 5, 11)],
      plan: { new: 3, old: 2 },
    },
    {
      rule: 'a saturated new set ends the old ones',
      replicas: 3,
      current: real('new', 3, 4),
      old: [real('old', 1, 4), real('older', 1, 4)],
      plan: { old: 0, older: 0 },
    },
  ])('$rule', ({ replicas, current, old, plan }) => {
    expect(Object.fromEntries(planPaused(limits(replicas, 1, 0), true, current, old))).toEqual(plan);
  });
});
