/** What users change, and end, while a restore of the example quickstart runs. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import { cluster, controlPlane, openUpgrade, type Upgrading } from './upgrade.fixture.ts';
import type { Moment } from './world.ts';

let quickstart: Moment;
let upgrade: Upgrading;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => upgrade.world.end());

const operations = '/apis/capstan.dev/v1alpha1/namespaces/default/clusteroperations';
const restore = async (attempt = 1) => {
  const asked = await upgrade.world.request('POST', operations, {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: { name: `${cluster}-restore-${attempt}` },
    spec: { clusterName: cluster, type: 'restore', snapshot: 'before' },
  });
  expect(asked.code, asked.body.message).toBe(201);
};
const operation = (attempt = 1) => upgrade.world.find('ClusterOperation', `${cluster}-restore-${attempt}`);
const phase = (attempt = 1) => operation(attempt)?.status?.phase;
const at = (step: string) => upgrade.world.until(`at ${step}`, () => operation()?.status?.step === step, 60);
const ended = (attempt = 1, minutes = 90) =>
  upgrade.world.until(
    'ended',
    () => ['Succeeded', 'Held', 'RolledBack', 'Cancelled'].includes(phase(attempt) ?? ''),
    minutes,
  );

/** A cluster with a snapshot. */
const open = async (seed: number, replicas = 1) => {
  upgrade = await openUpgrade(quickstart, seed);
  const { world } = upgrade;
  if (replicas > 1) {
    await world.scale('KubeadmControlPlane', controlPlane, replicas);
    await world.until('scaled', () => upgrade.members().length === replicas && isSettled(world), 60);
  }
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name: 'before' },
    spec: { clusterName: cluster },
  });
  await world.until('taken', () => world.find('EtcdSnapshot', 'before')?.status?.phase === 'Succeeded', 10);
};

describe('a version that is set while a restore runs', () => {
  it.each([
    {
      rule: 'is refused afterwards by an upgrade, if it is lower',
      version: 'v1.34.0',
      step: 'StopMembers',
      phase: 'RolledBack',
      last: 'v1.35.0',
      says: /v1\.34\.0/,
    },
    {
      rule: 'is an upgrade afterwards, if it is higher',
      version: 'v1.36.0',
      step: 'StopMembers',
      phase: 'Succeeded',
      last: 'v1.36.0',
      says: /^Every Machine is as its spec wants it/,
    },
    {
      rule: 'waits while the others join, too',
      version: 'v1.36.0',
      step: 'RestoreFirst',
      phase: 'Succeeded',
      last: 'v1.36.0',
      says: /^Every Machine is as its spec wants it/,
    },
  ])('$rule', async ({ version, step, phase: then, last, says }) => {
    await open(1);
    const { world } = upgrade;
    await restore();
    await at(step);
    await upgrade.change('KubeadmControlPlane', { spec: { version } });
    await ended();
    expect(phase(), operation()?.status?.message).toBe('Succeeded');
    expect(upgrade.memberVersions()).toEqual(['v1.35.0']);
    await upgrade.ended();
    expect([upgrade.phases(), upgrade.message()]).toEqual([[then], expect.stringMatching(says)]);
    expect(upgrade.memberVersions()).toEqual([last]);
    expect(world.find('Cluster', cluster)?.status?.conditions?.find(({ type }) => type === 'Available')?.status).toBe(
      'True',
    );
  });
});
