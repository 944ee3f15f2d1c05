/** Losing sight of a cluster, handing it over, and living beside somebody else's: nothing alive is ever destroyed. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Kind, Moment, World } from '../system/world.ts';
import { mutatingCalls, type Rehearsal, rehearse, sceneFrom } from './rehearsal.ts';
import { clusterName, type Scene } from './scene.ts';

const timeout = 300_000;
const day = 24 * 60;

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await rehearse();
}, timeout);
let scene: Scene;
afterEach(() => scene.world.end());

const destructive = /^(Delete|Terminate|Release|Detach|Deregister|Revoke|Disassociate|Stop)/;
/** Calls since then that took something away. */
const destroyedSince = (world: World, before: Record<string, number>): string[] =>
  Object.entries(mutatingCalls(world))
    .filter(([action, calls]) => destructive.test(action) && calls > (before[action] ?? 0))
    .map(([action]) => action);
const idsOf = (world: World) => world.live().map(({ type, id }) => `${type} ${id}`);

/** What a move takes along; here without the template of configs. */
const moved: Kind[] = [
  'Cluster',
  'AWSMachineTemplate',
  'ConfigMap',
  'AWSCluster',
  'KubeadmControlPlane',
  'MachineDeployment',
  'MachineSet',
  'Machine',
  'AWSMachine',
  'KubeadmConfig',
  'Secret',
  'ClusterResourceSet',
  'ClusterResourceSetBinding',
];
const deleteForMove = { 'clusterctl.cluster.x-k8s.io/delete-for-move': '' };
const asKind = (object: KubeObject) => object.kind as Kind;

interface Moved {
  objects: KubeObject[];
  account: Moment;
}

/** What `clusterctl move` does where the cluster comes from; then a day passes. */
const moveOut = async (): Promise<Moved> => {
  scene = await sceneFrom(rehearsal.settled);
  const { world } = scene;
  const calls = mutatingCalls(world);
  const had = idsOf(world);
  await world.patch('Cluster', clusterName, { spec: { paused: true } });
  await world.pass(1);
  const template = await world.request(
    'GET',
    '/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/default/kubeadmconfigtemplates/quickstart-workers',
  );
  const stored = moved.flatMap((kind) => world.all(kind) as KubeObject[]);
  const [cluster, ...others] = stored;
  for (const object of stored.toReversed()) {
    const { name } = object.metadata;
    const stripped = { metadata: { annotations: deleteForMove, finalizers: null } };
    await world.patch(asKind(object), name, stripped);
    await world.remove(asKind(object), name);
    await world.patch(asKind(object), name, { metadata: { finalizers: null } });
  }
  await world.pass(day);
  expect(world.all('Cluster')).toEqual([]);
  expect(world.all('Machine')).toEqual([]);
  expect(destroyedSince(world, calls)).toEqual([]);
  expect(idsOf(world)).toEqual(had);
  return { objects: [cluster!, template.body, ...others], account: world.moment() };
};

const emptied = ({ now, account }: Moment): Moment => ({ now, account, objects: { tables: {}, records: {} } });

/** And where it goes to: without status, with new uids, paused until all is there. */
const moveIn = async ({ objects, account }: Moved, annotations: Record<string, string> = {}): Promise<void> => {
  scene = await sceneFrom(emptied(account), { installation: 'there' });
  const { world } = scene;
  const uids = new Map<string, string>();
  const known = new Set(objects.map(({ metadata }) => metadata.uid));
  const create = async ({ metadata, status: _, ...object }: KubeObject) => {
    const { name, namespace, labels, uid } = metadata;
    const owners = (metadata.ownerReferences ?? []).filter((owner) => known.has(owner.uid));
    const isCluster = object.kind === 'Cluster';
    const answer = await world.request('POST', world.pathOf({ ...object, metadata }), {
      ...object,
      ...(isCluster && { spec: { ...(object.spec as object), paused: true } }),
      metadata: {
        name,
        namespace,
        labels,
        annotations: { ...metadata.annotations, ...(isCluster && annotations) },
        ownerReferences: owners.map((owner) => ({ ...owner, uid: uids.get(owner.uid) })),
      },
    });
    expect(answer.code, `${object.kind} ${name}: ${answer.body.message}`).toBe(201);
    uids.set(uid ?? '', answer.body.metadata.uid ?? '');
  };
  const hasOwners = ({ metadata }: KubeObject) =>
    (metadata.ownerReferences ?? []).every(({ uid }) => !known.has(uid) || uids.has(uid));
  for (let left = objects; left.length > 0; left = left.filter(({ metadata }) => !uids.has(metadata.uid ?? '')))
    for (const object of left.filter(hasOwners)) await create(object);
  await world.pass(1);
  await world.patch('Cluster', clusterName, { spec: { paused: null } });
};

describe('a handover', () => {
  let out: Moved;
  beforeAll(async () => {
    out = await moveOut();
  }, timeout);

  // Beside a second load balancer the endpoint would lose its machines, one rollout after the other.
  it('changes nothing on either side, and says what is missing', { timeout }, async () => {
    await moveIn(out);
    const { world } = scene;
    const calls = mutatingCalls(world);
    const had = idsOf(world);
    await world.pass(day);
    expect(mutatingCalls(world)).toEqual(calls);
    expect(idsOf(world)).toEqual(had);
    const [balancer] = world.live('load-balancer');
    const named = /is load balancer (\S+),/.exec(scene.operation()?.status?.message ?? '')?.[1];
    expect(balancer?.id).toContain(`/${named}/`);
    expect(scene.phase()).toBe('Held');
    expect(scene.operation()?.spec?.adopted).toBe(true);
  });

  it('of a cluster that cannot become Available is held, never torn down', { timeout }, async () => {
    await moveIn(out, { 'capstan.dev/create-deadline': '10m' });
    const { world } = scene;
    const [first] = world.live('instance').map(({ id }) => id);
    world.system.account.terminate(first!);
    scene.fail({ action: 'RunInstances', code: 'InsufficientInstanceCapacity' });
    const calls = mutatingCalls(world);
    const vpcs = world.live('vpc');
    await world.until('held', () => scene.phase() === 'Held', 60);
    await world.pass(240);
    expect(scene.phase()).toBe('Held');
    expect(scene.operation()?.spec?.adopted).toBe(true);
    expect(destroyedSince(world, calls)).toEqual([]);
    expect(world.live('vpc')).toEqual(vpcs);
  });
});

describe('an account that is full', () => {
  it('stays so when the objects are lost, and when they are applied anew', { timeout }, async () => {
    scene = await sceneFrom(emptied(rehearsal.settled));
    const { world } = scene;
    const had = idsOf(world);
    const calls = mutatingCalls(world);
    await world.pass(day);
    expect(destroyedSince(world, calls)).toEqual([]);
    await scene.apply();
    await world.pass(day);
    expect(destroyedSince(world, calls)).toEqual([]);
    expect(idsOf(world)).toEqual(expect.arrayContaining(had));
  });

  it('serves two installations with clusters of one name', { timeout }, async () => {
    scene = await sceneFrom(emptied(rehearsal.settled), { installation: 'there' });
    const { world } = scene;
    const theirs = idsOf(world);
    await scene.apply();
    await scene.settle();
    await world.pass(day);
    expect(world.live('vpc')).toHaveLength(2);
    expect(idsOf(world)).toEqual(expect.arrayContaining(theirs));
    await world.remove('Cluster', clusterName);
    await world.until('the Cluster is gone', () => world.all('Cluster').length === 0, 60);
    await world.pass(day);
    expect(idsOf(world)).toEqual(theirs);
  });
});
