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
      says: /VersionIsLower: .* runs v1\.35\.0/,
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

describe('a restore that is held before its first Machine serves', () => {
  const available = () =>
    upgrade.world.find('Cluster', cluster)?.status?.conditions?.find(({ type }) => type === 'Available');

  it('goes on by itself once that Machine serves', async () => {
    await open(4, 3);
    const { world } = upgrade;
    await world.patch('Cluster', cluster, { metadata: { annotations: { 'capstan.dev/restore-deadline': '10m' } } });
    world.system.account.faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity' });
    await restore();
    await ended();
    expect([phase(), operation()?.status?.step]).toEqual(['Held', 'RestoreFirst']);
    expect(operation()?.status?.message).toContain('Once its first Machine serves the snapshot, it goes on by itself');
    await world.until('told', () => available()?.message?.includes(`${cluster}-restore-1 is Held: `) === true, 5);
    world.system.account.faults.clear();
    await world.until('over', () => phase() === 'Succeeded', 90);
    await world.until('settled', () => isSettled(world), 60);
    expect(upgrade.members()).toHaveLength(3);
    expect(upgrade.targets()).toEqual({});
    expect(available()?.message ?? '').toBe('');
  });

  it('ends by itself if a user has cancelled it, and the control plane follows its spec', async () => {
    await open(5, 3);
    const { world } = upgrade;
    await restore();
    await at('RestoreFirst');
    expect((await world.patch('ClusterOperation', `${cluster}-restore-1`, { spec: { cancel: true } })).code).toBe(200);
    await ended();
    expect(phase()).toBe('Held');
    await world.until('over', () => phase() === 'Cancelled', 60);
    expect(operation()?.status?.message).toMatch(/^Cancelled: capstan-admin cancelled it\. etcd has the state of /);
    await world.until('settled', () => isSettled(world) && upgrade.members().length === 3, 60);
    expect(upgrade.targets()).toEqual({});
  });

  it('keeps the record of what it did when another restore takes its place', async () => {
    await open(6);
    const { world } = upgrade;
    await restore();
    await at('StopMembers');
    expect((await world.patch('ClusterOperation', `${cluster}-restore-1`, { spec: { cancel: true } })).code).toBe(200);
    await ended();
    expect(phase()).toBe('Held');
    await restore(2);
    await ended(2);
    expect(phase(2), operation(2)?.status?.message).toBe('Succeeded');
    expect([phase(), operation()?.status?.message]).toEqual([
      'Cancelled',
      expect.stringMatching(/^Cancelled: capstan-admin cancelled it\. It deleted control-plane Machines of before/),
    ]);
  });
});
