/**
 * Pools that Capstan scales, while their pods come and go, capacity is missing, machines never join,
 * and users change sizes, pause, scale and delete.
 */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import type { ScenarioContext } from '../context.ts';
import { full } from '../machines/failures.ts';
import { rollControlPlane } from '../maintenance.ts';
import { type DesiredPool, poolDocuments } from './documents.ts';
import { podsIn, runPods, runSelectingPods, selectedLabel } from './pods.ts';

const second = 1000;
const minute = 60 * second;

/** All pods of the end fit in the pools. */
const mostPods = 8;
const enough = 6;

const applyPool = async ({ client, life, desired, world }: ScenarioContext, pool: DesiredPool): Promise<void> => {
  const documents = poolDocuments(world.mirror, desired, pool);
  const isOther = ({ kind, metadata }: KubeObject) =>
    documents.every((one) => one.kind !== kind || one.metadata.name !== metadata.name);
  life.documents = [...life.documents.filter(isOther), ...documents];
  for (const object of documents) await client.apply(object);
};

const machinesOf = ({ world }: ScenarioContext, { name }: DesiredPool): KubeObject[] =>
  world.mirror.all('Machine').filter(({ metadata: { labels, deletionTimestamp } }) => {
    return labels?.['cluster.x-k8s.io/deployment-name'] === name && !deletionTimestamp;
  });

type Play = (context: ScenarioContext, pool: DesiredPool) => Promise<void>;

const plays = {
  'run pods': async (context) => {
    await runPods(context, context.draw.whole(0, mostPods));
  },
  'stop all pods': async (context) => {
    await runPods(context, 0);
  },
  // The few pods that are left in the end run on nodes of the other pool.
  'offer cheaper nodes': async (context, pool) => {
    const { draw, settled } = context;
    pool.max = pool.min;
    await applyPool(context, pool);
    await runPods(context, mostPods);
    await settled(20);
    await runPods(context, draw.whole(1, 3));
    await settled(draw.whole(5, 20));
    pool.max = enough;
    await applyPool(context, pool);
    await settled(20);
  },
  'change the sizes': async (context, pool) => {
    const { draw } = context;
    pool.min = draw.whole(0, 2);
    pool.max = pool.min + draw.whole(0, enough);
    await applyPool(context, pool);
  },
  'pause the pool': async (context, { name }) => {
    const { client, clock, draw } = context;
    await client.patch('MachineDeployment', name, { spec: { paused: true } });
    await sleep(clock, draw.spread(10 * second, 30 * minute));
    await client.patch('MachineDeployment', name, { spec: { paused: null } });
  },
  'pause the cluster': async ({ client, clock, draw, desired }) => {
    await client.patch('Cluster', desired.name, { spec: { paused: true } });
    await sleep(clock, draw.spread(10 * second, 30 * minute));
    await client.patch('Cluster', desired.name, { spec: { paused: false } });
  },
  'scale the pool': async ({ client, draw }, { name, max }) => {
    await client.scale('MachineDeployment', name, draw.whole(0, max + 1));
  },
  'roll the pool': async (context, pool) => {
    pool.rolledAt = new Date(context.clock.now()).toISOString().replace(/\.\d+/, '');
    await applyPool(context, pool);
  },
  'delete the pool and apply it again': async (context, pool) => {
    const { client, clock, draw } = context;
    await client.remove('MachineDeployment', pool.name);
    await sleep(clock, draw.spread(second, 20 * minute));
    while ((await client.get('MachineDeployment', pool.name)).code !== 404) await sleep(clock, 20 * second);
    await applyPool(context, pool);
  },
  'opt out and in': async (context, pool) => {
    const { client, clock, draw } = context;
    await client.patch('MachineDeployment', pool.name, {
      metadata: { annotations: { 'capstan.dev/autoscale': 'false' } },
    });
    await sleep(clock, draw.spread(10 * second, 30 * minute));
    await client.patch('MachineDeployment', pool.name, {
      metadata: { annotations: { 'capstan.dev/autoscale': null } },
    });
  },
  'lack capacity': async (context) => {
    const { clock, draw, world } = context;
    const { id } = world.account.faults.add({ action: 'RunInstances', code: full });
    if (draw.chance(0.7)) await runPods(context, mostPods);
    await sleep(clock, draw.spread(minute, 40 * minute));
    world.account.faults.clear(id);
  },
  'never join': async (context, pool) => {
    const { clock, draw } = context;
    pool.neverJoins = true;
    await applyPool(context, pool);
    if (draw.chance(0.7)) await runPods(context, mostPods);
    await sleep(clock, draw.spread(minute, 60 * minute));
    pool.neverJoins = false;
    await applyPool(context, pool);
  },
  'declare a label in vain': async (context, pool) => {
    const { clock, draw } = context;
    pool.declares = selectedLabel;
    await applyPool(context, pool);
    await runSelectingPods(context, draw.whole(1, 4));
    await sleep(clock, draw.spread(30 * minute, 240 * minute));
    delete pool.declares;
    await applyPool(context, pool);
    await runSelectingPods(context, 0);
  },
  'delete a machine': async (context, pool) => {
    const machines = machinesOf(context, pool);
    if (machines.length > 0) await context.client.remove('Machine', context.draw.pick(machines).metadata.name);
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

const drawnPools = ({ draw, desired }: ScenarioContext): DesiredPool[] => {
  const consolidates = draw.chance(0.5);
  const pool = (name: string, instanceType: string): DesiredPool => ({
    name: `${desired.name}-${name}`,
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
const makeRoom = async (context: ScenarioContext, pools: readonly DesiredPool[]): Promise<void> => {
  for (const pool of pools) {
    pool.max = enough;
    pool.min = Math.min(pool.min, 2);
    await applyPool(context, pool);
  }
  await runPods(context, context.draw.whole(0, mostPods));
};

export const playPools = async (context: ScenarioContext, steps: number, ordinal: number): Promise<void> => {
  const { client, clock, draw, life, settled, tell, desired } = context;
  const pools = drawnPools(context);
  for (const pool of pools) await applyPool(context, pool);
  await runPods(context, draw.whole(1, mostPods));
  for (let step = 0; step < steps; step++) {
    if (draw.chance(0.4)) await settled(draw.whole(5, 60));
    else await sleep(clock, draw.spread(second, 30 * minute));
    const play = step === 0 ? playNames[ordinal % playNames.length]! : draw.pick(playNames);
    tell(play);
    await plays[play](context, draw.pick(pools));
  }
  if (draw.chance(0.2)) {
    tell('delete');
    life.desired = undefined;
    await client.remove('Cluster', desired.name);
    return;
  }
  if (draw.chance(0.2)) {
    const [gone] = pools.splice(draw.whole(0, pools.length - 1), 1);
    tell('delete the pool');
    await client.remove('MachineDeployment', gone!.name);
    if (pools.length === 0) return void (await runPods(context, 0));
  }
  tell('make room');
  await makeRoom(context, pools);
  life.isServed = () => podsIn(context.world).every(({ spec }) => spec?.nodeName !== undefined);
};
