/** Whenever the process is killed: a pool has one group, one template and one set of secrets, and leaves none of them. */
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment, type World } from './world.ts';

const name = 'quickstart-pool';
const pools = ['MachinePool', 'AWSMachinePool', 'KubeadmConfig'];
const objects = JSON.parse(
  JSON.stringify(example('machine-pool.yaml').filter(({ kind }) => pools.includes(kind)))
    .replaceAll('pools-pool', name)
    .replaceAll('"clusterName":"pools"', '"clusterName":"quickstart"'),
) as KubeObject[];

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const pool = () => world.find('MachinePool', name);
const made = () => ['auto-scaling-group', 'launch-template', 'secret'].map((type) => world.live(type).length);

it.each([
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 20, 25, 30,
])('is made and deleted once, killed after change %i', async (change) => {
  world = await createWorld({ from: quickstart, seed: change });
  const before = world.live('instance').length;
  for (const object of objects) expect((await world.apply(object)).code).toBe(201);
  world.crashAfter(change);
  await world.until('three Nodes', () => pool()?.status?.availableReplicas === 3, 40);
  expect(made()).toEqual([1, 1, 1]);
  expect(world.live('instance')).toHaveLength(before + 3);
  await world.remove('MachinePool', name);
  world.crashAfter(change);
  await world.until('gone', () => !pool() && !world.find('AWSMachinePool', name), 60);
  expect(made()).toEqual([0, 0, 0]);
  await world.until('the instances gone', () => world.live('instance').length === before, 10);
  expect(world.errors).toEqual([]);
});
