import { describe, expect, it } from 'vitest';
import { a, b, type ControlPlaneState, controlPlaneOf, now, storyOf, three } from './control-plane.fixture.ts';
import { planDeletion } from './delete.ts';
import { createWorld } from './world.fixture.ts';

describe('deletion', () => {
  it.each<ControlPlaneState & { rule: string; reason: string; expected: string[] | undefined; finished?: boolean }>([
    { rule: 'waits for the workers', machines: three, workers: 2, reason: 'WaitingForWorkersDeletion', expected: [] },
    {
      rule: 'deletes all machines at once and removes their hooks',
      machines: [a, b],
      reason: 'WaitingForMachineDeletion',
      expected: ['patch Machine a', 'delete Machine a', 'patch Machine b', 'delete Machine b'],
    },
    {
      rule: 'finishes when no machine is left',
      machines: [],
      reason: 'DeletionCompleted',
      expected: [],
      finished: true,
    },
  ])('$rule', ({ reason, expected, finished, ...state }) => {
    const { plan, condition } = planDeletion(controlPlaneOf({ ...state, deleting: true }), now);
    expect(condition.reason).toBe(reason);
    expect(storyOf(plan.actions)).toEqual(expected);
    expect(plan.finished ?? false).toBe(finished ?? false);
  });

  it('never finishes on an unreadable list', () => {
    const controlPlane = {
      ...controlPlaneOf({ machines: [], deleting: true }),
      workers: { state: 'unreadable', reason: 'x' } as const,
    };
    expect(planDeletion(controlPlane, now).plan.finished).toBeUndefined();
  });
});

describe('a control plane without an owner', () => {
  const going = { deletionTimestamp: '2026-06-01T00:00:00Z', ownerReferences: null };

  it('is released when no Cluster ever adopted it', async () => {
    const world = createWorld();
    world.replace(world.current(), { metadata: going });
    expect((await world.pass(Number.POSITIVE_INFINITY))?.finished).toBe(true);
  });

  it('deletes its machines first when a Cluster had adopted it', async () => {
    const world = createWorld();
    for (let i = 0; i < 10; i++) await world.pass(Number.POSITIVE_INFINITY);
    expect(world.all('Machine')).toHaveLength(1);
    world.replace(world.current(), { metadata: { ...going, labels: { 'cluster.x-k8s.io/cluster-name': 'c' } } });
    const plan = await world.pass(Number.POSITIVE_INFINITY);
    expect(plan?.finished).toBeUndefined();
    expect(storyOf(plan?.actions)).toContain('delete Machine kcp-00000');
    for (const machine of world.all('Machine')) world.remove(machine);
    expect((await world.pass(Number.POSITIVE_INFINITY))?.finished).toBe(true);
  });

  it('is released when its Cluster is gone and it has created nothing', async () => {
    const world = createWorld();
    for (const cluster of world.all('Cluster')) world.remove(cluster);
    expect(await world.pass(Number.POSITIVE_INFINITY)).toEqual({});
    world.replace(world.current(), { metadata: { deletionTimestamp: going.deletionTimestamp } });
    expect((await world.pass(Number.POSITIVE_INFINITY))?.finished).toBe(true);
  });

  it('is kept when its Cluster is gone and it has machines', async () => {
    const world = createWorld();
    for (let i = 0; i < 10; i++) await world.pass(Number.POSITIVE_INFINITY);
    for (const cluster of world.all('Cluster')) world.remove(cluster);
    world.replace(world.current(), { metadata: { deletionTimestamp: going.deletionTimestamp } });
    expect(await world.pass(Number.POSITIVE_INFINITY)).toEqual({});
  });

  it('waits for its Cluster while it is not deleted', async () => {
    const world = createWorld();
    world.replace(world.current(), { metadata: { ownerReferences: null } });
    expect(await world.pass(Number.POSITIVE_INFINITY)).toEqual({});
  });
});
