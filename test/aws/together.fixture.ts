/** Machines as a MachineSet creates them in one pass, and what must hold of their instances. */
import { expect } from 'vitest';
import { groupsOf, togetherAnnotation } from '../../kinds/core/contract/together.ts';
import type { Instance } from '../../kinds/ports/cloud/index.ts';
import { isRunning, machineOf } from './machines.ts';
import { addMachine, type World } from './world.ts';

export const region = 'eu-west-1';
export const calls = (world: World, action: string) =>
  world.account.calls().find((one) => one.action === action)?.calls ?? 0;
export const namesFor = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

export const addTogether = (
  world: World,
  names: readonly string[],
  change: (name: string) => Parameters<typeof addMachine>[2] = () => ({}),
) => {
  let id = 0;
  const groups = groupsOf(names, () => `id-${id++}`);
  for (const name of names)
    addMachine(world, name, { controlPlane: false, annotations: groups.get(name) ?? {}, ...change(name) });
};
export const describeAll = async (world: World): Promise<Instance[]> => {
  const { Reservations } = await world.account.call(region, 'DescribeInstances', {});
  return Reservations.flatMap(({ Instances }) => Instances);
};
export const alive = async (world: World) => (await describeAll(world)).filter(({ State }) => State.Name === 'running');
export const allRun = (world: World, names: readonly string[]) => () => names.every((name) => isRunning(world, name)());

/** Each machine has one instance of its own, which carries its tags and can read its bootstrap data. */
export const expectOneEach = async (world: World, names: readonly string[]) => {
  const instances = await alive(world);
  const ids = names.map((name) => machineOf(world, name).spec?.instanceID);
  expect(new Set(ids).size).toBe(names.length);
  expect(instances.map(({ InstanceId }) => InstanceId).sort()).toEqual([...ids].sort());
  for (const name of names) {
    const { Tags } = instances.find(({ InstanceId }) => InstanceId === machineOf(world, name).spec?.instanceID)!;
    expect(Tags).toEqual(
      expect.arrayContaining([
        { Key: 'Name', Value: name },
        { Key: 'MachineName', Value: `default/${name}` },
        { Key: 'capstan.dev/machine-uid', Value: `uid-of-aws-${name}` },
      ]),
    );
  }
};
export const expectNothingLeft = async (world: World, names: readonly string[]) => {
  for (const name of names) world.remove('AWSMachine', name);
  await world.until(() => names.every((name) => !world.find('AWSMachine', name)));
  world.remove('AWSCluster', 'demo');
  await world.until(() => world.find('AWSCluster', 'demo') === undefined);
  expect(world.account.list()).toEqual([]);
};

/** Three machines are enough to disturb, and none of them is launched alone without a disturbance. */
export const trio = ['m0', 'm1', 'm2'];
export const addTrio = (world: World, change: (name: string) => Parameters<typeof addMachine>[2] = () => ({})) => {
  for (const [index, name] of trio.entries()) {
    const note = JSON.stringify({ id: 'group', first: 'm0', index, count: 3 });
    addMachine(world, name, { controlPlane: false, annotations: { [togetherAnnotation]: note }, ...change(name) });
  }
};
export const lagging = { inconsistency: 8_000, staleReads: 0.6 };
