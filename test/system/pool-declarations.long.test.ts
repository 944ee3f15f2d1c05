/** New nodes of a pool are what its objects declare, whatever users and plugins change on live ones. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { NodeObject } from '../../simulation/workload/objects.ts';
import { settledMoment } from './moments.ts';
import {
  addOther,
  guestOf,
  isDeciding,
  machinesIn,
  nodesIn,
  openPool,
  placedIn,
  planOf,
  poolLike,
  replicasOf,
  run,
  scalingsIn,
  sizes,
} from './pools.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const nodesOf = async (name: string): Promise<NodeObject[]> => {
  const names = new Set(machinesIn(world, name).map(({ status }) => status?.nodeRef?.name));
  const all = await world.wait(guestOf(world).list<NodeObject>('nodes'));
  return all.filter(({ metadata }) => names.has(metadata.name));
};
const change = async (node: NodeObject, by: (node: NodeObject) => object) =>
  world.wait(guestOf(world).put([{ ...node, ...by(node) } as NodeObject]));
const withLabels =
  (labels: Record<string, string>) =>
  ({ metadata }: NodeObject) => ({
    metadata: { ...metadata, labels: { ...metadata.labels, ...labels } },
  });
const withTaint =
  (key: string) =>
  ({ spec }: NodeObject) => ({
    spec: { ...spec, taints: [...(spec?.taints ?? []), { key, effect: 'NoSchedule' }] },
  });
const reasonOf = () => Object.values(planOf(world)?.status?.pods?.[0]?.reasons ?? {}).join();
/** A pool, with changes of its template. */
const poolWith = async (name: string, annotations: Record<string, string>, template: (given: Spec) => object) => {
  world = await createWorld({ from: quickstart, seed: 1 });
  const like = poolLike(world, name, annotations) as KubeObject<{ template: { spec: Spec } }>;
  const { spec } = like;
  await world.apply({ ...like, spec: { ...spec, template: { ...spec!.template, ...template(spec!.template.spec) } } });
  await world.until('opted in', () => isDeciding(world), 5);
};
type Spec = Record<string, unknown>;

/** A claim with a volume of the zone. */
const boundVolume = (name: string, zone: string, key = 'topology.kubernetes.io/zone'): KubeObject[] => {
  const common = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'ebs' };
  const terms = [{ matchExpressions: [{ key, operator: 'In', values: [zone] }] }];
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        ...common,
        claimRef: { namespace: 'default', name },
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-0123456789abcdef0' },
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'default' },
      spec: {
        accessModes: common.accessModes,
        storageClassName: common.storageClassName,
        volumeName: name,
        resources: { requests: { storage: '1Gi' } },
      },
    },
  ];
};

/** The node plugin of EBS's driver, whose registration labels its node. */
const ebsDriver: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'ebs-csi-node', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: { app: 'ebs-csi-node' } },
    template: {
      metadata: { labels: { app: 'ebs-csi-node' } },
      spec: {
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name: 'ebs-plugin', image: 'public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1.51.0' }],
      },
    },
  },
};

describe('a pool', () => {
  it('buys nothing for a label that a user set on one of its nodes, and says how to declare it', async () => {
    world = await openPool(quickstart, 1, 'burst', sizes(1, 10));
    await world.until('a node', () => nodesIn(world, 'burst') === 1, 15);
    await world.pass(3);
    const scalings = scalingsIn(world);
    const [node] = await nodesOf('burst');
    await change(node!, withLabels({ disk: 'ssd' }));
    await run(world, 4, { pod: { nodeSelector: { disk: 'ssd' } } });
    await world.pass(20);
    expect(scalings).toEqual({});
    expect(await placedIn(world)).toBe(1);
    expect(reasonOf()).toMatch(/nodes of the pool have disk=ssd.*capacity\.cluster-autoscaler\.kubernetes\.io\/labels/);
  });

  it('buys nodes although a user tainted one of them', async () => {
    world = await openPool(quickstart, 2, 'burst', sizes(1, 10));
    await world.until('a node', () => nodesIn(world, 'burst') === 1, 15);
    await world.pass(3);
    const [node] = await nodesOf('burst');
    await change(node!, withTaint('maintenance'));
    await run(world, 4, { pod: { nodeSelector: { 'node.kubernetes.io/instance-type': 't3.large' } } });
    await world.until('placed', () => replicasOf(world, 'burst')! > 1 && nodesIn(world, 'burst') > 1, 15);
    await world.pass(10);
    expect(await placedIn(world)).toBe(4);
  });

  it('buys a node a pod while its nodes have no label of their Machines yet', async () => {
    const failureDomain = 'eu-central-1a';
    await poolWith('burst', sizes(1, 10), (spec) => ({
      metadata: { labels: { 'node.cluster.x-k8s.io/team': 'red' } },
      spec: { ...spec, failureDomain },
    }));
    await world.until('a node', () => nodesIn(world, 'burst') === 1, 15);
    await world.pass(3);
    const [node] = await nodesOf('burst');
    await change(node!, withTaint('maintenance'));
    const scalings = scalingsIn(world);
    const nodeSelector = { 'node.cluster.x-k8s.io/team': 'red', 'topology.kubernetes.io/zone': failureDomain };
    await run(world, 4, { pod: { nodeSelector }, cpu: '1800m' });
    await world.until('nodes', () => nodesIn(world, 'burst') === 5, 15);
    await world.pass(5);
    expect([scalings, await placedIn(world)]).toEqual([{ burst: ['1 -> 5'] }, 4]);
  });

  it.each([
    { zone: 'eu-central-1a', does: 'scales from zero for a volume where its machines start', to: 1 },
    { zone: 'eu-central-1b', does: 'says where its machines start for a volume elsewhere', to: 0 },
  ])('without a failure domain $does', async ({ zone, to }) => {
    world = await openPool(quickstart, 5, 'burst', sizes(0, 3));
    await run(world, 2, { name: 'resident', cpu: '1800m' });
    await world.pass(1);
    for (const one of boundVolume('data', zone)) await world.wait(guestOf(world).create(one));
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    await run(world, 1, { pod: { volumes }, cpu: '1800m' });
    await world.pass(3);
    expect(replicasOf(world, 'burst')).toBe(to);
    if (to === 0) expect(reasonOf()).toContain('new machines of the pool start in eu-central-1a');
    await world.until('nodes', () => nodesIn(world, 'burst') === to, 15);
    await world.pass(2);
    expect(await placedIn(world)).toBe(to);
  });

  it.each([
    { driver: 'which labels its nodes', isThere: true, placed: 1 },
    { driver: 'which the cluster does not have', isThere: false, placed: 0 },
  ])('buys one node for a volume whose zone is named by its driver, $driver', async ({ isThere, placed }) => {
    world = await openPool(quickstart, 6, 'burst', sizes(0, 3));
    await run(world, 2, { name: 'resident', cpu: '1800m' });
    if (isThere) await world.wait(guestOf(world).create(ebsDriver));
    await world.pass(1);
    const scalings = scalingsIn(world);
    for (const one of boundVolume('data', 'eu-central-1a', 'topology.ebs.csi.aws.com/zone'))
      await world.wait(guestOf(world).create(one));
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    await run(world, 1, { pod: { volumes }, cpu: '1800m' });
    await world.until('a node', () => nodesIn(world, 'burst') === 1, 15);
    await world.pass(5);
    expect([scalings, await placedIn(world)]).toEqual([{ burst: ['0 -> 1'] }, placed]);
  });

  it('scales from zero for pods that do not tolerate its start-up taints', async () => {
    await poolWith('burst', { ...sizes(0, 5), 'capstan.dev/autoscale-startup-taints': 'example.com/wait' }, (spec) => ({
      spec: {
        ...spec,
        bootstrap: { configRef: { ...(spec.bootstrap as { configRef: object }).configRef, name: 'tainted' } },
      },
    }));
    const { apiVersion, kind, spec } = world.find('KubeadmConfigTemplate', 'quickstart-workers')!;
    const { template } = spec as { template: { spec: { joinConfiguration: { nodeRegistration: object } } } };
    const taints = [
      { key: 'node.cilium.io/agent-not-ready', value: 'true', effect: 'NoExecute' },
      { key: 'example.com/wait', effect: 'NoSchedule' },
    ];
    const { nodeRegistration } = template.spec.joinConfiguration;
    const joinConfiguration = { nodeRegistration: { ...nodeRegistration, taints } };
    await world.apply({
      apiVersion: apiVersion!,
      kind,
      metadata: { name: 'tainted', namespace: 'default' },
      spec: { template: { spec: { ...template.spec, joinConfiguration } } },
    });
    const scalings = scalingsIn(world);
    await run(world, 4);
    await world.until('nodes', () => nodesIn(world, 'burst') === 2, 15);
    await world.pass(3);
    expect(await placedIn(world), 'before the agents have started').toBe(2);
    for (const node of await nodesOf('burst'))
      await change(node, ({ spec: own }) => ({ spec: { ...own, taints: [] } }));
    await world.pass(2);
    expect([scalings, await placedIn(world)]).toEqual([{ burst: ['0 -> 2'] }, 4]);
  });

  it('scales from zero again for a device whose plugin started after its node', async () => {
    world = await createWorld({ from: quickstart, seed: 5 });
    await addOther(world, 'gpu', 'g5.xlarge');
    await world.until('opted in', () => isDeciding(world), 5);
    const scalings = scalingsIn(world);
    const device = { resources: { limits: { 'nvidia.com/gpu': '1' } } };
    const pod = { containers: [{ name: 'web', image: 'web:1', ...device }] };
    for (const [at, expected] of [['0 -> 1'], ['0 -> 1', '1 -> 0', '0 -> 1']].entries()) {
      await run(world, 1, { pod });
      await world.until('a node', () => nodesIn(world, 'gpu') === 1, 15);
      await world.pass(5);
      expect(scalings, `before the plugin, round ${at}`).toEqual({ gpu: expected });
      const [node] = await nodesOf('gpu');
      await change(node!, ({ status }) => ({
        status: { ...status, allocatable: { ...status?.allocatable, 'nvidia.com/gpu': '1' } },
      }));
      await world.pass(2);
      expect(await placedIn(world)).toBe(1);
      await run(world, 0);
      await world.until('empty', () => replicasOf(world, 'gpu') === 0 && nodesIn(world, 'gpu') === 0, 40);
    }
  });
});
