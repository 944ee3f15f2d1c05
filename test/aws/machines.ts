/** AWSMachines on the simulated account: their setup, and queries for tests. */
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { BehaviourOptions } from '../../simulation/aws/index.ts';
import { addCluster, createWorld, type World } from './world.ts';

export const machineOf = (world: World, name = 'one') => world.get<AWSMachine>('AWSMachine', name);
export const isRunning =
  (world: World, name = 'one') =>
  () =>
    machineOf(world, name)?.status?.ready === true;
export const isGone =
  (world: World, name = 'one') =>
  () =>
    world.find('AWSMachine', name) === undefined;
export const conditionOf = (world: World, type: string) =>
  machineOf(world).status?.conditions?.find((condition) => condition.type === type);
export const instances = (world: World) => world.live('instance');

export const started = async (options: { seed?: number; behaviour?: BehaviourOptions } = {}, spec = {}) => {
  const world = createWorld(options);
  addCluster(world, spec);
  await world.until(() => world.get<AWSCluster>('AWSCluster', 'demo')?.status?.ready === true);
  return world;
};
