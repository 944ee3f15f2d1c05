/** Workflows outlast three hours without AWS, and end as if there had been none. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import { Throttled } from '../../machinery/ports.ts';
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { cluster, controlPlane, workers } from './upgrade.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

const outage = 180;

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

type Type = 'create' | 'upgrade' | 'restore' | 'delete';
const operationOf = (type: Type): ClusterOperation | undefined =>
  world.all('ClusterOperation').findLast(({ spec }) => spec?.type === type);

const take = async () => {
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name: 'first' },
    spec: { clusterName: cluster },
  });
  await world.until('taken', () => world.find('EtcdSnapshot', 'first')?.status?.phase === 'Succeeded', 10);
};

const begin: Record<Type, () => Promise<void>> = {
  create: async () => {
    world = await createWorld({ workflows: true });
    for (const object of example('quickstart.yaml')) await world.apply(object);
  },
  upgrade: async () => {
    world = await createWorld({ from: quickstart, seed: 2, workflows: true });
    const version = 'v1.36.0';
    await world.patch('KubeadmControlPlane', controlPlane, { spec: { version } });
    await world.patch('MachineDeployment', workers, { spec: { template: { spec: { version } } } });
  },
  restore: async () => {
    world = await createWorld({ from: quickstart, seed: 3, workflows: true });
    await take();
    await world.request('POST', '/apis/capstan.dev/v1alpha1/namespaces/default/clusteroperations', {
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'ClusterOperation',
      metadata: { name: `${cluster}-restore-1` },
      spec: { clusterName: cluster, type: 'restore', snapshot: 'first' },
    });
  },
  delete: async () => {
    world = await createWorld({ from: quickstart, seed: 4, workflows: true });
    await world.remove('Cluster', cluster);
  },
};

/** What does not answer, and how it begins and ends. */
const failing: Record<string, (isDown: boolean) => void> = {
  'AWS answers no call': (isDown) => cloud(isDown, 'ServiceUnavailable'),
  'AWS throttles every call': (isDown) => cloud(isDown, 'RequestLimitExceeded'),
  'the functions of workflows fail': (isDown) =>
    world.crashTasks(isDown ? Number.POSITIVE_INFINITY : 0, new Throttled('the table does not answer')),
  'the tables answer no call': (isDown) => world.darken(isDown),
  'AWS throttles every launch': (isDown) => cloud(isDown, 'RequestLimitExceeded', 'RunInstances'),
};
const cloud = (isDown: boolean, code: string, action = '*') => {
  if (isDown) world.system.account.faults.add({ action, code });
  else world.system.account.faults.clear();
};

const steps: Record<Type, readonly string[]> = {
  create: ['Preflight', 'Network', 'FirstControlPlaneMachine', 'Workers'],
  upgrade: ['Preflight', 'Snapshot', 'ControlPlaneFirst', 'ControlPlane', 'AddOns', 'WorkersCanary', 'Workers'],
  restore: ['StopMembers', 'RestoreFirst', 'Join', 'Verify'],
  delete: ['DeleteWorkers', 'DeleteControlPlane', 'DeleteLoadBalancers', 'DeleteNetwork'],
};
/** In every step; the others only in one. */
const everywhere = 'AWS answers no call';
const cases = (Object.keys(steps) as Type[]).flatMap((type) =>
  steps[type].flatMap((step, at) =>
    Object.keys(failing)
      .filter((what) => at === 2 || what === everywhere)
      .map((what) => ({ type, step, what })),
  ),
);

describe.each(cases)('$type at $step, while $what', ({ type, step, what }) => {
  it('goes on by itself', async () => {
    await begin[type]();
    const isOver = () => operationOf(type)?.status?.phase === 'Succeeded' || !world.find('Cluster', cluster);
    await world.until(step, () => operationOf(type)?.status?.step === step || isOver(), 60);
    const phases = new Set<string | undefined>();
    world.onCommit(({ object }) => {
      const operation = object as ClusterOperation | undefined;
      if (operation?.kind === 'ClusterOperation' && operation.spec?.type === type) phases.add(operation.status?.phase);
    });
    failing[what]!(true);
    await world.pass(outage);
    failing[what]!(false);
    await world.until('ended', isOver, 120);
    if (type !== 'delete') await world.until('settled', () => isSettled(world), 60);
    expect([...phases].filter((phase) => !['Pending', 'Running', 'Succeeded'].includes(phase ?? ''))).toEqual([]);
    expect(world.all('ClusterOperation').filter(({ spec }) => spec?.type === type).length).toBeLessThan(2);
  }, 300_000);
});
