import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { remains } from './checks.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { cluster, file, openMoment, topologyIn } from './topology.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let moment: Moment;
let world: World;
const { condition, upgrades, settle, templates, machines, send, change, withValue, withPool, topology } = topologyIn(
  () => world,
);
beforeAll(async () => {
  moment = await settledMoment(file);
}, 60_000);
afterEach(() => world.end());

describe('a cluster of a class', () => {
  it('has the objects of the class with the values of its variables, and stays as it is', async () => {
    world = await openMoment(moment, 1);
    const [awsCluster] = world.all('AWSCluster');
    expect(awsCluster?.spec).toMatchObject({
      region: 'eu-central-1',
      additionalTags: { team: 'payments', cluster },
    });
    const [controlPlane] = world.all('KubeadmControlPlane');
    expect(controlPlane?.metadata.name).toMatch(/^cluster-class-control-plane-[a-z0-9]{5}$/);
    expect(controlPlane?.spec?.kubeadmConfigSpec?.clusterConfiguration?.apiServer?.extraArgs).toEqual([
      { name: 'v', value: '2' },
    ]);
    const types = world.all('AWSMachine').map(({ spec }) => spec?.instanceType);
    expect(types.sort()).toEqual(['m5.large', 'm5.large', 't3.large']);
    expect(world.all('MachineHealthCheck').map(({ spec }) => spec?.checks?.nodeStartupTimeoutSeconds)).toEqual([900]);
    expect(condition()).toMatchObject({ status: 'True', reason: 'ReconcileSucceeded' });
    const changes: string[] = [];
    world.onCommit(
      ({ type, name: object }) => !/^(events|installations)/.test(type) && changes.push(`${type} ${object}`),
    );
    await world.pass(30);
    expect(changes).toEqual([]);
  });

  it('is selected by the labels that Cluster API gives it, as MachineDrainRules do', async () => {
    world = await openMoment(moment, 1);
    expect(world.find('Cluster', cluster)?.metadata.labels).toMatchObject({
      'cluster.x-k8s.io/cluster-name': cluster,
      'topology.cluster.x-k8s.io/owned': '',
    });
  });

  it('passes labels and replicas on without replacing Machines', async () => {
    world = await openMoment(moment, 3);
    const had = machines();
    await change(withPool({ replicas: 3, metadata: { labels: { 'node.cluster.x-k8s.io/pool': 'blue' } } }));
    await settle();
    expect(machines()).toEqual(expect.arrayContaining(had));
    expect(machines()).toHaveLength(had.length + 1);
    const workers = world.all('Machine').filter(({ metadata }) => !metadata.name.includes('control-plane'));
    for (const { metadata } of workers) expect(metadata.labels).toMatchObject({ 'node.cluster.x-k8s.io/pool': 'blue' });
    expect(upgrades()).toEqual([]);
  });

  it('upgrades by its version: control plane and workers in one operation', async () => {
    world = await openMoment(moment, 4);
    const before = templates();
    await change({ version: 'v1.36.0' });
    await world.until('upgrading', () => condition()?.reason === 'ClusterUpgrading', 5);
    await settle();
    expect(new Set(world.all('Machine').map(({ spec }) => spec?.version))).toEqual(new Set(['v1.36.0']));
    expect(upgrades().map(({ status }) => status?.phase)).toEqual(['Succeeded']);
    expect(upgrades()[0]?.spec?.objects?.map(({ kind }) => kind)).toEqual(['KubeadmControlPlane', 'MachineDeployment']);
    expect(templates()).toEqual(before);
  });

  it('leaves nothing behind', async () => {
    world = await openMoment(moment, 7);
    await world.remove('Cluster', cluster);
    await world.until('deleted', () => remains(world).length === 0 && templates().length === 0, 120);
    expect(world.all('MachineHealthCheck')).toEqual([]);
  });
});

describe('a topology', () => {
  it('warns of each object that a dry run would change', async () => {
    world = await openMoment(moment, 9);
    const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/${cluster}?dryRun=All`;
    const patch = { spec: { topology: { version: 'v1.36.0', ...withValue('workerSize', 'large') } } };
    const { code, warnings } = await world.request('PATCH', path, patch, 'application/merge-patch+json');
    expect(code).toBe(200);
    const lines = [...warnings.matchAll(/topology: ([^"]+)"/g)].map(([, line]) =>
      line!.replace(/-[a-z0-9]{5}(?= |$)/g, '-x'),
    );
    expect(lines).toEqual([
      'would update KubeadmControlPlane cluster-class-control-plane-x',
      expect.stringMatching(/^would replace 1 Machine of KubeadmControlPlane cluster-class-control-plane-/),
      'would create AWSMachineTemplate cluster-class-pool-x in place of cluster-class-pool-x',
      'would update MachineDeployment cluster-class-pool-x',
      expect.stringMatching(/^would replace 2 Machines of MachineDeployment cluster-class-pool-/),
    ]);
    const versions = world.all('KubeadmControlPlane').map(({ spec }) => spec?.version);
    expect(versions).toEqual(['v1.35.0']);
  });

  it('says that it is paused, and goes on with what changed meanwhile', async () => {
    world = await openMoment(moment, 13);
    const reported = () => {
      const { status, reason, message } = condition() ?? {};
      return [status, reason, message];
    };
    await world.patch('Cluster', cluster, { spec: { paused: true } });
    await world.pass(1);
    expect(reported()).toEqual(['False', 'Paused', 'Cluster spec.paused is set to true']);
    const annotations = { 'cluster.x-k8s.io/paused': '' };
    const replicas = () => world.all('MachineDeployment').map(({ spec }) => spec?.replicas);
    const { topology } = world.find('Cluster', cluster)!.spec!;
    const machineDeployments = topology!.workers!.machineDeployments!.map((one) => ({ ...one, replicas: 3 }));
    await world.patch('Cluster', cluster, {
      metadata: { annotations },
      spec: { topology: { workers: { machineDeployments } } },
    });
    await world.pass(1);
    expect(replicas()).toEqual([2]);
    expect(reported()[2]).toBe(
      'Cluster spec.paused is set to true, Cluster has the cluster.x-k8s.io/paused annotation',
    );
    await world.patch('Cluster', cluster, {
      spec: { paused: null },
      metadata: { annotations: { 'cluster.x-k8s.io/paused': null } },
    });
    await world.pass(1);
    expect([replicas(), ...reported().slice(0, 2)]).toEqual([[3], 'True', 'ReconcileSucceeded']);
  });

  it('leaves replicas to what scales the workers', async () => {
    world = await openMoment(moment, 10);
    const [pool] = world.all('MachineDeployment');
    const limits = {
      'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '1',
      'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '5',
    };
    await change(withPool({ replicas: null, metadata: { annotations: limits } }));
    await settle();
    expect(world.all('MachineDeployment')[0]?.metadata.annotations).toMatchObject(limits);
    await world.scale('MachineDeployment', pool!.metadata.name, 3);
    await settle();
    expect(machines()).toHaveLength(4);
  });

  it('waits for templates that are missing', async () => {
    world = await createWorld({ workflows: true });
    const objects = example(file);
    const isMissing = ({ kind, metadata }: KubeObject) =>
      kind === 'KubeadmConfigTemplate' && metadata.name === 'standard-worker';
    for (const object of objects.filter((one) => !isMissing(one))) await world.apply(object);
    await world.until('failed', () => condition()?.reason === 'ReconcileFailed', 5);
    expect(condition()?.message).toBe('KubeadmConfigTemplate standard-worker does not exist in namespace default');
    expect(world.all('AWSCluster')).toEqual([]);
    for (const object of objects.filter(isMissing)) await world.apply(object);
    await world.until('begun', () => world.all('MachineDeployment').length === 1, 3);
  });
});

describe('a ClusterClass', () => {
  const classPath = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusterclasses/standard';
  const changed = (patch: unknown) => world.request('PATCH', classPath, patch, 'application/json-patch+json');
  it('that its clusters could not follow is refused, and so is the deletion of one in use', async () => {
    world = await openMoment(moment, 11);
    const narrowed = await changed([
      { op: 'replace', path: '/spec/variables/0/schema/openAPIV3Schema/enum', value: ['eu-west-1'] },
    ]);
    expect(narrowed).toMatchObject({ code: 422, body: { message: expect.stringMatching(/would become invalid/) } });
    const removed = await changed([
      { op: 'replace', path: '/spec/workers/machineDeployments/0/class', value: 'other' },
    ]);
    expect(removed).toMatchObject({ code: 422, body: { message: expect.stringMatching(/is used by Cluster/) } });
    const deleted = await world.request('DELETE', classPath);
    expect(deleted).toMatchObject({ code: 403, body: { message: expect.stringMatching(/used by Cluster\(s\)/) } });
  });

  it('that changes is followed by its clusters', async () => {
    world = await openMoment(moment, 12);
    const had = machines();
    const { code } = await changed([
      { op: 'add', path: '/spec/workers/machineDeployments/0/minReadySeconds', value: 5 },
    ]);
    expect(code).toBe(200);
    await settle();
    expect(world.all('MachineDeployment')[0]?.spec?.template.spec.minReadySeconds).toBe(5);
    expect(machines()).toEqual(had);
  });

  it('that is paused holds its clusters back, which go on at once when it goes on', async () => {
    world = await openMoment(moment, 17);
    const paused = (value: string | null) =>
      world.patch('ClusterClass', 'standard', { metadata: { annotations: { 'cluster.x-k8s.io/paused': value } } });
    await paused('');
    await world.pass(1);
    const extra = { name: 'extra', required: false, schema: { openAPIV3Schema: { type: 'string' } } };
    await changed([{ op: 'add', path: '/spec/variables/-', value: extra }]);
    await world.until('held back', () => condition()?.reason === 'ClusterClassNotReconciled', 5);
    const since = world.now();
    await paused(null);
    await world.until('goes on', () => condition()?.reason === 'ReconcileSucceeded', 5);
    expect((world.now() - since) / 1000).toBeLessThan(10);
  });
});

it('a Cluster whose class was never there may name another one', async () => {
  world = await createWorld({ workflows: true });
  const objects = example(file) as KubeObject[];
  const isCluster = ({ kind }: KubeObject) => kind === 'Cluster';
  for (const object of objects.filter((one) => !isCluster(one))) await world.apply(object);
  const [named] = objects.filter(isCluster) as KubeObject<{ topology: { classRef: object } }>[];
  const { topology: of } = named!.spec!;
  await world.apply({ ...named!, spec: { ...named!.spec, topology: { ...of, classRef: { name: 'standrad' } } } });
  await world.pass(1);
  const { code, body } = await send({ classRef: of.classRef });
  expect(code, body.message).toBe(200);
  await settle();
});

describe('admission', () => {
  it.each<{ rule: string; patch: () => object; says: RegExp }>([
    {
      rule: 'values that the schema excludes',
      patch: () => withValue('workerSize', 'huge'),
      says: /Unsupported value|supported values/,
    },
    { rule: 'transitions that a rule excludes', patch: () => withValue('team', 'other'), says: /stays with its team/ },
    {
      rule: 'variables that the class does not define',
      patch: () => ({ variables: [...topology().variables!, { name: 'x', value: 1 }] }),
      says: /variable is not defined/,
    },
    {
      rule: 'unknown fields',
      patch: () => withValue('apiServer', { other: 1 }),
      says: /not specified in the variable schema/,
    },
    {
      rule: 'classes of workers that do not exist',
      patch: () => withPool({ class: 'none' }),
      says: /does not exist in ClusterClass/,
    },
    { rule: 'two minor versions at once', patch: () => ({ version: 'v1.37.0' }), says: /version cannot be increased/ },
    { rule: 'lower versions', patch: () => ({ version: 'v1.34.0' }), says: /version cannot be decreased/ },
    { rule: 'another class that is not there', patch: () => ({ classRef: { name: 'none' } }), says: /not found/ },
  ])('refuses $rule', async ({ patch, says }) => {
    world = await openMoment(moment, 8);
    const { code, body } = await send(patch());
    expect({ code, message: body.message }).toEqual({ code: 422, message: expect.stringMatching(says) });
  });
});
