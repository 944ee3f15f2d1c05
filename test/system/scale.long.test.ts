import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NodeObject } from '../../simulation/workload/objects.ts';
import { expectWhole, isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment, minute, type World } from './world.ts';

let world: World;
let quickstart: Moment;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const workers = 'quickstart-workers';
const controlPlane = 'quickstart-control-plane';
const open = async (seed: number) => {
  world = await createWorld({ from: quickstart, seed });
};
const settled = async () => {
  // The controllers must observe the change before the settled state means anything.
  await world.pass(1);
  await world.until('settled', () => isSettled(world), 60);
  expectWhole(world);
};
const voters = () => {
  const [cluster] = world.system.guests.clusters.all();
  const members = cluster!.record.etcd.members.filter(({ isLearner }) => !isLearner);
  return {
    all: members.length,
    running: members.filter((one) => world.system.guests.clusters.isRunning(one.instanceId)).length,
  };
};
const expectQuorum = () => {
  const { all, running } = voters();
  expect(running, `running of ${all} members`).toBeGreaterThan(all / 2);
};
const workersNow = () =>
  world.all('Machine').filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] === workers);
const isReady = ({ metadata }: { metadata: { name: string } }) =>
  world.condition('Machine', metadata.name, 'Available')?.status === 'True';

describe('scaling', () => {
  it('adds and removes workers', async () => {
    await open(2);
    await world.scale('MachineDeployment', workers, 4);
    await settled();
    expect(world.live('instance')).toHaveLength(5);
    await world.scale('MachineDeployment', workers, 1);
    await settled();
    expect(world.live('instance')).toHaveLength(2);
  });

  it('moves etcd one member at a time and never without a quorum; an even number is rejected', async () => {
    await open(3);
    const sizes: number[] = [];
    world.onCommit(() => {
      expectQuorum();
      const { all } = voters();
      if (sizes.at(-1) !== all) sizes.push(all);
    });
    const refused = await world.scale('KubeadmControlPlane', controlPlane, 2);
    expect(refused.code).toBe(422);
    expect(refused.body.message).toContain('cannot be an even number when etcd is stacked');
    await world.scale('KubeadmControlPlane', controlPlane, 3);
    await settled();
    await world.scale('KubeadmControlPlane', controlPlane, 1);
    await settled();
    expect(sizes).toEqual([1, 2, 3, 2, 1]);
  });
});

describe('rolling out', () => {
  const watchLimits = () =>
    world.onCommit(({ type }) => {
      if (!type.startsWith('machines.')) return;
      expect(workersNow().length, 'workers at once').toBeLessThanOrEqual(3);
      expect(
        workersNow().filter((one) => !one.metadata.deletionTimestamp && isReady(one)).length,
      ).toBeGreaterThanOrEqual(2);
    });

  it('another template and another patch version stay within surge and availability', async () => {
    await open(4);
    watchLimits();
    const { metadata: _, ...template } = world.find('AWSMachineTemplate', workers)!;
    const spec = template.spec!;
    await world.apply({
      ...template,
      metadata: { name: 'larger' },
      spec: { template: { spec: { ...spec.template.spec, instanceType: 'm5.large' } } },
    });
    const ref = world.find('MachineDeployment', workers)!.spec!.template.spec.infrastructureRef;
    const answer = await world.patch('MachineDeployment', workers, {
      spec: { template: { spec: { infrastructureRef: { ...ref, name: 'larger' } } } },
    });
    expect(answer.code).toBe(200);
    await settled();
    expect(
      world.all('AWSMachine').filter(({ spec: { instanceType } = {} }) => instanceType === 'm5.large'),
    ).toHaveLength(2);
    const previous = world.find('MachineDeployment', workers)?.metadata.annotations?.['capstan.dev/previous-template'];
    expect(previous).toContain(workers);
    await world.patch('MachineDeployment', workers, { spec: { template: { spec: { version: 'v1.35.1' } } } });
    await settled();
    expect(workersNow().map(({ spec: { version } = {} }) => version)).toEqual(['v1.35.1', 'v1.35.1']);
  });

  it('pods avoid old nodes before a new one exists', async () => {
    await open(8);
    const before = workersNow().map(({ status }) => status?.nodeRef?.name);
    const after = new Date(world.now() + 10 * minute).toISOString();
    await world.patch('MachineDeployment', workers, { spec: { rollout: { after } } });
    await world.until('a new worker', () => workersNow().length > before.length, 20);
    await world.pass(0.1);
    const [cluster] = world.system.guests.clusters.all();
    const nodes = await world.wait(cluster!.list<NodeObject>('nodes'));
    const outdated = nodes.filter(({ spec }) => spec?.taints?.some(({ key }) => key.endsWith('/outdated-revision')));
    expect(outdated.map(({ metadata }) => metadata.name).sort()).toEqual(before.sort());
    await settled();
  });

  it('workers of another minor version wait for their control plane, which rolls with its quorum', async () => {
    await open(5);
    world.onCommit(expectQuorum);
    await world.patch('MachineDeployment', workers, { spec: { template: { spec: { version: 'v1.36.0' } } } });
    await world.pass(10);
    expect(workersNow().map(({ spec: { version } = {} }) => version)).toEqual(['v1.35.0', 'v1.35.0']);
    const answer = await world.patch('KubeadmControlPlane', controlPlane, { spec: { version: 'v1.36.0' } });
    expect(answer.code, answer.body.message).toBe(200);
    await settled();
    expect(new Set(world.all('Machine').map(({ spec }) => spec?.version))).toEqual(new Set(['v1.36.0']));
  });
});

describe('a Machine', () => {
  it('is replaced when it is deleted', async () => {
    await open(6);
    const [first] = workersNow();
    await world.remove('Machine', first!.metadata.name);
    await settled();
    expect(world.find('Machine', first!.metadata.name)).toBeUndefined();
  });

  it('reports a terminated instance, and is replaced when it is deleted', async () => {
    await open(7);
    const [first] = workersNow();
    const { name } = first!.metadata;
    const id = world.all('AWSMachine').find(({ metadata }) => metadata.name === first!.spec?.infrastructureRef?.name)!
      .spec!.instanceID!;
    world.system.account.terminate(id);
    await world.until(
      'the Machine says so',
      () => world.condition('Machine', name, 'InfrastructureReady')?.status === 'False',
      10,
    );
    expect(world.condition('Machine', name, 'InfrastructureReady')?.reason).toMatch(/Terminated/);
    await world.remove('Machine', name);
    await settled();
    expect(world.find('Machine', name)).toBeUndefined();
  });
});
