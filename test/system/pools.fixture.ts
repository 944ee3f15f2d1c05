/** A pool that Capstan scales in the quickstart cluster, and the pods that need it. */
import type { KubeObject } from '../../machinery/api/object.ts';
import type { PodObject } from '../../simulation/workload/objects.ts';
import { createWorld, type Moment, type World } from './world.ts';

export const cluster = 'quickstart';
export type Annotations = Record<string, string>;

export const sizes = (min: number, max: number, more: Annotations = {}): Annotations => ({
  'capstan.dev/autoscale-min': String(min),
  'capstan.dev/autoscale-max': String(max),
  'cluster.x-k8s.io/autoscaling-options-scaledownunneededtime': '2m',
  ...more,
});

/** As the workers of the quickstart, without replicas of its own. */
export const poolLike = (world: World, name: string, annotations: Annotations): KubeObject => {
  const { apiVersion, kind, spec } = world.find('MachineDeployment', 'quickstart-workers')!;
  const { bootstrap, infrastructureRef, version } = spec!.template.spec;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: 'default', annotations },
    spec: {
      clusterName: cluster,
      selector: {},
      template: { spec: { clusterName: cluster, bootstrap, infrastructureRef, version } },
    },
  };
};

/** A Deployment whose pods have the label `app` and request this much. */
export const workload = (name: string, replicas: number, cpu: string, pod: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name, image: `${name}:1`, resources: { requests: { cpu, memory: '1Gi' } } }], ...pod },
    },
  },
});

export const guestOf = (world: World) => world.system.guests.clusters.all()[0]!;

/** Creates the Deployment, or changes how many pods it has. */
export const run = async (world: World, replicas: number, { name = 'web', cpu = '1500m', pod = {} } = {}) => {
  const guest = guestOf(world);
  const old = (await world.wait(guest.get('deployments.apps', 'default', name))) as KubeObject | undefined;
  if (!old) return world.wait(guest.create(workload(name, replicas, cpu, pod)));
  return world.wait(guest.put([{ ...old, spec: { ...(old.spec as object), replicas } }]));
};

export const podsOf = async (world: World, name = 'web'): Promise<PodObject[]> =>
  (await world.wait(guestOf(world).list<PodObject>('pods'))).filter(({ metadata }) => metadata.labels?.app === name);
export const placedIn = async (world: World, name = 'web'): Promise<number> =>
  (await podsOf(world, name)).filter(({ spec }) => spec?.nodeName !== undefined).length;

export const planOf = (world: World) => world.find('ScalingPlan', cluster);
export const isDeciding = (world: World): boolean =>
  world.condition('ScalingPlan', cluster, 'Ready')?.status === 'True';
export const replicasOf = (world: World, name: string) => world.find('MachineDeployment', name)?.spec?.replicas;
export const machinesIn = (world: World, name: string) =>
  world.all('Machine').filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] === name);
export const nodesIn = (world: World, name: string): number =>
  machinesIn(world, name).filter(({ status }) => status?.nodeRef).length;

/** The Events about an object. */
export const eventsAbout = async (world: World, about: string): Promise<string[]> => {
  const { body } = await world.request('GET', '/api/v1/namespaces/default/events');
  const events = (body as unknown as { items: (KubeObject & { involvedObject: KubeObject['metadata'] })[] }).items;
  return events
    .filter(({ involvedObject }) => involvedObject.name === about)
    .map(({ reason, message }) => `${reason}: ${message}`);
};

/** A world from that moment in which the pool opted in. */
export const openPool = async (from: Moment, seed: number, name: string, annotations: Annotations): Promise<World> => {
  const world = await createWorld({ from, seed });
  await world.apply(poolLike(world, name, annotations));
  await world.until('opted in', () => isDeciding(world), 5);
  return world;
};

/** How each MachineDeployment is scaled from now on, such as `0 -> 4`. */
export const scalingsIn = (world: World): Record<string, string[]> => {
  const seen: Record<string, string[]> = {};
  const known = new Map<string, number>();
  for (const { metadata, spec } of world.all('MachineDeployment')) known.set(metadata.name, spec?.replicas ?? 0);
  world.onCommit(({ object }) => {
    if (object?.kind !== 'MachineDeployment') return;
    const { name } = object.metadata;
    const replicas = (object.spec as { replicas?: number }).replicas ?? 0;
    const before = known.get(name) ?? replicas;
    known.set(name, replicas);
    if (before !== replicas) seen[name] = [...(seen[name] ?? []), `${before} -> ${replicas}`];
  });
  return seen;
};

/** A copy of the workers' bootstrap template with which no machine joins. */
export const failingBootstrap = (world: World, name: string): KubeObject => {
  const bootstrap = world.find('KubeadmConfigTemplate', 'quickstart-workers')!;
  const { template } = bootstrap.spec as { template: { spec: object } };
  const spec = { template: { spec: { ...template.spec, preKubeadmCommands: ['exit 1'] } } };
  return { ...bootstrap, metadata: { name, namespace: 'default' }, spec };
};

/** A second pool, of another instance type. */
export const addOther = async (world: World, name: string, instanceType: string, more: object = {}): Promise<void> => {
  const { apiVersion, kind, spec } = world.find('AWSMachineTemplate', 'quickstart-workers')!;
  const machine = { template: { spec: { ...(spec!.template.spec as object), instanceType, ...more } } };
  await world.apply({ apiVersion: apiVersion!, kind, metadata: { name, namespace: 'default' }, spec: machine });
  const like = poolLike(world, name, sizes(0, 20));
  const { template } = like.spec as { template: { spec: { infrastructureRef: object } } };
  const infrastructureRef = { ...template.spec.infrastructureRef, name };
  await world.apply({
    ...like,
    spec: { ...(like.spec as object), template: { spec: { ...template.spec, infrastructureRef } } },
  });
};

/** RunInstances finds no capacity: for one instance type, or at all. */
export const lackCapacity = (world: World, type?: string): void => {
  const code = 'InsufficientInstanceCapacity';
  world.system.account.faults.add({ action: 'RunInstances', code, ...(type && { type }) });
};
