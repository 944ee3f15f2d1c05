/** Deletions other than deleting the Cluster and waiting. */
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import { Violation } from '../../invariants/rule.ts';
import { applyAll, controlPlane, controlPlanesOf, deployment, ownDocuments, type ScenarioContext } from '../context.ts';
import { manifestOf } from '../manifest.ts';
import { areGone, comes } from '../progress.ts';

const minute = 60_000;
const predrain = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/user';
const policies = ['Background', 'Foreground', 'Orphan'] as const;
const clusterName = 'cluster.x-k8s.io/cluster-name';
/** Labels that identify a Machine of a control plane. */
const identity = new Set([clusterName, 'cluster.x-k8s.io/control-plane']);

type Part = Pick<KubeObject, 'kind' | 'metadata'>;

const remove = ({ client, tell }: ScenarioContext, { kind, metadata }: Part, policy: (typeof policies)[number]) => {
  tell(`delete ${kind} (${policy})`);
  return client.request('DELETE', `${pathOf(kind, undefined, metadata.namespace)}/${metadata.name}`, {
    propagationPolicy: policy,
  });
};

/** One object of each kind of the cluster, as far as there are any. */
const partsOf = (context: ScenarioContext): Part[] => {
  const { world, draw, desired } = context;
  const isOfCluster = ({ metadata }: KubeObject) =>
    metadata.labels?.[clusterName] === desired.name || metadata.name.startsWith(`${desired.name}-`);
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
      .filter((object) => (object.metadata.name === desired.name && kind === 'AWSCluster') || isOfCluster(object));
    return there.length > 0 ? [draw.pick(there)] : [];
  });
};

/** Deletes the objects without an owner, which the user who orphaned them must delete. */
const deleteLeftovers = async (context: ScenarioContext) => {
  const { world, client, desired, life } = context;
  const isLeft = ({ metadata }: KubeObject) =>
    !metadata.deletionTimestamp && metadata.labels?.[clusterName] === desired.name;
  for (const { kind, metadata } of ownDocuments(life)) await client.remove(kind, metadata.name);
  for (const { kind, metadata } of world.mirror.everything().filter(isLeft))
    if (/^(MachineDeployment|MachineSet|Machine|AWSMachine|KubeadmConfig|Secret)$/.test(kind))
      await client.remove(kind, metadata.name);
};

/**
 * Deletes some parts first, and the Cluster before, among or after them, with any propagation
 * policy.
 */
export const deletePartsFirst = async (context: ScenarioContext) => {
  const { clock, draw, life, desired, world } = context;
  life.desired = undefined;
  const parts = partsOf(context);
  const chosen = Array.from({ length: draw.whole(1, 3) }, () => draw.pick(parts));
  const whole: Part = { kind: 'Cluster', metadata: { name: desired.name, namespace: 'default' } };
  chosen.splice(draw.whole(0, chosen.length), 0, whole);
  for (const part of chosen) {
    await remove(context, part, draw.pick(policies));
    await sleep(clock, draw.spread(100, 20 * minute));
  }
  const limit = clock.now() + draw.spread(minute, 90 * minute);
  while (world.mirror.get('Cluster', 'default', desired.name) && clock.now() < limit) await sleep(clock, minute);
  await deleteLeftovers(context);
};

/** Only the Cluster can still delete what a deployment or a control plane orphaned. */
export const orphanMachines = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  await settled(60);
  if (!life.desired) return;
  life.desired = undefined;
  const [kind, name] = draw.pick([
    ['MachineDeployment', deployment(context)],
    ['KubeadmControlPlane', controlPlane(context)],
  ] as const);
  const part = { kind, metadata: { name, namespace: 'default' } };
  // Otherwise their controllers would delete the machines.
  await client.patch('Cluster', desired.name, { spec: { paused: true } });
  await sleep(clock, 5 * minute);
  await client.patch(kind, name, { metadata: { finalizers: null } });
  await remove(context, part, 'Orphan');
  const isThere = ({ kind, metadata }: Part) => world.mirror.get(kind, 'default', metadata.name) !== undefined;
  while (isThere(part) && !world.isDisturbed) await sleep(clock, 10_000);
  await sleep(clock, draw.spread(1000, 30 * minute));
  await client.patch('Cluster', desired.name, { spec: { paused: false } });
  await sleep(clock, draw.spread(1000, 30 * minute));
  await client.remove('Cluster', desired.name);
  const whole: Part = { kind: 'Cluster', metadata: { name: desired.name, namespace: 'default' } };
  const limit = clock.now() + 90 * minute;
  while (isThere(whole) && clock.now() < limit) await sleep(clock, minute);
  if (isThere(whole) && !world.isDisturbed)
    throw new Violation('left behind', `${desired.name}, whose ${kind} orphaned its machines, is not deleted`);
  await deleteLeftovers(context);
};

export const uidOfCluster = ({ desired, world }: ScenarioContext) =>
  world.mirror.get('Cluster', 'default', desired.name)?.metadata.uid;

/** Creates a cluster with the name of a deleted one, which had this uid. */
export const createAfter = async (context: ScenarioContext, uid: string | undefined) => {
  const { client, clock, desired, world } = context;
  const isLeft = ({ kind, metadata }: KubeObject) =>
    world.mirror.get(kind, 'default', metadata.name)?.metadata.ownerReferences?.some((owner) => owner.uid === uid);
  const left = manifestOf(desired).filter(isLeft);
  await applyAll(context);
  // Objects that still had the former owner are garbage collected although they were applied again,
  // as in Kubernetes. Apply them once more.
  for (let looks = 0; left.some(isLeft) && looks < 8 * 180; looks++) await sleep(clock, 20_000);
  for (const object of left) await client.apply(object);
};

/**
 * The new cluster is created as soon as the name is free, while remains of the former one may
 * exist.
 */
export const deleteAndCreateAgain = async (context: ScenarioContext) => {
  const { client, clock, desired } = context;
  const uid = uidOfCluster(context);
  await client.remove('Cluster', desired.name);
  while ((await client.get('Cluster', desired.name)).code !== 404) await sleep(clock, 20_000);
  await createAfter(context, uid);
};

/** Deletes a template in use, and creates it again. No machine is replaced. */
export const deleteTemplate = async (context: ScenarioContext) => {
  const { clock, draw, world } = context;
  const templates = partsOf(context).filter(({ kind }) => /Template$/.test(kind));
  if (templates.length === 0) return;
  const template = draw.pick(templates);
  await remove(context, template, draw.pick(policies));
  await sleep(clock, draw.spread(1000, 30 * minute));
  // An object in deletion would take the new state with it.
  const { kind, metadata } = template;
  const isGoing = () => world.mirror.get(kind, 'default', metadata.name)?.metadata.deletionTimestamp !== undefined;
  for (let looks = 0; isGoing() && looks < 8 * 60; looks++) await sleep(clock, minute);
  await applyAll(context);
};

/** Deletes a Secret that a controller recreates or that is no longer needed. */
export const deleteSecret = async (context: ScenarioContext) => {
  const { draw, world, desired } = context;
  const secrets = world.mirror
    .all('Secret')
    .filter(({ metadata }) => metadata.labels?.[clusterName] === desired.name)
    .filter(({ metadata }) => !/-(ca|etcd|proxy|sa)$/.test(metadata.name));
  if (secrets.length > 0) await remove(context, draw.pick(secrets), draw.pick(policies));
};

/** Whether the machine has an instance, known to controllers or not. */
const hasHost = ({ world }: ScenarioContext, { metadata }: Machine): boolean =>
  world.account.list().some(({ type, tags }) => type === 'instance' && tags.MachineName === `default/${metadata.name}`);

/** Deletes the first machine before it has an instance. Another one initializes the cluster. */
const deleteFirstMachine = async (context: ScenarioContext) => {
  const { clock, draw, world } = context;
  const { faults } = world.account;
  const { id } = faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity' });
  await sleep(clock, draw.spread(minute, 20 * minute));
  const [machine] = controlPlanesOf(context);
  if (machine && !hasHost(context, machine)) {
    await remove(context, machine, 'Background');
    await comes(context, `the end of ${machine.metadata.name}, which has no host,`, areGone(context, [machine]));
  }
  faults.clear(id);
};

/** A user sets a drain timeout when a deletion is stuck, and the control plane propagates it. */
const limitMachineInDeletion = async (context: ScenarioContext, { metadata: { name, uid } }: Machine) => {
  const { client, clock, draw, world } = context;
  const hold = (value: string | null) =>
    client.patch('Machine', name, { metadata: { annotations: { [predrain]: value } } });
  await hold('waits');
  await client.remove('Machine', name);
  await sleep(clock, draw.spread(minute, 10 * minute));
  const nodeDrainTimeoutSeconds = draw.whole(1, 1000);
  const spec = { machineTemplate: { spec: { deletion: { nodeDrainTimeoutSeconds } } } };
  const { code } = await client.patch('KubeadmControlPlane', controlPlane(context), { spec });
  const isPropagated = () => {
    const now = world.mirror.get<Machine>('Machine', 'default', name);
    return now?.metadata.uid !== uid || now?.spec?.deletion?.nodeDrainTimeoutSeconds === nodeDrainTimeoutSeconds;
  };
  if (code < 300)
    await comes(context, `that ${name}, which is in deletion, gets the timeout of its control plane`, isPropagated);
  await hold(null);
};

/** The control plane replaces a deleted machine when it has enough others. */
export const deleteControlPlaneMachine = async (context: ScenarioContext) => {
  const { draw, settled, desired, world } = context;
  const cluster = world.mirror.get<Cluster>('Cluster', 'default', desired.name);
  const isBegun = cluster?.status?.initialization?.controlPlaneInitialized === true;
  if (cluster && !isBegun && !controlPlanesOf(context).some((machine) => hasHost(context, machine)))
    return deleteFirstMachine(context);
  await settled(60);
  const machines = controlPlanesOf(context);
  // A single machine would take etcd with it.
  if (machines.length < 3 || desired.controlPlanes < 3) return;
  if (draw.chance(0.3)) return limitMachineInDeletion(context, draw.pick(machines));
  await remove(context, draw.pick(machines), draw.pick(['Background', 'Foreground']));
};

/** Removes metadata from a control plane Machine. The controller restores its own. */
export const removeMachineMetadata = async (context: ScenarioContext) => {
  const { client, draw } = context;
  const machines = controlPlanesOf(context);
  if (machines.length === 0) return;
  const { metadata } = draw.pick(machines);
  const kept = { labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} };
  const what = draw.pick(['labels', 'annotations', 'ownerReferences'] as const);
  const names = what === 'ownerReferences' ? [] : Object.keys(kept[what]).filter((key) => !identity.has(key));
  const patch = what === 'ownerReferences' ? null : Object.fromEntries(names.length ? [[draw.pick(names), null]] : []);
  await client.patch('Machine', metadata.name, { metadata: { [what]: patch } });
};

/** Deletes a MachineSet with all its workers. Its deployment creates another one. */
export const deleteSetOfWorkers = async (context: ScenarioContext) => {
  const { draw, world } = context;
  const sets = world.mirror
    .all('MachineSet')
    .filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] === deployment(context));
  if (sets.length > 0) await remove(context, draw.pick(sets), draw.pick(['Background', 'Foreground']));
};

/**
 * Deletes the control plane but not its Cluster. Nothing restores it, so its users delete the
 * Cluster later.
 */
export const deleteControlPlane = async (context: ScenarioContext) => {
  const { client, clock, draw, life, desired } = context;
  life.desired = undefined;
  const part = { kind: 'KubeadmControlPlane', metadata: { name: controlPlane(context), namespace: 'default' } };
  await remove(context, part, draw.pick(['Background', 'Foreground']));
  await sleep(clock, draw.spread(1000, 60 * minute));
  await client.remove('Cluster', desired.name);
};
