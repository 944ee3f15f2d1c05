/** Deletions in another order than deleting the Cluster and waiting. */
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import { Violation } from '../../invariants/rule.ts';
import { applyAll, controlPlane, controlPlanesOf, deployment, ownDocuments, type Scene } from '../context.ts';
import { manifestOf } from '../manifest.ts';
import { areGone, comes } from '../progress.ts';

const minute = 60_000;
const predrain = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/somebody';
const policies = ['Background', 'Foreground', 'Orphan'] as const;
const clusterName = 'cluster.x-k8s.io/cluster-name';
/** Labels by which a Machine of a control plane is known. */
const identity = new Set([clusterName, 'cluster.x-k8s.io/control-plane']);

type Part = Pick<KubeObject, 'kind' | 'metadata'>;

const remove = ({ client, tell }: Scene, { kind, metadata }: Part, policy: (typeof policies)[number]) => {
  tell(`delete ${kind} (${policy})`);
  return client.request('DELETE', `${pathOf(kind, undefined, metadata.namespace)}/${metadata.name}`, {
    propagationPolicy: policy,
  });
};

/** One of each kind that a cluster consists of, as far as it is there. */
const partsOf = (scene: Scene): Part[] => {
  const { world, draw, wish } = scene;
  const isOfCluster = ({ metadata }: KubeObject) =>
    metadata.labels?.[clusterName] === wish.name || metadata.name.startsWith(`${wish.name}-`);
  return [
    'AWSCluster',
    'KubeadmControlPlane',
    'MachineDeployment',
    'MachineSet',
    'Machine',
    'AWSMachine',
    'AWSMachineTemplate',
    'KubeadmConfigTemplate',
    'KubeadmConfig',
    'Secret',
  ].flatMap((kind) => {
    const there = world.mirror
      .all(kind)
      .filter((object) => (object.metadata.name === wish.name && kind === 'AWSCluster') || isOfCluster(object));
    return there.length > 0 ? [draw.pick(there)] : [];
  });
};

/** What is left of it belongs to nobody: whoever let go of it, or took its owner away, deletes it. */
const clearUp = async (scene: Scene) => {
  const { world, client, wish, life } = scene;
  const isLeft = ({ metadata }: KubeObject) =>
    !metadata.deletionTimestamp && metadata.labels?.[clusterName] === wish.name;
  for (const { kind, metadata } of ownDocuments(life)) await client.remove(kind, metadata.name);
  for (const { kind, metadata } of world.mirror.everything().filter(isLeft))
    if (/^(MachineDeployment|MachineSet|Machine|AWSMachine|KubeadmConfig|Secret)$/.test(kind))
      await client.remove(kind, metadata.name);
};

/** Some parts of it first, the Cluster somewhere among them or at last; perhaps without what belongs to them. */
export const deletePartsFirst = async (scene: Scene) => {
  const { clock, draw, life, wish, world } = scene;
  life.wish = undefined;
  const parts = partsOf(scene);
  const chosen = Array.from({ length: draw.whole(1, 3) }, () => draw.pick(parts));
  const whole: Part = { kind: 'Cluster', metadata: { name: wish.name, namespace: 'default' } };
  chosen.splice(draw.whole(0, chosen.length), 0, whole);
  for (const part of chosen) {
    await remove(scene, part, draw.pick(policies));
    await sleep(clock, draw.spread(100, 20 * minute));
  }
  const limit = clock.now() + draw.spread(minute, 90 * minute);
  while (world.mirror.get('Cluster', 'default', wish.name) && clock.now() < limit) await sleep(clock, minute);
  await clearUp(scene);
};

/** Nobody but the Cluster knows any more that what a deployment, or a control plane, left behind is to go. */
export const leaveBehind = async (scene: Scene) => {
  const { client, clock, draw, life, settled, wish, world } = scene;
  await settled(60);
  if (!life.wish) return;
  life.wish = undefined;
  const [kind, name] = draw.pick([
    ['MachineDeployment', deployment(scene)],
    ['KubeadmControlPlane', controlPlane(scene)],
  ] as const);
  const part = { kind, metadata: { name, namespace: 'default' } };
  // It would delete them itself, as long as anybody acts on it.
  await client.patch('Cluster', wish.name, { spec: { paused: true } });
  await sleep(clock, 5 * minute);
  await client.patch(kind, name, { metadata: { finalizers: null } });
  await remove(scene, part, 'Orphan');
  const isThere = ({ kind, metadata }: Part) => world.mirror.get(kind, 'default', metadata.name) !== undefined;
  while (isThere(part) && !world.isDisturbed) await sleep(clock, 10_000);
  await sleep(clock, draw.spread(1000, 30 * minute));
  await client.patch('Cluster', wish.name, { spec: { paused: false } });
  await sleep(clock, draw.spread(1000, 30 * minute));
  await client.remove('Cluster', wish.name);
  const whole: Part = { kind: 'Cluster', metadata: { name: wish.name, namespace: 'default' } };
  const limit = clock.now() + 90 * minute;
  while (isThere(whole) && clock.now() < limit) await sleep(clock, minute);
  if (isThere(whole) && !world.isDisturbed)
    throw new Violation('left behind', `${wish.name} does not go, whose ${kind} has left its machines behind`);
  await clearUp(scene);
};

export const uidOfCluster = ({ wish, world }: Scene) => world.mirror.get('Cluster', 'default', wish.name)?.metadata.uid;

/** Under the name of a cluster that has gone, by its uid. */
export const createAfter = async (scene: Scene, uid: string | undefined) => {
  const { client, clock, wish, world } = scene;
  const isLeft = ({ kind, metadata }: KubeObject) =>
    world.mirror.get(kind, 'default', metadata.name)?.metadata.ownerReferences?.some((owner) => owner.uid === uid);
  const left = manifestOf(wish).filter(isLeft);
  await applyAll(scene);
  // What was not adopted in time goes with its owner although it was written meanwhile, as in Kubernetes: it is written again.
  for (let looks = 0; left.some(isLeft) && looks < 8 * 180; looks++) await sleep(clock, 20_000);
  for (const object of left) await client.apply(object);
};

/** The namesake comes as soon as the name is free, and finds what its predecessor leaves behind. */
export const deleteAndCreateAgain = async (scene: Scene) => {
  const { client, clock, wish } = scene;
  const uid = uidOfCluster(scene);
  await client.remove('Cluster', wish.name);
  while ((await client.get('Cluster', wish.name)).code !== 404) await sleep(clock, 20_000);
  await createAfter(scene, uid);
};

/** What machines are made of is deleted while they run, and written again: nothing is replaced for it. */
export const deleteTemplate = async (scene: Scene) => {
  const { clock, draw, world } = scene;
  const templates = partsOf(scene).filter(({ kind }) => /Template$/.test(kind));
  if (templates.length === 0) return;
  const template = draw.pick(templates);
  await remove(scene, template, draw.pick(policies));
  await sleep(clock, draw.spread(1000, 30 * minute));
  // What still goes would take with it what is written meanwhile.
  const { kind, metadata } = template;
  const isGoing = () => world.mirror.get(kind, 'default', metadata.name)?.metadata.deletionTimestamp !== undefined;
  for (let looks = 0; isGoing() && looks < 8 * 60; looks++) await sleep(clock, minute);
  await applyAll(scene);
};

/** What is made again by whoever made it, or was needed once. */
export const deleteSecret = async (scene: Scene) => {
  const { draw, world, wish } = scene;
  const secrets = world.mirror
    .all('Secret')
    .filter(({ metadata }) => metadata.labels?.[clusterName] === wish.name)
    .filter(({ metadata }) => !/-(ca|etcd|proxy|sa)$/.test(metadata.name));
  if (secrets.length > 0) await remove(scene, draw.pick(secrets), draw.pick(policies));
};

/** Seen by anybody or not. */
const hasHost = ({ world }: Scene, { metadata }: Machine): boolean =>
  world.account.list().some(({ type, tags }) => type === 'instance' && tags.MachineName === `default/${metadata.name}`);

/** It was to begin a cluster, and got no host: another one begins it. */
const deleteFirstMachine = async (scene: Scene) => {
  const { clock, draw, world } = scene;
  const { faults } = world.account;
  const { id } = faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity' });
  await sleep(clock, draw.spread(minute, 20 * minute));
  const [machine] = controlPlanesOf(scene);
  if (machine && !hasHost(scene, machine)) {
    await remove(scene, machine, 'Background');
    await comes(scene, `the end of ${machine.metadata.name}, which has no host,`, areGone(scene, [machine]));
  }
  faults.clear(id);
};

/** Somebody thinks of a limit when it does not come to its end: its control plane tells it. */
const limitOneThatGoes = async (scene: Scene, { metadata: { name, uid } }: Machine) => {
  const { client, clock, draw, world } = scene;
  const hold = (value: string | null) =>
    client.patch('Machine', name, { metadata: { annotations: { [predrain]: value } } });
  await hold('waits');
  await client.remove('Machine', name);
  await sleep(clock, draw.spread(minute, 10 * minute));
  const nodeDrainTimeoutSeconds = draw.whole(1, 1000);
  const spec = { machineTemplate: { spec: { deletion: { nodeDrainTimeoutSeconds } } } };
  const { code } = await client.patch('KubeadmControlPlane', controlPlane(scene), { spec });
  const isTold = () => {
    const now = world.mirror.get<Machine>('Machine', 'default', name);
    return now?.metadata.uid !== uid || now?.spec?.deletion?.nodeDrainTimeoutSeconds === nodeDrainTimeoutSeconds;
  };
  if (code < 300) await comes(scene, `that ${name}, which goes, has the limit of its control plane`, isTold);
  await hold(null);
};

/** The control plane makes another one, when it can spare it. */
export const deleteControlPlaneMachine = async (scene: Scene) => {
  const { draw, settled, wish, world } = scene;
  const cluster = world.mirror.get<Cluster>('Cluster', 'default', wish.name);
  const isBegun = cluster?.status?.initialization?.controlPlaneInitialized === true;
  if (cluster && !isBegun && !controlPlanesOf(scene).some((machine) => hasHost(scene, machine)))
    return deleteFirstMachine(scene);
  await settled(60);
  const machines = controlPlanesOf(scene);
  // Of one alone etcd would go with it.
  if (machines.length < 3 || wish.controlPlanes < 3) return;
  if (draw.chance(0.3)) return limitOneThatGoes(scene, draw.pick(machines));
  await remove(scene, draw.pick(machines), draw.pick(['Background', 'Foreground']));
};

/** What may be taken off a Machine of the control plane comes back, or was nobody's. */
export const stripControlPlaneMachine = async (scene: Scene) => {
  const { client, draw } = scene;
  const machines = controlPlanesOf(scene);
  if (machines.length === 0) return;
  const { metadata } = draw.pick(machines);
  const kept = { labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} };
  const what = draw.pick(['labels', 'annotations', 'ownerReferences'] as const);
  const names = what === 'ownerReferences' ? [] : Object.keys(kept[what]).filter((key) => !identity.has(key));
  const patch = what === 'ownerReferences' ? null : Object.fromEntries(names.length ? [[draw.pick(names), null]] : []);
  await client.patch('Machine', metadata.name, { metadata: { [what]: patch } });
};

/** Every worker at once, by deleting what makes them, whose users then scale what is left. */
export const deleteSetOfWorkers = async (scene: Scene) => {
  const { draw, world } = scene;
  const sets = world.mirror
    .all('MachineSet')
    .filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] === deployment(scene));
  if (sets.length > 0) await remove(scene, draw.pick(sets), draw.pick(['Background', 'Foreground']));
};

/** The control plane goes while its Cluster stays: nothing brings it back, and its users delete the rest. */
export const deleteControlPlane = async (scene: Scene) => {
  const { client, clock, draw, life, wish } = scene;
  life.wish = undefined;
  const part = { kind: 'KubeadmControlPlane', metadata: { name: controlPlane(scene), namespace: 'default' } };
  await remove(scene, part, draw.pick(['Background', 'Foreground']));
  await sleep(clock, draw.spread(1000, 60 * minute));
  await client.remove('Cluster', wish.name);
};
