import { beforeAll, describe, expect, it } from 'vitest';
import { expectNothingDoubled, expectWhole, isSettled, remains } from './checks.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);

/** The number of durable changes before the first kill, and between later ones: recovery costs some, too. */
const step = Number(process.env.CAPSTAN_STEP ?? 97);
const more = 13;

/** Kills the process repeatedly while the world converges. */
const kill = async (world: World, done: () => boolean) => {
  world.onCommit(
    ({ type }) => type.startsWith('aws') && world.all('Cluster').length > 0 && expectNothingDoubled(world),
  );
  let kills = 0;
  const again = () => {
    kills += 1;
    world.crashAfter(step + kills * more);
  };
  world.onRestart(again);
  again();
  await world.until('the end', done, 120);
  world.crashAfter(Number.POSITIVE_INFINITY);
  return kills;
};

describe(`killed every ${step} changes`, () => {
  it('a creation completes', async () => {
    const world = await createWorld();
    for (const object of example('quickstart.yaml')) await world.apply(object);
    expect(await kill(world, () => isSettled(world))).toBeGreaterThan(10);
    await world.pass(5);
    expectWhole(world);
    world.end();
  });

  it('scaling up and down completes', async () => {
    const world = await createWorld({ from: quickstart, seed: 2 });
    await world.scale('MachineDeployment', 'quickstart-workers', 4);
    expect(await kill(world, () => isSettled(world))).toBeGreaterThan(1);
    await world.scale('MachineDeployment', 'quickstart-workers', 1);
    await kill(world, () => isSettled(world));
    await world.pass(5);
    expectWhole(world);
    world.end();
  });

  it('a rollout completes', async () => {
    const world = await createWorld({ from: quickstart, seed: 3 });
    const answer = await world.patch('MachineDeployment', 'quickstart-workers', {
      spec: { template: { spec: { version: 'v1.35.1' } } },
    });
    expect(answer.code, answer.body.message).toBe(200);
    const isRolled = () => world.all('Machine').filter(({ spec }) => spec?.version === 'v1.35.1').length === 2;
    expect(await kill(world, () => isRolled() && isSettled(world))).toBeGreaterThan(1);
    await world.pass(5);
    expectWhole(world);
    world.end();
  });

  it('a deletion completes', async () => {
    const world = await createWorld({ from: quickstart, seed: 4 });
    await world.remove('Cluster', 'quickstart');
    expect(await kill(world, () => remains(world).length === 0)).toBeGreaterThan(1);
    world.end();
  });
});
