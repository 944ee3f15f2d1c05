/** What a pool does while launches fail for long, machines never join, and a rollout goes on. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import {
  addOther,
  eventsAbout,
  failingBootstrap,
  lackCapacity,
  machinesIn,
  nodesIn,
  openPool,
  placedIn,
  replicasOf,
  run,
  scalingsIn,
  sizes,
} from './pools.fixture.ts';
import { type Moment, minute, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const pool = 'burst';
/** Of 1500m CPU each, which fill the nodes of the quickstart's workers. */
const resident = 2;

const open = async (seed: number) => {
  world = await openPool(quickstart, seed, pool, sizes(0, 20));
};
const scalings = () => scalingsIn(world);
const decides = (replicas: number, minutes = 1) =>
  world.until(`${replicas} replicas`, () => replicasOf(world, pool) === replicas, minutes);
const grown = (count: number, minutes = 20) =>
  world.until(`${count} nodes`, () => nodesIn(world, pool) === count, minutes);

const other = 'other';
it('without any capacity tries each of them four times in ten minutes at most, beside the first decision', async () => {
  await open(5);
  await addOther(world, other, 'm5.large');
  lackCapacity(world);
  await run(world, resident + 1);
  await world.until('tried', () => replicasOf(world, pool)! + replicasOf(world, other)! > 0, 1);
  const seen = scalings();
  await world.pass(10);
  for (const name of [pool, other])
    expect((seen[name] ?? []).filter((change) => change.startsWith('0 ->')).length).toBeLessThanOrEqual(4);
});

describe('machines that never join', () => {
  it('are replaced after 15 minutes, one after the other, and the pool waits between them', async () => {
    await open(7);
    await world.apply(failingBootstrap(world, 'failing'));
    const patch = (name: string) =>
      world.patch('MachineDeployment', pool, { spec: { template: { spec: { bootstrap: { configRef: { name } } } } } });
    await patch('failing');
    await run(world, resident + 1);
    await decides(1);
    const [asked, machine] = [world.now(), () => machinesIn(world, pool)[0]?.metadata.name];
    await world.until('a machine', () => machine() !== undefined, 1);
    const first = machine();
    await world.until('given up', () => replicasOf(world, pool) === 0, 20);
    expect((world.now() - asked) / minute).toBeGreaterThanOrEqual(15);
    expect((world.now() - asked) / minute).toBeLessThan(16);
    expect(await eventsAbout(world, pool)).toContain(`ScaleDown: Removes Machine ${first}: NotProvisioned`);
    await world.pass(4);
    expect(replicasOf(world, pool), 'in backoff').toBe(0);
    await patch('quickstart-workers');
    await world.until('a node', () => nodesIn(world, pool) === 1, 20);
    await world.pass(3);
    expect([await placedIn(world), replicasOf(world, pool)]).toEqual([resident + 1, 1]);
  });

  it('take no node from a pool that they should replace', async () => {
    await open(8);
    await run(world, resident + 2);
    await grown(2);
    await world.pass(12);
    const seen = scalings();
    await world.apply(failingBootstrap(world, 'failing'));
    await world.patch('MachineDeployment', pool, {
      spec: { template: { spec: { bootstrap: { configRef: { name: 'failing' } } } } },
    });
    await world.pass(60);
    expect(seen[pool]).toBeUndefined();
    expect([nodesIn(world, pool), await placedIn(world)]).toEqual([2, resident + 2]);
  });
});

describe('a machine that loses its host', () => {
  const lose = (name: string) => {
    const [, id = ''] = /\/(i-[^/]+)$/.exec(world.find('Machine', name)?.spec?.providerID ?? '') ?? [];
    world.system.account.terminate(id);
  };
  const names = () => machinesIn(world, pool).map(({ metadata }) => metadata.name);

  it('is given back, and the pods that it ran get another one', async () => {
    await open(11);
    await run(world, resident + 1);
    await grown(1);
    const [lost] = names();
    lose(lost!);
    await world.until('replaced', () => !names().includes(lost!) && nodesIn(world, pool) === 1, 20);
    expect(await eventsAbout(world, pool)).toContainEqual(
      expect.stringMatching(new RegExp(`^ScaleDown: Removes .*${lost}.*: Failed$`)),
    );
    await world.until('settled', () => isSettled(world), 20);
    expect([await placedIn(world), replicasOf(world, pool)]).toEqual([resident + 1, 1]);
  });

  it('is replaced in a pool at its minimum, and no other machine is touched', async () => {
    world = await openPool(quickstart, 12, pool, sizes(2, 20));
    await grown(2);
    const [lost, other] = names();
    const seen = scalings();
    lose(lost!);
    await world.until('replaced', () => !names().includes(lost!) && nodesIn(world, pool) === 2, 20);
    expect(names()).toContain(other);
    expect(seen[pool]).toBeUndefined();
    expect(await eventsAbout(world, pool)).toContainEqual(
      expect.stringMatching(/^MachineReplaced: Replaces .*: Failed$/),
    );
  });
});

describe('a rollout', () => {
  it('is not interrupted by removals, and the pods that wait get new machines', async () => {
    await open(9);
    await run(world, resident + 2);
    await grown(2);
    await world.pass(12);
    await run(world, 0);
    const after = new Date(world.now()).toISOString();
    await world.patch('MachineDeployment', pool, { spec: { rollout: { after } } });
    const old = new Set(machinesIn(world, pool).map(({ metadata }) => metadata.name));
    await run(world, resident + 4);
    await decides(4, 3);
    await world.until('rolled', () => machinesIn(world, pool).every(({ metadata }) => !old.has(metadata.name)), 40);
    await world.until('settled', () => isSettled(world), 20);
    expect([replicasOf(world, pool), nodesIn(world, pool), await placedIn(world)]).toEqual([4, 4, resident + 4]);
  });
});
