import { describe, expect, it } from 'vitest';
import { deployment } from './toys.ts';
import { createWorld } from './world.ts';

type World = Awaited<ReturnType<typeof createWorld>>;
const seeds = [0];

const toLarge = (spec: Record<string, unknown>) => {
  const { template } = spec as { template: { spec: { infrastructureRef: { name: string } } } };
  template.spec.infrastructureRef.name = 'large';
  return spec;
};
const scaleTo = (replicas: number) => (spec: Record<string, unknown>) => ({ ...spec, replicas });
/** Every host and config belongs to a Machine, and every Machine has one of each. */
const expectNothingOrphaned = async (world: World) => {
  const [machines, hosts, configs] = await Promise.all(
    (['machines', 'hosts', 'configs'] as const).map((kind) => world.get(kind)),
  );
  const names = (objects: { metadata: { name: string } }[]) => objects.map(({ metadata }) => metadata.name).sort();
  expect(names(hosts!)).toEqual(names(machines!));
  expect(names(configs!)).toEqual(names(machines!));
};

describe('a rolling update', () => {
  const limits = [
    { replicas: 3, maxSurge: 1, maxUnavailable: 0 },
    { replicas: 3, maxSurge: 0, maxUnavailable: 1 },
    { replicas: 6, maxSurge: 3, maxUnavailable: 1 },
  ];
  it.each(
    limits.flatMap((limit) => seeds.map((seed) => ({ ...limit, seed }))),
  )('of $replicas with surge $maxSurge and $maxUnavailable unavailable stays within its limits (seed $seed)', async ({
    replicas,
    maxSurge,
    maxUnavailable,
    seed,
  }) => {
    const world = await createWorld({ seed });
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
    await world.apply(deployment({ replicas, rollout: { strategy } }));
    world.tell('created');
    await world.settle((machines) => expect(machines.length).toBeLessThanOrEqual(replicas));
    world.tell('another infrastructure template');
    await world.change(toLarge);
    await world.settle((machines) => {
      expect(machines.length).toBeLessThanOrEqual(replicas + maxSurge);
      const available = machines.filter((one) => one.isAvailable && !one.isDeleting).length;
      expect(available).toBeGreaterThanOrEqual(replicas - maxUnavailable);
    });
    await expectNothingOrphaned(world);
    const sets = await world.get('sets');
    expect(sets.map(({ spec }) => (spec as { replicas: number }).replicas)).toEqual([replicas]);
    const { annotations } = (await world.deployment())!.metadata;
    expect(annotations?.['machinedeployment.clusters.x-k8s.io/revision']).toBe('2');
    const previous = JSON.parse(annotations?.['capstan.dev/previous-template'] ?? '{}');
    expect([previous.revision, previous.template.spec.infrastructureRef.name]).toEqual([1, 'small']);
    if (seed === 0)
      await expect(world.story()).toMatchFileSnapshot(
        `rolling-update-${replicas}-surge-${maxSurge}-unavailable-${maxUnavailable}.golden.txt`,
      );
  });

  it('returns to the existing set when the template is reverted', async () => {
    const world = await createWorld({ seed: 5 });
    await world.apply(deployment({ replicas: 2 }));
    await world.settle();
    const [first] = await world.get('sets');
    await world.change(toLarge);
    await world.change((spec) => JSON.parse(JSON.stringify(spec).replace('"large"', '"small"')));
    await world.settle();
    expect((await world.get('sets')).map(({ metadata }) => metadata.uid)).toEqual([first?.metadata.uid]);
  });
});

describe('scaling', () => {
  it.each(seeds)('up and down follows the replicas and leaves nothing behind (seed %i)', async (seed) => {
    const world = await createWorld({ seed });
    await world.apply(deployment({ replicas: 1 }));
    for (const replicas of [1, 4, 2, 0, 1]) {
      world.tell(`${replicas} replicas`);
      await world.change(scaleTo(replicas));
      await world.settle();
      expect(await world.get('machines')).toHaveLength(replicas);
      await expectNothingOrphaned(world);
    }
    if (seed === 0) await expect(world.story()).toMatchFileSnapshot('scale.golden.txt');
  });

  it('replaces a deleted machine', async () => {
    const world = await createWorld({ seed: 0 });
    await world.apply(deployment({ replicas: 2 }));
    await world.settle();
    world.tell('machine1 is deleted');
    await world.deleteMachine('machine1');
    await world.settle();
    expect(await world.get('machines')).toHaveLength(2);
    await expectNothingOrphaned(world);
    await expect(world.story()).toMatchFileSnapshot('replace.golden.txt');
  });
});

describe('OnDelete', () => {
  it.each(seeds)('replaces only what the user deletes (seed %i)', async (seed) => {
    const world = await createWorld({ seed });
    await world.apply(deployment({ replicas: 3, rollout: { strategy: { type: 'OnDelete' } } }));
    await world.settle();
    world.tell('another infrastructure template');
    await world.change(toLarge);
    await world.settle();
    expect(await world.get('sets')).toHaveLength(2);
    for (const name of ['machine1', 'machine2', 'machine3']) {
      world.tell(`${name} is deleted`);
      await world.deleteMachine(name);
      await world.settle();
      expect(await world.get('machines')).toHaveLength(3);
    }
    expect(await world.get('sets')).toHaveLength(1);
    await expectNothingOrphaned(world);
    if (seed === 0) await expect(world.story()).toMatchFileSnapshot('on-delete.golden.txt');
  });
});

describe('deleting the deployment', () => {
  it.each(seeds)('deletes everything with it (seed %i)', async (seed) => {
    const world = await createWorld({ seed });
    await world.apply(deployment({ replicas: 3 }));
    await world.settle();
    world.tell('deleted');
    await world.remove();
    await world.settle();
    for (const kind of ['machines', 'sets', 'hosts', 'configs'] as const) expect(await world.get(kind)).toEqual([]);
    if (seed === 0) await expect(world.story()).toMatchFileSnapshot('delete.golden.txt');
  });
});
