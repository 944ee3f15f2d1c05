/** One cluster's life: created, and then whatever its users may come to want. */

import type { AWSMachine } from '../../../kinds/aws-machine/index.ts';
import type { ClusterOperation } from '../../../kinds/cluster-operation/index.ts';
import type { Machine } from '../../../kinds/machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Clock, sleep } from '../../../machinery/ports.ts';
import type { Client } from '../clients/client.ts';
import type { Dice } from '../dice.ts';
import type { World } from '../site.ts';
import { manifestOf, type Wish } from './manifest.ts';

const minute = 60_000;

export interface Life {
  name: string;
  /** What its users want of it in the end; undefined when they want it gone. */
  wish: Wish | undefined;
  /** Everything that they applied. */
  documents: readonly KubeObject[];
}

interface Scene {
  client: Client;
  draw: Dice;
  clock: Clock;
  world: World;
  life: Life;
  wish: Wish;
  settled: (minutes: number) => Promise<void>;
  tell: (what: string) => void;
}

const workersOf = ({ world, wish }: Scene): Machine[] =>
  world.mirror
    .all<Machine>('Machine')
    .filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] === `${wish.name}-workers`);

const applyAll = async ({ client, wish, life }: Scene) => {
  const documents = manifestOf(wish);
  const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`;
  life.documents = [...new Map([...life.documents, ...documents].map((object) => [nameOf(object), object])).values()];
  for (const object of documents) await client.apply(object);
};

const deployment = ({ wish }: Scene) => `${wish.name}-workers`;
const controlPlane = ({ wish }: Scene) => `${wish.name}-control-plane`;

const actions = {
  'scale workers': async (scene: Scene) => {
    scene.wish.workers = scene.draw.whole(0, 3);
    await scene.client.scale('MachineDeployment', deployment(scene), scene.wish.workers);
  },
  'scale control plane': async (scene: Scene) => {
    scene.wish.controlPlanes = scene.wish.controlPlanes === 1 ? 3 : 1;
    await scene.client.scale('KubeadmControlPlane', controlPlane(scene), scene.wish.controlPlanes);
  },
  'roll workers': async (scene: Scene) => {
    scene.wish.instanceType = scene.wish.instanceType === 't3.large' ? 'm5.large' : 't3.large';
    await applyAll(scene);
  },
  upgrade: async (scene: Scene) => {
    const { wish, client } = scene;
    wish.version = wish.version === 'v1.35.0' ? 'v1.35.1' : 'v1.36.0';
    const answer = await client.patch('KubeadmControlPlane', controlPlane(scene), { spec: { version: wish.version } });
    if (answer.code >= 300) throw new Error(`the version is refused: ${answer.body.message}`);
    if (scene.draw.chance(0.5)) await scene.settled(90);
    wish.workerVersion = wish.version;
    await client.patch('MachineDeployment', deployment(scene), {
      spec: { template: { spec: { version: wish.workerVersion } } },
    });
  },
  pause: async (scene: Scene) => {
    const { client, wish, draw } = scene;
    await client.patch('Cluster', wish.name, { spec: { paused: true } });
    await sleep(scene.clock, draw.spread(10_000, 6 * 60 * minute));
    await client.patch('Cluster', wish.name, { spec: { paused: false } });
  },
  'delete a machine': async (scene: Scene) => {
    const machines = workersOf(scene);
    if (machines.length > 0) await scene.client.remove('Machine', scene.draw.pick(machines).metadata.name);
  },
  'end an instance': async (scene: Scene) => {
    const machines = workersOf(scene);
    if (machines.length === 0) return;
    const machine = scene.draw.pick(machines);
    const { name } = machine.metadata;
    const infrastructure = scene.world.mirror.get<AWSMachine>(
      'AWSMachine',
      'default',
      machine.spec?.infrastructureRef?.name ?? '',
    );
    const id = infrastructure?.spec?.instanceID;
    if (!id || !scene.world.account.list().some((one) => one.id === id && one.state === 'running')) return;
    scene.world.account.terminate(id);
    await sleep(scene.clock, scene.draw.spread(1000, 30 * minute));
    await scene.client.remove('Machine', name);
  },
  'apply again and again': async (scene: Scene) => {
    const until = scene.clock.now() + scene.draw.spread(10_000, 3 * minute);
    const every = scene.draw.spread(3000, 30_000);
    while (scene.clock.now() < until) {
      await applyAll(scene);
      await sleep(scene.clock, every);
    }
  },
  'delete the deployment and apply it again': async (scene: Scene) => {
    const { client, clock, draw } = scene;
    await client.remove('MachineDeployment', deployment(scene));
    await sleep(clock, draw.spread(1000, 20 * minute));
    while ((await client.get('MachineDeployment', deployment(scene))).code !== 404) await sleep(clock, 20_000);
    await applyAll(scene);
  },
  'delete the infrastructure of a machine': async (scene: Scene) => {
    const machines = workersOf(scene);
    if (machines.length === 0) return;
    const { metadata, spec } = scene.draw.pick(machines);
    await scene.client.remove('AWSMachine', spec?.infrastructureRef?.name ?? metadata.name);
    await sleep(scene.clock, scene.draw.spread(1000, 20 * minute));
    await scene.client.remove('Machine', metadata.name);
  },
  'cancel the operation': async ({ client, world }: Scene) => {
    const running = world.mirror
      .all<ClusterOperation>('ClusterOperation')
      .find(({ status }) => status?.phase === 'Running');
    if (running) await client.patch('ClusterOperation', running.metadata.name, { spec: { cancel: true } });
  },
  'want what there is not, then repair': async (scene: Scene) => {
    const { client, clock, draw, wish } = scene;
    const instanceType = wish.instanceType;
    wish.instanceType = 'x9.imagined';
    await applyAll(scene);
    await sleep(clock, draw.spread(1000, 40 * minute));
    wish.instanceType = instanceType;
    await applyAll(scene);
    await client.remove('AWSMachineTemplate', `${wish.name}-x9.imagined`);
  },
  'delete and create again': async (scene: Scene) => {
    const { client, wish } = scene;
    await client.remove('Cluster', wish.name);
    // The namesake comes as soon as the name is free.
    while ((await client.get('Cluster', wish.name)).code !== 404) await sleep(scene.clock, 20_000);
    await applyAll(scene);
  },
} satisfies Record<string, (scene: Scene) => Promise<void>>;
export type ActionName = keyof typeof actions;
export const actionNames = Object.keys(actions) as ActionName[];

export interface LifeOptions {
  name: string;
  draw: Dice;
  client: Client;
  world: World;
  /** How many things are done to it. */
  steps: number;
  /** Waits until it is as wanted, or for so many minutes. */
  settled: (minutes: number) => Promise<void>;
  /** Called before each action. */
  onAction: (action: string) => void;
}

/** Plays a life; resolves when nobody does anything any more, with what is wanted in the end. */
export const live = async (options: LifeOptions, life: Life): Promise<void> => {
  const { name, draw, client, world, steps, settled, onAction } = options;
  const wish: Wish = {
    name,
    // Most of what can go wrong needs few machines, and many runs.
    controlPlanes: draw.chance(0.12) ? 3 : 1,
    workers: draw.chance(0.7) ? 1 : draw.whole(0, 3),
    version: 'v1.35.0',
    workerVersion: 'v1.35.0',
    instanceType: 't3.large',
    onFailure: draw.pick(['TearDown', 'Hold', 'Retry']),
    paused: false,
  };
  life.wish = wish;
  const scene: Scene = { client, draw, clock: world.clock, world, life, wish, settled, tell: onAction };
  onAction('create');
  await applyAll(scene);
  for (let step = 0; step < steps; step++) {
    if (draw.chance(0.6)) await settled(90);
    else await sleep(world.clock, draw.spread(1000, 40 * minute));
    const action = draw.pick(actionNames);
    onAction(action);
    await actions[action](scene);
  }
  if (draw.chance(0.5)) {
    if (draw.chance(0.5)) await settled(90);
    onAction('delete');
    life.wish = undefined;
    await client.remove('Cluster', name);
  }
};
