/** Hosts of a pool may start at any time: the bootstrap data that they read never holds a token that is about to end. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Secret, secretValue } from '../../kinds/core/contract/cluster-secrets.ts';
import type { MachinePool } from '../../kinds/core/machine-pool/index.ts';
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

const group = 'cluster.x-k8s.io';
let world: World;
beforeAll(async () => {
  world = await createWorld();
  for (const object of example('quickstart.yaml')) await world.apply(object);
  await world.until('settled', () => isSettled(world), 60);
}, 60_000);
afterAll(() => world.end());

const find = <T>(kind: string): T | undefined => world.find(kind as 'Machine', 'pool') as T | undefined;
const tokenNow = () => secretValue(find<Secret>('Secret'), 'token');

it('gets another token every quarter of an hour, in the same Secret', async () => {
  const configRef = { apiGroup: `bootstrap.${group}`, kind: 'KubeadmConfig', name: 'pool' };
  const metadata = { name: 'pool', namespace: 'default' };
  await world.apply({
    apiVersion: `bootstrap.${group}/v1beta2`,
    kind: 'KubeadmConfig',
    metadata,
    spec: { format: 'cloud-config' },
  });
  const machine = {
    clusterName: 'quickstart',
    version: 'v1.35.0',
    bootstrap: { configRef },
    infrastructureRef: { apiGroup: `infrastructure.${group}`, kind: 'OtherMachinePool', name: 'pool' },
  };
  const spec = { clusterName: 'quickstart', replicas: 1, template: { spec: machine } };
  await world.apply({ apiVersion: `${group}/v1beta2`, kind: 'MachinePool', metadata, spec });
  const nameOf = () => find<MachinePool>('MachinePool')?.spec?.template.spec.bootstrap.dataSecretName;
  await world.until('booted', () => nameOf() !== undefined, 5);
  const seen = new Map<string, number>();
  for (let minutes = 0; minutes < 80; minutes++) {
    const token = tokenNow()!;
    seen.set(token, (seen.get(token) ?? 0) + 1);
    expect(secretValue(find<Secret>('Secret'), 'value')).toContain(token);
    expect(nameOf()).toBe('pool');
    await world.pass(1);
  }
  expect(seen.size).toBeGreaterThanOrEqual(5);
  expect(Math.max(...seen.values())).toBeLessThanOrEqual(16);
  expect(world.errors).toEqual([]);

  await world.remove('MachinePool' as 'Machine', 'pool');
  await world.until('gone', () => !find('MachinePool') && !find('KubeadmConfig') && !find('Secret'), 5);
  const after = world.passes['kubeadm-config'];
  await world.pass(40);
  expect(world.passes['kubeadm-config']).toBe(after);
});
