import { describe, expect, it } from 'vitest';
import { instances, isGone, isRunning, machineOf, started } from './machines.ts';
import { addMachine, type World } from './world.ts';

describe('an AWSMachine with an existing instance', () => {
  /** An instance with its AWSMachine. */
  const launched = async () => {
    const world = await started();
    addMachine(world, 'one');
    await world.until(isRunning(world));
    await world.run(120);
    const { spec } = machineOf(world);
    return { world, id: spec!.instanceID!, spec: { instanceID: spec!.instanceID, providerID: spec!.providerID } };
  };
  const forget = (world: World, name: string) => {
    const deletionTimestamp = new Date(world.now()).toISOString();
    const { metadata, ...object } = machineOf(world, name);
    world.put({ ...object, metadata: { ...metadata, finalizers: [], deletionTimestamp } });
  };
  /** The state after clusterctl move: a new object that names the instance of a deleted one. */
  const moved = async (change: (world: World, id: string) => Promise<unknown> = async () => {}, more: object = {}) => {
    const { world, id, spec } = await launched();
    await change(world, id);
    forget(world, 'one');
    addMachine(world, 'moved', { spec: { ...spec, ...more } });
    return { world, id };
  };
  const tagsOf = async (world: World, InstanceId: string) => {
    const { Reservations } = await world.account.call('eu-west-1', 'DescribeInstances', { InstanceIds: [InstanceId] });
    return Object.fromEntries(Reservations[0]!.Instances[0]!.Tags.map(({ Key, Value }) => [Key, Value]));
  };
  const readiness = (world: World, name: string) =>
    machineOf(world, name).status?.conditions?.find(({ type }) => type === 'InstanceReady');

  it('updates its tags, and terminates it on deletion', async () => {
    const { world, id } = await moved();
    await world.until(isRunning(world, 'moved'));
    await world.run(120);
    expect(await tagsOf(world, id)).toMatchObject({ 'capstan.dev/machine-uid': 'uid-of-aws-moved' });
    expect(instances(world)).toEqual([id]);
    world.remove('AWSMachine', 'moved');
    await world.until(isGone(world, 'moved'));
    expect(instances(world)).toEqual([]);
  });

  it('terminates it even when deleted before its tags are updated, whatever secrets it names', async () => {
    const cloudInit = { secretPrefix: 'aws.cluster.x-k8s.io/another', secretCount: 1 };
    const { world } = await moved(undefined, { cloudInit });
    world.put({ ...world.get('Cluster', 'demo'), status: {} });
    await world.run(60);
    world.remove('AWSMachine', 'moved');
    await world.until(isGone(world, 'moved'));
    expect(instances(world)).toEqual([]);
  });

  const tag = (Key: string, Value: string) => (world: World, id: string) =>
    world.account.call('eu-west-1', 'CreateTags', { Resources: [id], Tags: [{ Key, Value }] });
  it.each([
    { rule: 'another cluster', change: tag('capstan.dev/cluster-uid', 'another') },
    { rule: 'another installation', change: tag('capstan.dev/installation', 'another') },
    {
      rule: 'no owner',
      change: (world: World, id: string) =>
        world.account.call('eu-west-1', 'DeleteTags', {
          Resources: [id],
          Tags: [{ Key: 'capstan.dev/cluster-uid' }, { Key: 'capstan.dev/installation' }],
        }),
    },
  ])('leaves the instance alone, also on deletion, when its tags name $rule', async ({ change }) => {
    const { world, id } = await moved(change);
    const before = await tagsOf(world, id);
    await world.run(600);
    expect(await tagsOf(world, id)).toEqual(before);
    const tags = 'capstan.dev/installation=here and capstan.dev/cluster-uid=uid-of-demo';
    expect(readiness(world, 'moved')).toMatchObject({
      status: 'False',
      message: `Instance ${id} does not carry the tags ${tags}: it stays as it is`,
    });
    world.remove('AWSMachine', 'moved');
    await world.until(isGone(world, 'moved'));
    expect(instances(world)).toEqual([id]);
    expect(world.events).toContain(`InstanceStays: Instance ${id} does not carry the tags ${tags}: it stays`);
  });

  it('leaves the instance alone when another AWSMachine of its cluster has it', async () => {
    const { world, id, spec } = await launched();
    const before = await tagsOf(world, id);
    addMachine(world, 'copy', { spec });
    await world.run(600);
    expect(await tagsOf(world, id)).toEqual(before);
    expect(readiness(world, 'copy')?.message).toBe(
      `Instance ${id} was launched for another AWSMachine: it stays as it is`,
    );
    world.remove('AWSMachine', 'copy');
    await world.until(isGone(world, 'copy'));
    await world.run(120);
    expect(instances(world)).toEqual([id]);
    expect(isRunning(world)()).toBe(true);
  });
});
