/** Restores of snapshots from before a minor upgrade, which take the workers along, and their exits. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import { cluster, controlPlane, openUpgrade, type Upgrading, workers } from './upgrade.fixture.ts';
import type { Moment } from './world.ts';

let quickstart: Moment;
let upgrade: Upgrading;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => upgrade.world.end());

const operations = '/apis/capstan.dev/v1alpha1/namespaces/default/clusteroperations';
const restore = (attempt = 1) =>
  upgrade.world.request('POST', operations, {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: { name: `${cluster}-restore-${attempt}` },
    spec: { clusterName: cluster, type: 'restore', snapshot: 'before' },
  });
const operation = (attempt = 1) => upgrade.world.find('ClusterOperation', `${cluster}-restore-${attempt}`);
const phase = (attempt = 1) => operation(attempt)?.status?.phase;
const ended = (attempt = 1, minutes = 90) =>
  upgrade.world.until('ended', () => !['Pending', 'Running', undefined].includes(phase(attempt)), minutes);
const cancel = async (attempt = 1) =>
  (await upgrade.world.patch('ClusterOperation', `${cluster}-restore-${attempt}`, { spec: { cancel: true } })).code;
const take = async () => {
  await upgrade.world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name: 'before' },
    spec: { clusterName: cluster },
  });
  await upgrade.world.until(
    'taken',
    () => upgrade.world.find('EtcdSnapshot', 'before')?.status?.phase === 'Succeeded',
    10,
  );
};
const settle = () => upgrade.world.until('settled', () => isSettled(upgrade.world), 90);

/** Upgraded from the version of the snapshot, and the control plane's version is set back. */
const upgraded = async (seed: number) => {
  upgrade = await openUpgrade(quickstart, seed);
  await take();
  await upgrade.toVersion('v1.36.0');
  await upgrade.settled();
  await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.35.0' } });
  await upgrade.ended();
};

describe('a restore of the snapshot from before a minor upgrade', () => {
  it('brings the workers back whose version was set back with that of the control plane', async () => {
    await upgraded(1);
    await upgrade.change('MachineDeployment', { spec: { template: { spec: { version: 'v1.35.0' } } } });
    await upgrade.world.pass(120);
    expect((await restore()).code).toBe(201);
    await ended();
    expect(phase(), operation()?.status?.message).toBe('Succeeded');
    await settle();
    expect(upgrade.versions()).toEqual(['v1.35.0']);
    expect(upgrade.targets()).toEqual({});
  });

  it('is refused before anything stops while the workers would stay newer', async () => {
    await upgraded(2);
    const before = upgrade.world.all('Machine').map(({ metadata }) => metadata.name);
    expect((await restore()).code).toBe(201);
    await ended();
    expect(phase()).toBe('RolledBack');
    expect(operation()?.status?.message).toMatch(
      new RegExp(
        `runs v1.36.0, which cannot join a control plane of v1.35.0, and MachineDeployment ${workers} would create another one of v1.36.0: set its spec.template.spec.version to v1.35.0 first. Nothing was changed`,
      ),
    );
    expect(upgrade.world.all('Machine').map(({ metadata }) => metadata.name)).toEqual(before);
  });
});

describe('a restore that a user ends', () => {
  it('is held while the control plane is stopped, and only a restore starts that again', async () => {
    upgrade = await openUpgrade(quickstart, 3);
    await take();
    expect((await restore()).code).toBe(201);
    await upgrade.world.until('stopping', () => operation()?.status?.step === 'StopMembers', 10);
    expect(await cancel()).toBe(200);
    await ended();
    expect([phase(), operation()?.status?.message]).toEqual([
      'Held',
      expect.stringMatching(
        /only a restore starts it again\. To begin anew, .* run: capstan snapshot restore before -n default/,
      ),
    ]);
    expect((await restore(2)).code).toBe(201);
    await ended(2);
    expect(phase(2), operation(2)?.status?.message).toBe('Succeeded');
  });

  it('leaves the other members to the control plane once the snapshot serves', async () => {
    upgrade = await openUpgrade(quickstart, 4);
    const { world } = upgrade;
    await world.scale('KubeadmControlPlane', controlPlane, 3);
    await world.until('scaled', () => world.find('KubeadmControlPlane', controlPlane)?.status?.readyReplicas === 3, 60);
    await take();
    expect((await restore()).code).toBe(201);
    await world.until('joining', () => operation()?.status?.step === 'Join', 60);
    await world.remove('ClusterOperation', `${cluster}-restore-1`);
    await world.until('gone', () => operation() === undefined, 10);
    await world.until('settled', () => isSettled(world), 90);
    expect(upgrade.targets()).toEqual({});
    expect(world.find('KubeadmControlPlane', controlPlane)?.status?.readyReplicas).toBe(3);
  });
});
