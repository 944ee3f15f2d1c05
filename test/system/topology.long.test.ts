import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { settledMoment } from './moments.ts';
import { file, openMoment, topologyIn } from './topology.fixture.ts';
import type { Moment, World } from './world.ts';

let moment: Moment;
let world: World;
const { condition, upgrades, settle, templates, machines, change, withValue, withPool } = topologyIn(() => world);
beforeAll(async () => {
  moment = await settledMoment(file);
}, 60_000);
afterEach(() => world.end());

describe('a cluster of a class', () => {
  it('replaces the Machines that a variable changes, and deletes the template that they had', async () => {
    world = await openMoment(moment, 2);
    const [before, had] = [templates(), machines()];
    await change(withValue('workerSize', 'large'));
    await settle();
    const types = world.all('AWSMachine').map(({ spec }) => spec?.instanceType);
    expect(types.sort()).toEqual(['m5.xlarge', 'm5.xlarge', 't3.large']);
    expect(machines().filter((one) => had.includes(one))).toHaveLength(1);
    await world.until('no template left', () => templates().length === before.length, 10);
    expect(templates().filter((one) => !before.includes(one))).toHaveLength(1);
    expect(upgrades().map(({ status }) => status?.phase)).toEqual(['Succeeded']);
  });

  it('gives MachineDeployments and their MachineSets the annotations of the topology, and no notes', async () => {
    world = await openMoment(moment, 3);
    const own = () =>
      [...world.all('MachineDeployment'), ...world.all('MachineSet')].map(({ metadata }) =>
        Object.entries(metadata.annotations ?? {}).filter(([name]) => !name.includes('cluster')),
      );
    await change(withPool({ metadata: { annotations: { team: 'a', tier: 'b' } } }));
    await settle();
    const both = [
      ['team', 'a'],
      ['tier', 'b'],
    ];
    expect(own()).toEqual([both, both]);
    await change(withPool({ metadata: { annotations: { tier: 'c' } } }));
    await change(withValue('workerSize', 'large'));
    await settle();
    await world.until('one set left', () => world.all('MachineSet').length === 1, 10);
    expect(own()).toEqual([[['tier', 'c']], [['tier', 'c']]]);
  });

  it('leaves workers at their version that defer the upgrade', async () => {
    world = await openMoment(moment, 5);
    const deferring = { metadata: { annotations: { 'topology.cluster.x-k8s.io/defer-upgrade': '' } } };
    await change({ version: 'v1.36.0', ...withPool(deferring) });
    await world.until('deferred', () => condition()?.reason === 'MachineDeploymentsUpgradeDeferred', 60);
    const versions = world.all('MachineDeployment').map(({ spec }) => spec?.template.spec.version);
    expect(versions).toEqual(['v1.35.0']);
    const [deployment] = world.all('MachineDeployment');
    expect(deployment?.metadata.annotations).not.toHaveProperty(['topology.cluster.x-k8s.io/defer-upgrade']);
    await change(withPool({ metadata: null }));
    await settle();
    expect(new Set(world.all('Machine').map(({ spec }) => spec?.version))).toEqual(new Set(['v1.36.0']));
  });

  it('makes again what a user deletes, and deletes pools that the topology no longer names', async () => {
    world = await openMoment(moment, 6);
    const [pool] = world.all('MachineDeployment');
    await world.remove('MachineHealthCheck', pool!.metadata.name);
    await world.until('health check', () => world.all('MachineHealthCheck').length === 1, 5);
    await change({ workers: null });
    await world.until('no workers', () => world.all('MachineDeployment').length === 0 && machines().length === 1, 30);
    await world.until('no templates', () => templates().length === 1, 30);
    expect(world.all('MachineHealthCheck')).toEqual([]);
  });
});

describe('a ClusterClass', () => {
  const classPath = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusterclasses/standard';
  const changed = (patch: unknown) => world.request('PATCH', classPath, patch, 'application/json-patch+json');
  it('that changes the control plane begins an upgrade soon', async () => {
    world = await openMoment(moment, 13);
    const templates = '/apis/controlplane.cluster.x-k8s.io/v1beta2/namespaces/default/kubeadmcontrolplanetemplates';
    const { body } = await world.request('GET', `${templates}/standard`);
    const { template } = body.spec as { template: { spec: { kubeadmConfigSpec: object } } };
    const kubeadmConfigSpec = { ...template.spec.kubeadmConfigSpec, verbosity: 4 };
    const louder = {
      ...body,
      metadata: { name: 'louder' },
      spec: { template: { spec: { ...template.spec, kubeadmConfigSpec } } },
    };
    expect(await world.request('POST', templates, louder)).toMatchObject({ code: 201 });
    const path = '/spec/controlPlane/templateRef/name';
    expect(await changed([{ op: 'replace', path, value: 'louder' }])).toMatchObject({ code: 200 });
    await world.until('an upgrade begins', () => upgrades().length > 0, 0.2);
  });
});
