/** Losing sight of a cluster, moving it, and sharing an account with another owner: living resources are never destroyed. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Kind, Moment, World } from '../system/world.ts';
import { type ClusterUnderTest, clusterName } from './cluster-under-test.ts';
import { createClusterFrom, mutatingCalls, type Rehearsal, rehearse } from './rehearsal.ts';

const timeout = 300_000;
const day = 24 * 60;

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await rehearse();
}, timeout);
let cluster: ClusterUnderTest;
afterEach(() => cluster.world.end());

const destructive = /^(Delete|Terminate|Release|Detach|Deregister|Revoke|Disassociate|Stop)/;
/** The destructive calls since then. */
const destroyedSince = (world: World, before: Record<string, number>): string[] =>
  Object.entries(mutatingCalls(world))
    .filter(([action, calls]) => destructive.test(action) && calls > (before[action] ?? 0))
    .map(([action]) => action);
const idsOf = (world: World) => world.live().map(({ type, id }) => `${type} ${id}`);

/** The objects that a move includes; here without the config template. */
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

/** The source side of `clusterctl move`; then a day passes. */
const moveOut = async (): Promise<Moved> => {
  cluster = await createClusterFrom(rehearsal.settled);
  const { world } = cluster;
  const calls = mutatingCalls(world);
  const had = idsOf(world);
  await world.patch('Cluster', clusterName, { spec: { paused: true } });
  await world.pass(1);
  const template = await world.request(
    'GET',
    '/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/default/kubeadmconfigtemplates/quickstart-workers',
  );
  const stored = moved.flatMap((kind) => world.all(kind) as KubeObject[]);
  const [storedCluster, ...others] = stored;
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
  return { objects: [storedCluster!, template.body, ...others], account: world.moment() };
};

const emptied = ({ now, account }: Moment): Moment => ({ now, account, objects: { tables: {}, records: {} } });

/** The target side: without status, with new UIDs, paused until all objects exist. */
const moveIn = async (
  { objects, account }: Moved,
  { annotations = {}, balancing }: { annotations?: Record<string, string>; balancing?: object } = {},
): Promise<void> => {
  cluster = await createClusterFrom(emptied(account), { installation: 'there' });
  const { world } = cluster;
  const uids = new Map<string, string>();
  const known = new Set(objects.map(({ metadata }) => metadata.uid));
  const create = async ({ metadata, status: _, ...object }: KubeObject) => {
    const { name, namespace, labels, uid } = metadata;
    const owners = (metadata.ownerReferences ?? []).filter((owner) => known.has(owner.uid));
    const isCluster = object.kind === 'Cluster';
    const answer = await world.request('POST', world.pathOf({ ...object, metadata }), {
      ...object,
      ...(isCluster && { spec: { ...(object.spec as object), paused: true } }),
      ...(object.kind === 'AWSCluster' && { spec: { ...(object.spec as object), ...balancing } }),
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

/** The installation and the UID of the Cluster in the tags of the original network. */
const formerOf = (world: World): string[] => {
  const { tags = {} } = world.all('AWSCluster')[0]?.spec?.network?.vpc ?? {};
  return ['capstan.dev/installation', 'capstan.dev/cluster-uid'].map((key) => tags[key] ?? '');
};

const annotate = async (world: World, former: string[]): Promise<void> => {
  const annotations = { 'capstan.dev/named-after': former.join('/') };
  expect((await world.patch('AWSCluster', clusterName, { metadata: { annotations } })).code).toBe(200);
};

/** Sets the tags of the new owner on each resource, as an operator would. */
const takeOver = async (isMeant: (resource: { id: string }) => boolean = () => true): Promise<void> => {
  const { world } = cluster;
  const { account } = world.system;
  const former = formerOf(world);
  const Tags = [
    { Key: 'capstan.dev/installation', Value: 'there' },
    { Key: 'capstan.dev/cluster-uid', Value: world.all('Cluster')[0]?.metadata.uid ?? '' },
  ];
  const all = account
    .list()
    .filter((resource) => resource.tags['capstan.dev/cluster-uid'] === former[1] && isMeant(resource));
  const [balancing, others] = [/^arn:/, /^(?!arn:)/].map((form) => all.flatMap(({ id }) => (form.test(id) ? id : [])));
  await account.call('eu-central-1', 'CreateTags', { Resources: others!, Tags });
  for (const arn of balancing!) await account.call('eu-central-1', 'AddTags', { ResourceArns: [arn], Tags });
  await annotate(world, former);
};

describe('a move', () => {
  let out: Moved;
  beforeAll(async () => {
    out = await moveOut();
  }, timeout);

  const saysOf = (world: World) =>
    (world.all('AWSCluster')[0]?.status?.conditions ?? []).map(({ type, severity, message }) => ({
      type,
      severity,
      message,
    }));
  const nothingDone = async (world: World) => {
    const [calls, had] = [mutatingCalls(world), idsOf(world)];
    await world.pass(3 * 60);
    expect(mutatingCalls(world)).toEqual(calls);
    expect(idsOf(world)).toEqual(had);
  };

  // In other security groups its machines would not reach each other.
  it.each([
    ['as it is', undefined],
    ['without a load balancer', { controlPlaneLoadBalancer: { loadBalancerType: 'disabled' } }],
    ['under a name of its own', { controlPlaneEndpoint: { host: 'api.example.com', port: 6443 } }],
  ])('changes nothing on either side, and reports missing tags: %s', { timeout }, async (_, balancing) => {
    await moveIn(out, { balancing });
    const { world } = cluster;
    await nothingDone(world);
    const made = /^AWSMachine \S+ comes with instance i-\w+, so this cluster was made elsewhere: /;
    expect(saysOf(world).at(-1)).toEqual({
      type: 'VpcReady',
      severity: 'Error',
      message: expect.stringMatching(made),
    });
    expect(cluster.operation()?.status?.message).toMatch(
      /was (made elsewhere|not made for this cluster): nothing is made or changed/,
    );
    expect(cluster.phase()).toBe('Held');
    expect(cluster.operation()?.spec?.adopted).toBe(true);
  });

  it('keeps its objects while they would leave its resources behind', { timeout }, async () => {
    await moveIn(out);
    const { world } = cluster;
    await world.pass(15);
    const had = idsOf(world);
    const [installation, clusterUid] = formerOf(world);
    for (const kind of ['Cluster', 'AWSCluster', 'KubeadmControlPlane'] as const) {
      const refused = await world.remove(kind, world.all(kind)[0]!.metadata.name);
      expect(refused.code, kind).toBe(403);
      expect(refused.body.message).toContain(`so that VPC ${world.live('vpc')[0]?.id}, load balancer `);
    }
    await cluster.annotate({ 'capstan.dev/leave-resources': 'true' });
    expect((await world.remove('Cluster', clusterName)).code).toBe(200);
    await world.until('the Cluster is gone', () => world.all('Cluster').length === 0, 60);
    await world.pass(30);
    expect(idsOf(world)).toEqual(had);
    const { orphans = [], moved } = world.all('Installation')[0]?.status ?? {};
    expect(moved).toEqual([{ clusterUid, installation, region: 'eu-central-1' }]);
    expect(orphans.length).toBeGreaterThan(20);
    expect(new Set(orphans.map((one) => `${one.installation} ${one.clusterUid}`))).toEqual(
      new Set([`${installation} ${clusterUid}`]),
    );
  });

  // With a second load balancer the endpoint would lose its machines, rollout by rollout.
  it('is not accepted before all resources carry the new tags', { timeout }, async () => {
    await moveIn(out);
    const { world } = cluster;
    await annotate(world, formerOf(world));
    await nothingDone(world);
    const [balancer, network] = saysOf(world).slice(1);
    expect(network?.message).toMatch(/^AWSMachine \S+ comes with instance/);
    const name = /is load balancer (\S+),/.exec(balancer?.message ?? '')?.[1];
    expect(world.live('load-balancer')[0]?.id).toContain(`/${name}/`);
    expect(cluster.operation()?.status?.message).toMatch(/give it the tags capstan.dev\/installation=there and /);
    const [group] = world.live('security-group');
    await takeOver(({ id }) => id !== group?.id);
    await world.patch('Cluster', clusterName, { metadata: { annotations: { 'capstan.dev/retry': '1' } } });
    const calls = mutatingCalls(world);
    await world.pass(30);
    expect(mutatingCalls(world)).toEqual(calls);
    expect(saysOf(world)[0]?.message).toMatch(
      new RegExp(`^${group?.id} still carries the tags of the cluster that this`),
    );
    await takeOver();
    await world.until('recorded', () => cluster.phase() === 'Succeeded', 60);
  });

  it('continues, rolls out and is deleted completely once its resources carry the new tags', { timeout }, async () => {
    await moveIn(out);
    const { world } = cluster;
    await world.pass(10);
    await takeOver();
    const had = idsOf(world);
    await cluster.settle(60);
    expect(idsOf(world)).toEqual(had);
    const isOfControlPlane = ({ metadata }: KubeObject) => 'cluster.x-k8s.io/control-plane' in (metadata.labels ?? {});
    const controlPlane = () =>
      world
        .all('Machine')
        .filter(isOfControlPlane)
        .map(({ metadata }) => metadata.name);
    const [before] = controlPlane();
    const after = new Date(world.now()).toISOString();
    const rolled = { spec: { rollout: { after } } };
    expect((await world.patch('KubeadmControlPlane', `${clusterName}-control-plane`, rolled)).code).toBe(200);
    await world.until('rolled out', () => !controlPlane().includes(before!), 120);
    await cluster.settle(60);
    expect(world.live('load-balancer')).toHaveLength(1);
    await world.remove('Cluster', clusterName);
    await world.until('the Cluster is gone', () => world.all('Cluster').length === 0, 60);
    await world.pass(day);
    expect(idsOf(world)).toEqual([]);
  });

  it('stays valid, whatever happens to the annotation', { timeout }, async () => {
    await moveIn(out);
    const { world } = cluster;
    await takeOver();
    await cluster.settle(60);
    await world.until('recorded', () => cluster.phase() === 'Succeeded', 60);
    const [calls, had] = [mutatingCalls(world), idsOf(world)];
    for (const former of [['blue', '1f0e'], undefined]) {
      const annotations = { 'capstan.dev/named-after': former?.join('/') ?? null };
      expect((await world.patch('AWSCluster', clusterName, { metadata: { annotations } })).code).toBe(200);
      await world.pass(90);
      expect(mutatingCalls(world)).toEqual(calls);
      expect(idsOf(world)).toEqual(had);
    }
  });

  it('of a cluster that cannot become Available is held, never torn down', { timeout }, async () => {
    await moveIn(out, { annotations: { 'capstan.dev/create-deadline': '10m' } });
    const { world } = cluster;
    const [first] = world.live('instance').map(({ id }) => id);
    world.system.account.terminate(first!);
    cluster.fail({ action: 'RunInstances', code: 'InsufficientInstanceCapacity' });
    const calls = mutatingCalls(world);
    const vpcs = world.live('vpc');
    await world.until('held', () => cluster.phase() === 'Held', 60);
    await world.pass(240);
    expect(cluster.phase()).toBe('Held');
    expect(cluster.operation()?.spec?.adopted).toBe(true);
    expect(destroyedSince(world, calls)).toEqual([]);
    expect(world.live('vpc')).toEqual(vpcs);
  });
});

describe('an account with resources', () => {
  it('keeps them when the objects are lost, and when they are applied again', { timeout }, async () => {
    cluster = await createClusterFrom(emptied(rehearsal.settled));
    const { world } = cluster;
    const had = idsOf(world);
    const calls = mutatingCalls(world);
    await world.pass(day);
    expect(destroyedSince(world, calls)).toEqual([]);
    await cluster.apply();
    await world.pass(day);
    expect(destroyedSince(world, calls)).toEqual([]);
    expect(idsOf(world)).toEqual(expect.arrayContaining(had));
  });

  it('serves two installations with clusters of the same name', { timeout }, async () => {
    cluster = await createClusterFrom(emptied(rehearsal.settled), { installation: 'there' });
    const { world } = cluster;
    const theirs = idsOf(world);
    await cluster.apply();
    await cluster.settle();
    await world.pass(day);
    expect(world.live('vpc')).toHaveLength(2);
    expect(idsOf(world)).toEqual(expect.arrayContaining(theirs));
    await world.remove('Cluster', clusterName);
    await world.until('the Cluster is gone', () => world.all('Cluster').length === 0, 60);
    await world.pass(day);
    expect(idsOf(world)).toEqual(theirs);
  });
});
