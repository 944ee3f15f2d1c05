/** Pods get nodes although Machines of their pool drain for long. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { settledMoment } from './moments.ts';
import {
  eventsAbout,
  guestOf,
  machinesIn,
  nodesIn,
  openPool,
  placedIn,
  replicasOf,
  run,
  sizes,
} from './pools.fixture.ts';
import type { Moment, World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const scale = (replicas: number) => world.patch('MachineDeployment', 'burst', { spec: { replicas } });
const settledOn = async (nodes: number) => {
  await world.until('nodes', () => nodesIn(world, 'burst') === nodes, 15);
  await world.pass(3);
};
const deleting = () => machinesIn(world, 'burst').filter(({ metadata }) => metadata.deletionTimestamp);

describe('a pool whose Machines drain', () => {
  it('gets nodes for the pods that a disruption budget needs before it allows the next eviction', async () => {
    world = await openPool(quickstart, 1, 'burst', sizes(0, 10));
    await run(world, 6);
    await settledOn(4);
    const before = await placedIn(world);
    const budget: KubeObject = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { namespace: 'default', name: 'web' },
      spec: { minAvailable: 5, selector: { matchLabels: { app: 'web' } } },
    };
    await world.wait(guestOf(world).create(budget));
    await scale(2);
    await world.until('drained', () => deleting().length === 0 && nodesIn(world, 'burst') === 4, 40);
    await world.pass(3);
    expect([before, await placedIn(world)]).toEqual([6, 6]);
    expect(await eventsAbout(world, 'burst')).toContainEqual(
      expect.stringMatching(/^ReplacedWhileDraining: Pods wait/),
    );
  });

  it('gets nodes beside those that a hook holds, and no more than are needed when it is released', async () => {
    world = await openPool(quickstart, 2, 'burst', sizes(0, 10));
    await run(world, 8);
    await settledOn(6);
    const hook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/ship-logs';
    for (const { metadata } of machinesIn(world, 'burst'))
      await world.patch('Machine', metadata.name, { metadata: { annotations: { [hook]: 'me' } } });
    await run(world, 2);
    const held = 6;
    await world.until('held', () => replicasOf(world, 'burst') === 0 && deleting().length === held, 30);
    await run(world, 8);
    await world.until('placed', () => machinesIn(world, 'burst').length > held, 5);
    await settledOn(held + 6);
    expect([held, await placedIn(world), replicasOf(world, 'burst')]).toEqual([6, 8, 6]);
    for (const { metadata } of deleting())
      await world.patch('Machine', metadata.name, { metadata: { annotations: { [hook]: null } } });
    await world.until('gone', () => deleting().length === 0, 15);
    await world.pass(5);
    expect([machinesIn(world, 'burst').length, replicasOf(world, 'burst')]).toEqual([6, 6]);
  });
});
