/**
 * Pools that Capstan scales, while their pods come and go, capacity is missing, machines never join,
 * and users change sizes, pause, scale and delete.
 */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import type { Scene } from '../context.ts';
import { full } from '../machines/failures.ts';
import { rollControlPlane } from '../maintenance.ts';
import { type PoolWish, poolDocuments } from './documents.ts';
import { podsIn, runPods, runSelectingPods, selectedLabel } from './pods.ts';

const second = 1000;
const minute = 60 * second;

/** All pods of the end fit in the pools. */
const mostPods = 8;
const enough = 6;

const applyPool = async ({ client, life, wish, world }: Scene, pool: PoolWish): Promise<void> => {
  const documents = poolDocuments(world.mirror, wish, pool);
  const isOther = ({ kind, metadata }: KubeObject) =>
    documents.every((one) => one.kind !== kind || one.metadata.name !== metadata.name);
  life.documents = [...life.documents.filter(isOther), ...documents];
  for (const object of documents) await client.apply(object);
};

const machinesOf = ({ world }: Scene, { name }: PoolWish): KubeObject[] =>
  world.mirror.all('Machine').filter(({ metadata: { labels, deletionTimestamp } }) => {
    return labels?.['cluster.x-k8s.io/deployment-name'] === name && !deletionTimestamp;
  });

type Play = (scene: Scene, pool: PoolWish) => Promise<void>;

const plays = {
  'run pods': async (scene) => {
    await runPods(scene, scene.draw.whole(0, mostPods));
  },
  'stop all pods': async (scene) => {
    await runPods(scene, 0);
  },
  // The few pods that are left in the end run on nodes of the other pool.
  'offer cheaper nodes': async (scene, pool) => {
    const { draw, settled } = scene;
    pool.max = pool.min;
    await applyPool(scene, pool);
    await runPods(scene, mostPods);
    await settled(20);
    await runPods(scene, draw.whole(1, 3));
    await settled(draw.whole(5, 20));
    pool.max = enough;
    await applyPool(scene, pool);
    await settled(20);
  },
  'change the sizes': async (scene, pool) => {
    const { draw } = scene;
    pool.min = draw.whole(0, 2);
    pool.max = pool.min + draw.whole(0, enough);
    await applyPool(scene, pool);
  },
  'pause the pool': async (scene, { name }) => {
    const { client, clock, draw } = scene;
    await client.patch('MachineDeployment', name, { spec: { paused: true } });
    await sleep(clock, draw.spread(10 * second, 30 * minute));
    await client.patch('MachineDeployment', name, { spec: { paused: null } });
  },
  'pause the cluster': async ({ client, clock, draw, wish }) => {
    await client.patch('Cluster', wish.name, { spec: { paused: true } });
    await sleep(clock, draw.spread(10 * second, 30 * minute));
    await client.patch('Cluster', wish.name, { spec: { paused: false } });
  },
  'scale the pool': async ({ client, draw }, { name, max }) => {
    await client.scale('MachineDeployment', name, draw.whole(0, max + 1));
  },
  'roll the pool': async (scene, pool) => {
    pool.rolledAt = new Date(scene.clock.now()).toISOString().replace(/\.\d+/, '');
    await applyPool(scene, pool);
  },
  'delete the pool and apply it again': async (scene, pool) => {
    const { client, clock, draw } = scene;
    await client.remove('MachineDeployment', pool.name);
    await sleep(clock, draw.spread(second, 20 * minute));
    while ((await client.get('MachineDeployment', pool.name)).code !== 404) await sleep(clock, 20 * second);
    await applyPool(scene, pool);
  },
  'opt out and in': async (scene, pool) => {
    const { client, clock, draw } = scene;
    await client.patch('MachineDeployment', pool.name, {
      metadata: { annotations: { 'capstan.dev/autoscale': 'false' } },
    });
    await sleep(clock, draw.spread(10 * second, 30 * minute));
    await client.patch('MachineDeployment', pool.name, {
      metadata: { annotations: { 'capstan.dev/autoscale': null } },
    });
  },
  'lack capacity': async (scene) => {
    const { clock, draw, world } = scene;
    const { id } = world.account.faults.add({ action: 'RunInstances', code: full });
    if (draw.chance(0.7)) await runPods(scene, mostPods);
    await sleep(clock, draw.spread(minute, 40 * minute));
    world.account.faults.clear(id);
  },
  'never join': async (scene, pool) => {
    const { clock, draw } = scene;
    pool.neverJoins = true;
    await applyPool(scene, pool);
    if (draw.chance(0.7)) await runPods(scene, mostPods);
    await sleep(clock, draw.spread(minute, 60 * minute));
    pool.neverJoins = false;
    await applyPool(scene, pool);
  },
  'declare a label in vain': async (scene, pool) => {
    const { clock, draw } = scene;
    pool.declares = selectedLabel;
    await applyPool(scene, pool);
    await runSelectingPods(scene, draw.whole(1, 4));
    await sleep(clock, draw.spread(30 * minute, 240 * minute));
    delete pool.declares;
    await applyPool(scene, pool);
    await runSelectingPods(scene, 0);
  },
  'delete a machine': async (scene, pool) => {
    const machines = machinesOf(scene, pool);
    if (machines.length > 0) await scene.client.remove('Machine', scene.draw.pick(machines).metadata.name);
  },
  // Its Machine waits for a health check or, as here, for a user.
  'terminate an instance': async ({ client, clock, draw, world }, { name }) => {
    const running = world.account
      .list()
      .filter(
        ({ type, state, tags }) => type === 'instance' && state === 'running' && tags.MachineName?.includes(name),
      );
    if (running.length === 0) return;
    const { id, tags } = draw.pick(running);
    world.account.terminate(id);
    await sleep(clock, draw.spread(second, 40 * minute));
    await client.remove('Machine', tags.MachineName!.split('/')[1]!);
  },
  // The new hosts report pending pods.
  'roll the control plane': rollControlPlane,
} satisfies Record<string, Play>;
const playNames = Object.keys(plays) as (keyof typeof plays)[];

const drawnPools = ({ draw, wish }: Scene): PoolWish[] => {
  const consolidates = draw.chance(0.5);
  const pool = (name: string, instanceType: string): PoolWish => ({
    name: `${wish.name}-${name}`,
    instanceType,
    min: draw.whole(0, 1),
    max: draw.whole(2, enough),
    neverJoins: false,
    consolidates,
  });
  const pools = [pool('burst', 't3.large')];
  return consolidates || draw.chance(0.5) ? [...pools, pool('large', 'm5.xlarge')] : pools;
};

/** Everything that waits fits in the end. */
const makeRoom = async (scene: Scene, pools: readonly PoolWish[]): Promise<void> => {
  for (const pool of pools) {
    pool.max = enough;
    pool.min = Math.min(pool.min, 2);
    await applyPool(scene, pool);
  }
  await runPods(scene, scene.draw.whole(0, mostPods));
};

export const playPools = async (scene: Scene, steps: number, ordinal: number): Promise<void> => {
  const { client, clock, draw, life, settled, tell, wish } = scene;
  const pools = drawnPools(scene);
  for (const pool of pools) await applyPool(scene, pool);
  await runPods(scene, draw.whole(1, mostPods));
  for (let step = 0; step < steps; step++) {
    if (draw.chance(0.4)) await settled(draw.whole(5, 60));
    else await sleep(clock, draw.spread(second, 30 * minute));
    const play = step === 0 ? playNames[ordinal % playNames.length]! : draw.pick(playNames);
    tell(play);
    await plays[play](scene, draw.pick(pools));
  }
  if (draw.chance(0.2)) {
    tell('delete');
    life.wish = undefined;
    await client.remove('Cluster', wish.name);
    return;
  }
  if (draw.chance(0.2)) {
    const [gone] = pools.splice(draw.whole(0, pools.length - 1), 1);
    tell('delete the pool');
    await client.remove('MachineDeployment', gone!.name);
    if (pools.length === 0) return void (await runPods(scene, 0));
  }
  tell('make room');
  await makeRoom(scene, pools);
  life.isServed = () => podsIn(scene.world).every(({ spec }) => spec?.nodeName !== undefined);
};
