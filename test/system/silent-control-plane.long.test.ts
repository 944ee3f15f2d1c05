/** A control plane without a quorum: what is said of it while a user deletes a Machine and restores. */
import { afterEach, beforeAll, expect, it } from 'vitest';
import { refusedAdvice } from './advice.ts';
import { isSettled } from './checks.ts';
import { explained } from './faults-to-explain.ts';
import { settledMoment } from './moments.ts';
import { cluster, controlPlane } from './upgrade.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const members = () =>
  world.all('Machine').filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined);
const operation = () => world.find('ClusterOperation', `${cluster}-restore-1`);
const offered = () => explained(world).flatMap(({ commands }) => commands);

/** Advice that helps: to restore, and nothing that would wait for an API server. */
const expectUsefulAdvice = async () => {
  const [first] = explained(world);
  expect(first?.message).toMatch(/^etcd has lost its quorum: the hosts of 3 of 5 members have ended/);
  expect(first?.commands).toContain('capstan snapshot restore NAME -n default');
  expect(offered().filter((command) => /delete machine|patch machine/.test(command))).toEqual([]);
  expect(await refusedAdvice(world, explained(world))).toEqual([]);
};

it('advises a restore before and after a Machine is deleted, and is restored', async () => {
  world = await createWorld({ from: quickstart, seed: 1, workflows: true });
  await world.scale('KubeadmControlPlane', controlPlane, 5);
  await world.until('scaled', () => members().length === 5 && isSettled(world), 60);
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name: 'before' },
    spec: { clusterName: cluster },
  });
  await world.until('taken', () => world.find('EtcdSnapshot', 'before')?.status?.phase === 'Succeeded', 10);
  const [lost, ...others] = members().slice(0, 3);
  for (const { metadata } of [lost!, ...others])
    world.system.account.terminate(world.find('AWSMachine', metadata.name)!.spec!.instanceID!);
  await world.pass(10);
  await expectUsefulAdvice();
  await world.remove('Machine', lost!.metadata.name);
  await world.pass(10);
  await expectUsefulAdvice();
  const asked = await world.request('POST', '/apis/capstan.dev/v1alpha1/namespaces/default/clusteroperations', {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: { name: `${cluster}-restore-1` },
    spec: { clusterName: cluster, type: 'restore', snapshot: 'before' },
  });
  expect(asked.code, asked.body.message).toBe(201);
  await world.until('ended', () => operation()?.status?.ended !== undefined, 90);
  expect(operation()?.status?.phase).toBe('Succeeded');
  await world.until('settled', () => isSettled(world), 30);
  expect(explained(world)).toEqual([]);
  expect(world.errors).toEqual([]);
}, 60_000);
