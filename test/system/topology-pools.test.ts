/** MachinePools of a topology, whose infrastructure is a kind of users. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../machinery/api/object.ts';
import { settledMoment } from './moments.ts';
import { cluster, file, topologyIn } from './topology.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

const group = 'infrastructure.cluster.x-k8s.io';
const apiVersion = `${group}/v1`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const objects = `/apis/${apiVersion}/namespaces/default`;

const definitionOf = (kind: string): KubeObject => {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'cluster.x-k8s.io/v1beta2': 'v1' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
};
const template: KubeObject = {
  apiVersion,
  kind: 'SampleMachinePoolTemplate',
  metadata: { name: 'pool' },
  spec: { template: { metadata: { labels: { from: 'template' } }, spec: { size: 'small' } } },
};

let moment: Moment;
let world: World;
const { condition } = topologyIn(() => world);
beforeAll(async () => {
  moment = await settledMoment(file);
}, 60_000);
afterEach(() => world.end());

const post = async (path: string, object: KubeObject) => {
  const { code, body } = await world.request('POST', path, object);
  expect(code, body.message).toBe(201);
};
const samples = async () =>
  ((await world.request('GET', `${objects}/samplemachinepools`)).body as unknown as { items: KubeObject[] }).items;
const change = async (kind: 'Cluster' | 'ClusterClass', spec: object) => {
  const name = kind === 'Cluster' ? cluster : world.all('ClusterClass')[0]!.metadata.name;
  const answer = await world.patch(kind, name, { spec });
  expect(answer.code, answer.body.message).toBe(200);
};
const topology = () => world.find('Cluster', cluster)!.spec!.topology!;
const withPool = (more: object = {}) => ({
  topology: { workers: { machinePools: [{ class: 'pool', name: 'p', replicas: 2, ...more }] } },
});

const begin = async () => {
  world = await createWorld({ from: moment, seed: 1, workflows: true });
  for (const kind of ['SampleMachinePool', 'SampleMachinePoolTemplate']) await post(definitions, definitionOf(kind));
  await world.pass(1);
  await post(`${objects}/samplemachinepooltemplates`, template);
  const { spec } = world.all('ClusterClass')[0]!;
  const bootstrap = spec!.workers!.machineDeployments![0]!.bootstrap;
  await change('ClusterClass', {
    workers: {
      machinePools: [
        {
          class: 'pool',
          bootstrap,
          infrastructure: { templateRef: { apiVersion, kind: template.kind, name: 'pool' } },
          metadata: { labels: { of: 'class' } },
        },
      ],
    },
    patches: [
      ...spec!.patches!,
      {
        name: 'pool',
        definitions: [
          {
            selector: { apiVersion, kind: template.kind, matchResources: { machinePoolClass: { names: ['p*'] } } },
            jsonPatches: [
              { op: 'replace', path: '/spec/template/spec/size', valueFrom: { variable: 'workerSize' } },
              {
                op: 'add',
                path: '/spec/template/spec/name',
                valueFrom: { template: '{{ .builtin.machinePool.topologyName }}-{{ .builtin.machinePool.version }}' },
              },
            ],
          },
        ],
      },
    ],
  });
  await change('Cluster', withPool());
  await world.until('a pool', () => world.all('MachinePool').length === 1, 10);
};

describe('MachinePools of a topology', () => {
  it('have the objects of their class, change in place, and go with their entry', async () => {
    await begin();
    const [pool] = world.all('MachinePool');
    const labels = { of: 'class', 'topology.cluster.x-k8s.io/pool-name': 'p', 'topology.cluster.x-k8s.io/owned': '' };
    expect(pool).toMatchObject({
      metadata: { name: expect.stringMatching(/^cluster-class-p-[a-z0-9]{5}$/), labels },
      spec: { replicas: 2, template: { metadata: { labels }, spec: { version: topology().version } } },
    });
    const { infrastructureRef, bootstrap } = pool!.spec!.template.spec;
    const [infrastructure] = await samples();
    expect(infrastructure).toMatchObject({
      metadata: {
        name: infrastructureRef.name,
        labels: { from: 'template', 'topology.cluster.x-k8s.io/pool-name': 'p' },
        annotations: { 'cluster.x-k8s.io/cloned-from-name': 'pool' },
      },
      spec: { size: 'medium', name: `p-${topology().version}` },
    });
    expect(world.find('KubeadmConfig', bootstrap.configRef!.name)?.metadata.labels).toMatchObject({
      'topology.cluster.x-k8s.io/pool-name': 'p',
    });

    const size = { name: 'workerSize', value: 'large' };
    const overridden = withPool({ replicas: 3, variables: { overrides: [size] } });
    await change('Cluster', overridden);
    await world.until('scaled', () => world.all('MachinePool')[0]?.spec?.replicas === 3, 10);
    const [changed, ...others] = await samples();
    expect(others).toEqual([]);
    expect(changed?.metadata.uid).toBe(infrastructure?.metadata.uid);
    expect((changed?.spec as JsonObject).size).toBe('large');

    await change('Cluster', { topology: { workers: { machinePools: null } } });
    await world.until('no pool', () => world.all('MachinePool').length === 0, 20);
    expect(await samples()).toEqual([]);
    expect(condition()).toMatchObject({ status: 'True', reason: 'ReconcileSucceeded' });
  });

  it('are missed where their class names a template that is absent', async () => {
    await begin();
    await world.request('DELETE', `${objects}/samplemachinepooltemplates/pool`);
    await change('Cluster', withPool({ replicas: 3 }));
    await world.until('reported', () => condition()?.reason === 'ReconcileFailed', 10);
    expect(condition()?.message).toContain('SampleMachinePoolTemplate pool does not exist in namespace default');
    expect(world.all('MachinePool')).toHaveLength(1);
  });
});
