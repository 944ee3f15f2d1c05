/** ResourceQuotas and what the controllers of a cluster create. */
import { afterEach, describe, expect, it } from 'vitest';
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

const quotas = '/api/v1/namespaces/default/resourcequotas';
const limit = async (hard: Record<string, string>) => {
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'team' }, spec: { hard } };
  expect((await world.request('POST', quotas, quota)).code).toBe(201);
};
const raise = async (hard: Record<string, string>) => {
  const patch = { spec: { hard } };
  expect((await world.request('PATCH', `${quotas}/team`, patch, 'application/merge-patch+json')).code).toBe(200);
};
const reports = (kind: 'MachineSet' | 'KubeadmControlPlane' | 'Cluster', text: string) =>
  world.all(kind).some(({ status }) => (JSON.stringify(status?.conditions) ?? '').includes(text));

describe('a quota of hosts', () => {
  it.each([
    'count/machines.cluster.x-k8s.io',
    'count/awsmachines.infrastructure.cluster.x-k8s.io',
  ])('%s stops a pool that is too large, which says so, until the quota is raised', async (name) => {
    world = await createWorld();
    await limit({ [name]: '3' });
    for (const object of example('quickstart.yaml')) {
      const isPool = object.kind === 'MachineDeployment';
      await world.apply(isPool ? { ...object, spec: { ...(object.spec as object), replicas: 5 } } : object);
    }
    await world.until('the pool is stopped', () => reports('MachineSet', 'exceeded quota'), 30);
    expect(reports('MachineSet', 'team')).toBe(true);
    expect(world.all('AWSMachine').length).toBeLessThanOrEqual(3);
    expect(world.live('instance').length).toBeLessThanOrEqual(3);
    await raise({ [name]: '10' });
    await world.until('settled', () => isSettled(world) && world.all('Machine').length >= 6, 60);
  });
});
