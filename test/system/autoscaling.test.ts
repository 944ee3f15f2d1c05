/** Scales a pool of the example quickstart for pending pods, from zero and back. */
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { plan as decide } from '../../kinds/autoscaling/plan/index.ts';
import { unpacked } from '../../kinds/autoscaling/plan/packed.ts';
import type { DecisionRecord } from '../../kinds/autoscaling/scaling-plan/kept.ts';
import { digestOf } from '../../kinds/common/digest.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { expectWhole, isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import {
  type Annotations,
  cluster,
  eventsAbout,
  guestOf,
  isDeciding,
  nodesIn,
  placedIn,
  planOf,
  poolLike,
  replicasOf,
  run as runPods,
  sizes,
  workload,
} from './pools.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const pool = 'burst';
const open = async (seed: number, now = quickstart.now) => {
  world = await createWorld({ from: { ...quickstart, now }, seed });
};

const deployment = (annotations: Annotations) => poolLike(world, pool, annotations);
const optIn = async (annotations: Annotations) => {
  await world.apply(deployment(annotations));
  await world.until('opted in', () => isDeciding(world), 5);
};
const guest = () => guestOf(world);
const placed = () => placedIn(world);
const run = (replicas: number, name = 'web', cpu = '1500m') => runPods(world, replicas, { name, cpu });
const plan = () => planOf(world);
const replicas = () => replicasOf(world, pool);
const nodes = () => nodesIn(world, pool);
const eventsOf = (about: string) => eventsAbout(world, about);

const recordIn = async (content: AsyncIterable<Uint8Array>): Promise<DecisionRecord> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return JSON.parse(gunzipSync(Buffer.concat(chunks)).toString('utf8')) as DecisionRecord;
};

describe('a pool', () => {
  it('scales from zero for pending pods, and back when its nodes are unneeded', async () => {
    await open(1);
    await optIn(sizes(0, 5));
    expect(replicas()).toBe(0);
    await run(4);
    await world.until('nodes', () => nodes() === 2, 15);
    await world.pass(3);
    expect([replicas(), await placed()]).toEqual([2, 4]);
    expect(plan()?.status).toMatchObject({ pending: 0, refused: 0, lastDecision: { message: 'burst 0 -> 2' } });
    expect(await eventsOf(pool)).toContain('ScaledUpGroup: Scaled up from 0 to 2 replicas for 2 pending pods');
    const before = world.live('instance').length;
    await world.pass(15);
    expect(world.live('instance'), 'used nodes stay').toHaveLength(before);
    await run(0);
    await world.until('empty', () => replicas() === 0 && nodes() === 0, 20);
    await world.until('settled', () => isSettled(world), 20);
    expectWhole(world);
    expect(await eventsOf(pool)).toContainEqual(expect.stringMatching(/^ScaleDownEmpty: Removes node .*: Empty$/));
  });

  it('drains an underutilised node, when the disruption budget of its pods allows that', async () => {
    await open(9);
    await optIn(sizes(0, 5));
    await run(4, 'filler', '900m');
    await world.pass(1);
    await run(1, 'web', '900m');
    await world.until('a node', () => nodes() === 1, 15);
    await world.pass(2);
    expect(await placed()).toBe(1);
    const budget = (minAvailable: number): KubeObject => ({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { namespace: 'default', name: 'web' },
      spec: { minAvailable, selector: { matchLabels: { app: 'web' } } },
    });
    await world.wait(guest().create(budget(1)));
    await run(0, 'filler');
    const state = () => plan()?.status?.nodes?.[0];
    await world.until('blocked', () => state()?.reason === 'BlockedByPod', 5);
    expect(state()?.message).toMatch(/^pod default\/web-.*: NotEnoughPdb$/);
    await world.pass(20);
    expect([replicas(), nodes()]).toEqual([1, 1]);
    const stored = (await world.wait(guest().get('poddisruptionbudgets.policy', 'default', 'web'))) as KubeObject;
    await world.wait(guest().put([{ ...stored, spec: budget(0).spec }]));
    await world.until('drained', () => replicas() === 0 && nodes() === 0, 20);
    await world.pass(1);
    expect(await placed()).toBe(1);
    expect(await eventsOf(pool)).toContainEqual(expect.stringMatching(/^ScaleDown: Removes node .*: Underutilized$/));
  });

  it('keeps the inputs of what it decided until its cluster is deleted, and needs no storage to decide', async () => {
    await open(4);
    await optIn(sizes(0, 5));
    const { uid } = plan()!.metadata;
    const stored = () => world.files.get(`decisions/here/${uid}/0.json.gz`);
    await run(3);
    await world.until('decided', () => plan()?.status?.decisions?.length === 1, 5);
    const { inputs, decision } = await recordIn((await stored())!);
    const { history: _, ...again } = decide(unpacked(inputs));
    expect([decision, again.inputs]).toEqual([again, plan()?.status?.decisions?.[0]?.inputs]);
    // A user asks for what a decision would be made from now.
    const request = '2026-01-01T00:00:00Z present';
    await world.patch('ScalingPlan', cluster, { metadata: { annotations: { 'capstan.dev/download': request } } });
    await world.until('offered', () => plan()?.status?.download?.request === request, 5);
    const present = await recordIn((await world.files.get(`decisions/here/${uid}/present.json.gz`))!);
    const { data } = world.find('Secret', `${cluster}-decision-download`) as { data?: Record<string, string> };
    expect(Buffer.from(data?.inputs ?? '', 'base64').toString()).toBe(digestOf(unpacked(present.inputs) as never));
    world.files.put = async () => {
      throw new Error('the storage is full');
    };
    await run(6);
    await world.until('scaled', () => plan()?.status?.decisions?.length === 2, 5);
    expect(await eventsOf(cluster)).toContain(
      'DecisionNotKept: The decision cannot be replayed: Error: the storage is full',
    );
    await world.request('DELETE', `/apis/capstan.dev/v1alpha1/namespaces/default/scalingplans/${cluster}`);
    await world.until('deleted', () => plan()?.metadata.uid !== uid, 5);
    expect(await stored()).toBeUndefined();
  });

  it('stops at its maximum, with a condition and an Event', async () => {
    await open(3);
    await optIn(sizes(0, 1));
    await run(5);
    await world.until('limit', () => world.condition('ScalingPlan', cluster, 'LimitReached')?.status === 'True', 10);
    expect(world.condition('ScalingPlan', cluster, 'LimitReached')?.message).toBe(
      'Pods stay pending: burst has its maximum of 1',
    );
    expect(replicas()).toBe(1);
    expect(await eventsOf(cluster)).toContain('LimitReached: Pods stay pending: burst has its maximum of 1');
    const waiting = plan()?.status?.pods?.[0];
    expect(waiting).toMatchObject({ namespace: 'default', count: 3, left: 2 });
  });
});

describe('a pool at zero', () => {
  it('has the labels and taints that its bootstrap template gives its nodes', async () => {
    await open(18);
    const { bootstrap } = world.find('MachineDeployment', 'quickstart-workers')!.spec!.template.spec;
    const template = structuredClone(world.find('KubeadmConfigTemplate', bootstrap.configRef!.name)!);
    type Spec = { template: { spec: { joinConfiguration: { nodeRegistration: Record<string, unknown> } } } };
    const { nodeRegistration } = (template.spec as Spec).template.spec.joinConfiguration;
    nodeRegistration.kubeletExtraArgs = [
      ...((nodeRegistration.kubeletExtraArgs as object[] | undefined) ?? []),
      { name: 'node-labels', value: 'tier=batch' },
    ];
    nodeRegistration.taints = [{ key: 'batch', effect: 'NoSchedule' }];
    const { apiVersion, kind, spec } = template;
    await world.apply({ apiVersion, kind, metadata: { name: pool, namespace: 'default' }, spec } as KubeObject);
    const pooled = deployment(sizes(0, 2)) as unknown as { spec: { template: { spec: { bootstrap: object } } } };
    pooled.spec.template.spec.bootstrap = { configRef: { ...bootstrap.configRef!, name: pool } };
    await world.apply(pooled as unknown as KubeObject);
    await world.until('opted in', () => isDeciding(world), 5);
    const batch = (tolerations: object[]) => {
      const one = workload('web', 1, '100m');
      Object.assign((one.spec as { template: { spec: object } }).template.spec, {
        nodeSelector: { tier: 'batch' },
        tolerations,
      });
      return one;
    };
    await world.wait(guest().create(batch([])));
    const reason = () => plan()?.status?.pods?.[0]?.reasons?.[`MachineDeployment/default/${pool}`];
    await world.until('refused', () => reason() !== undefined, 2);
    expect([reason(), replicas()]).toEqual(['node(s) had untolerated taint {batch: }', 0]);
    const stored = (await world.wait(guest().get('deployments.apps', 'default', 'web'))) as KubeObject;
    await world.wait(guest().put([{ ...stored, spec: batch([{ key: 'batch', operator: 'Exists' }]).spec }]));
    await world.until('a node', () => nodes() === 1, 15);
    await world.pass(2);
    expect([replicas(), await placed()]).toEqual([1, 1]);
  });
});

describe('a limit', () => {
  const limit = () => world.condition('ScalingPlan', cluster, 'LimitReached');
  const waiting = () => plan()?.status?.pods?.[0]?.reasons?.[`MachineDeployment/default/${pool}`];

  it('of the nodes of its cluster stops a pool, and is raised while pods wait', async () => {
    await open(11);
    const machines = world.all('Machine').length;
    const most = (count: number) =>
      world.patch('Cluster', cluster, {
        metadata: { annotations: { 'capstan.dev/autoscale-max-nodes': String(count) } },
      });
    expect((await most(machines + 1)).code).toBe(200);
    await optIn(sizes(0, 5));
    await run(4);
    await world.until('limit', () => limit()?.status === 'True', 2);
    const message = `max total nodes in cluster reached (${machines + 1})`;
    expect(limit()?.message).toBe(`Pods stay pending: ${message}`);
    expect([replicas(), waiting()]).toEqual([1, 'max total nodes in cluster reached']);
    await most(machines + 2);
    await world.until('nodes', () => nodes() === 2, 15);
    expect(limit()?.status).toBe('False');
  });

  it('of the Machines of its namespace is known to a pool that needs headroom only', async () => {
    await open(19);
    await optIn(sizes(0, 3));
    const annotations = { 'capstan.dev/max-machines': String(world.all('Machine').length) };
    const path = '/api/v1/namespaces/default';
    await world.request('PATCH', path, { metadata: { annotations } }, 'application/merge-patch+json');
    await world.patch('MachineDeployment', pool, {
      metadata: { annotations: { 'capstan.dev/autoscale-headroom': 'pods=1 cpu=500m' } },
    });
    await world.pass(3);
    expect(limit()?.message).toContain(`Pools stay below their minimum or headroom: exceeded quota: annotation`);
    expect([replicas(), plan()?.status?.lastDecision]).toEqual([0, undefined]);
  });

  it.each([
    { rule: 'a Cluster', path: `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/${cluster}` },
    { rule: 'a Namespace', path: '/api/v1/namespaces/default' },
  ])('of $rule must be a number', async ({ path }) => {
    await open(13);
    const annotations = { 'capstan.dev/autoscale-max-vcpu': 'many' };
    const answer = await world.request('PATCH', path, { metadata: { annotations } }, 'application/merge-patch+json');
    expect([answer.code, answer.body.message]).toEqual([
      422,
      expect.stringContaining('metadata.annotations[capstan.dev/autoscale-max-vcpu]: Invalid value: "many"'),
    ]);
  });
});

describe('a cluster-autoscaler', () => {
  const theirs = (min: number, max: number): Annotations => ({
    'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': String(min),
    'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': String(max),
  });
  const lease = () => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'kube-system', name: 'cluster-autoscaler' },
    spec: { holderIdentity: 'ca-0', renewTime: new Date(world.now()).toISOString() },
  });
  const conflict = () => world.condition('ScalingPlan', cluster, 'AutoscalerConflict')?.status;

  it('is alone with pools that have its sizes only', async () => {
    await open(6);
    await world.apply(deployment(theirs(0, 5)));
    await run(4);
    await world.pass(5);
    expect([plan(), replicas()]).toEqual([undefined, 0]);
  });

  it('acts alone while it lives, and hands its pools over afterwards', async () => {
    await open(7);
    await world.wait(guest().create(lease()));
    await optIn({ ...theirs(0, 5), 'capstan.dev/autoscale': 'true' });
    await run(4);
    await world.until('conflict', () => conflict() === 'True', 1);
    expect(replicas()).toBe(0);
    expect(world.condition('ScalingPlan', cluster, 'AutoscalerConflict')?.message).toBe(
      'cluster-autoscaler holds the Lease kube-system/cluster-autoscaler as ca-0',
    );
    // It scales through the same subresource, and its replicas stay.
    await world.scale('MachineDeployment', pool, 1);
    await world.pass(0.5);
    expect(replicas()).toBe(1);
    await world.until('handed over', () => conflict() === 'False', 2);
    await world.until('nodes', () => nodes() === 2, 15);
    expect(replicas()).toBe(2);
  });
});

describe('replicas that another client sets', () => {
  const conflict = () => world.condition('ScalingPlan', cluster, 'AutoscalerConflict');

  it('are applied within the sizes of the pool, and kept as long as those of a scale-up', async () => {
    await open(14);
    await optIn(sizes(0, 3));
    await world.scale('MachineDeployment', pool, 2);
    await world.until('nodes', () => nodes() === 2, 15);
    const since = world.now();
    expect(conflict()?.status).toBe('False');
    await world.until('unneeded', () => replicas() === 0, 30);
    expect((world.now() - since) / 60_000, 'minutes after the nodes').toBeGreaterThan(2);
    await world.scale('MachineDeployment', pool, 9);
    await world.until('brought back', () => replicas() === 3, 1);
    expect(await eventsOf(pool)).toContain('ScaleDown: Scaled down from 9 to its maximum of 3 replicas');
  });

  it('are left alone for ten minutes if they lower what the autoscaler raised twice', async () => {
    await open(15);
    await optIn(sizes(0, 5));
    await run(4);
    await world.until('asked for', () => replicas() === 2, 2);
    await world.scale('MachineDeployment', pool, 0);
    await world.until('asked for again', () => replicas() === 2, 2);
    expect(conflict()?.status).toBe('False');
    await world.scale('MachineDeployment', pool, 0);
    await world.until('conflict', () => conflict()?.status === 'True', 1);
    const since = world.now();
    expect(conflict()).toMatchObject({
      reason: 'OtherWriter',
      message: expect.stringMatching(
        /^\S+ sets the replicas of burst, which .* leave spec.replicas out of the manifest/,
      ),
    });
    expect(await eventsOf(pool)).toContainEqual(expect.stringMatching(/^AutoscalerConflict: \S+ sets its replicas: /));
    await world.pass(9);
    expect(replicas()).toBe(0);
    await world.until('scaled on', () => replicas() === 2, 3);
    expect((world.now() - since) / 60_000).toBeLessThan(10.5);
    expect(conflict()?.status).toBe('False');
  });

  it('are never taken for those of the autoscaler', async () => {
    await open(16);
    await optIn(sizes(0, 5));
    const setBy = () => world.find('MachineDeployment', pool)?.metadata.annotations?.['capstan.dev/replicas-set-by'];
    await world.patch('MachineDeployment', pool, {
      metadata: { annotations: { 'capstan.dev/replicas-set-by': 'another user' } },
      spec: { replicas: 1 },
    });
    expect(setBy()).toEqual(expect.not.stringContaining('another'));
    await run(4);
    await world.until('scaled', () => replicas() === 2, 2);
    expect(setBy()).toBeUndefined();
  });
});

describe('a pool that did not opt in', () => {
  it('is never scaled, and its cluster is not read', async () => {
    await open(4);
    await world.apply({ ...deployment({}), spec: { ...deployment({}).spec!, replicas: 0 } } as KubeObject);
    await run(6);
    await world.pass(10);
    expect(plan()).toBeUndefined();
    expect(Object.keys(world.passes).filter((name) => name.startsWith('autoscaler'))).toEqual([]);
    expect(replicas()).toBe(0);
  });

  it.each([
    {
      rule: 'a malformed size',
      given: sizes(0, 3, { 'capstan.dev/autoscale-max': 'three' }),
      says: 'must be an integer',
    },
    { rule: 'sizes in the wrong order', given: sizes(3, 1), says: 'must be greater than or equal to' },
  ])('is refused for $rule', async ({ given, says }) => {
    await open(5);
    const object = deployment(given);
    const answer = await world.request('POST', world.pathOf(object), object);
    expect(answer.code).toBe(422);
    expect(answer.body.message).toContain('metadata.annotations[capstan.dev/autoscale-max]: Invalid value');
    expect(answer.body.message).toContain(says);
  });
});
