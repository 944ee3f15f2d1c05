import { describe, expect, it } from 'vitest';
import { filledAnnotation } from '../../kinds/common/filled.ts';
import { deployment } from './toys.ts';
import { createWorld } from './world.ts';

type World = Awaited<ReturnType<typeof createWorld>>;
const kinds = ['machines', 'sets', 'hosts', 'configs'] as const;
const countsOf = async (world: World) => Promise.all(kinds.map(async (kind) => (await world.get(kind)).length));

describe('a cluster that cannot be completed', () => {
  it.each([0, 1])('is torn down, and created again by the next attempt (seed %i)', async (seed) => {
    const world = await createWorld({ seed, operated: true });
    await world.apply(deployment({ replicas: 3 }));
    const given = [(await world.deployment())?.spec, (await world.cluster()).spec];
    world.tell('applied, and not admitted yet');
    await world.settle((machines) => expect(machines).toEqual([]));

    world.tell('admitted; only two hosts are to be had');
    world.limitHosts(2);
    await world.operate('c-create-1', 'Build');
    await world.settle();
    expect(await countsOf(world)).toEqual([3, 1, 3, 3]);
    expect((await world.cluster()).spec?.controlPlaneEndpoint).toEqual({ host: 'c.example', port: 6443 });

    world.tell('held: a machine that is deleted is not replaced');
    await world.operate('c-create-1', 'Hold');
    await world.deleteMachine('machine1');
    await world.settle((machines) => expect(machines.length).toBeLessThanOrEqual(3));
    expect(await countsOf(world)).toEqual([2, 1, 2, 2]);

    world.tell('torn down');
    await world.operate('c-create-1', 'Nothing');
    await world.settle();
    expect(await countsOf(world)).toEqual([0, 0, 0, 0]);
    expect([(await world.deployment())?.spec, (await world.cluster()).spec]).toEqual(given);
    const torn = await world.cluster();
    expect(torn.status?.initialization).toBeUndefined();
    expect(torn.metadata.annotations).not.toHaveProperty(filledAnnotation);

    world.tell('the next attempt, not admitted yet');
    await world.operate('c-create-2', 'Wait');
    await world.settle((machines) => expect(machines).toEqual([]));

    world.tell('admitted, and there are hosts');
    world.limitHosts(3);
    await world.operate('c-create-2', 'Build');
    await world.settle();
    expect(await countsOf(world)).toEqual([3, 1, 3, 3]);
    const { annotations } = (await world.deployment())!.metadata;
    expect(annotations?.['machinedeployment.clusters.x-k8s.io/revision']).toBe('1');

    world.tell('was Available: no target tears it down any more');
    await world.operate('c-create-2', 'Nothing');
    await world.settle();
    expect(await countsOf(world)).toEqual([3, 1, 3, 3]);
    if (seed === 0) await expect(world.story()).toMatchFileSnapshot('teardown.golden.txt');
  });
});
