import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { upgradeSteps } from '../../kinds/operations/upgrade/step-names.ts';
import { remains } from './checks.ts';
import { settledMoment } from './moments.ts';
import { cluster, controlPlane, neverJoins, openUpgrade, type Upgrading, workers } from './upgrade.fixture.ts';
import type { Moment } from './world.ts';

let quickstart: Moment;
let upgrade: Upgrading;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => upgrade.world.end());
const open = async (seed: number) => {
  upgrade = await openUpgrade(quickstart, seed);
};
const names = () => upgrade.world.all('Machine').map(({ metadata }) => metadata.name);
const workersNow = () => names().filter((name) => name.startsWith(workers));

describe('an upgrade', () => {
  it('of control plane and workers is one operation, control plane first', async () => {
    await open(1);
    const course: string[] = [];
    upgrade.world.onCommit(({ type, event, object }) => {
      if (!type.startsWith('machines.') || event !== 'ADDED') return;
      course.push(object!.metadata.name.startsWith(workers) ? 'worker' : 'control plane');
    });
    await upgrade.toVersion('v1.36.0');
    await upgrade.settled();
    expect(upgrade.versions()).toEqual(['v1.36.0']);
    expect(upgrade.phases()).toEqual(['Succeeded']);
    expect(upgrade.steps()).toEqual(upgradeSteps.map((step) => `${step} Succeeded`));
    expect(upgrade.upgrades()[0]?.spec?.objects?.map(({ name, from, to }) => `${name} ${from} ${to}`)).toEqual([
      `${controlPlane} v1.35.0 v1.36.0`,
      `${workers} v1.35.0 v1.36.0`,
    ]);
    expect(course).toEqual(['control plane', 'worker', 'worker']);
    expect(upgrade.targets()).toEqual({});
    expect(upgrade.world.all('EtcdSnapshot').map(({ spec, status }) => `${spec?.reason} ${status?.phase}`)).toEqual([
      'Upgrade Succeeded',
    ]);
  });

  it('of workers skips the control plane', async () => {
    await open(2);
    await upgrade.change('MachineDeployment', { spec: { template: { spec: { version: 'v1.35.1' } } } });
    await upgrade.settled();
    expect(upgrade.phases()).toEqual(['Succeeded']);
    expect(upgrade.upgrades()[0]?.spec?.objects?.map(({ name }) => name)).toEqual([workers]);
    expect(upgrade.upgrades()[0]?.status?.steps?.find(({ name }) => name === 'ControlPlane')?.message).toBe(
      'The control plane keeps its Machines',
    );
  });

  it('of the kubeadm configuration replaces the control plane alone', async () => {
    await open(3);
    await upgrade.change('KubeadmControlPlane', {
      spec: { kubeadmConfigSpec: { preKubeadmCommands: ['echo hello'] } },
    });
    await upgrade.settled();
    expect(upgrade.phases()).toEqual(['Succeeded']);
    expect(upgrade.upgrades()[0]?.spec?.objects?.map(({ name }) => name)).toEqual([controlPlane]);
    expect(workersNow()).toHaveLength(2);
  });

  it('in the middle of another one takes over what is left of it', async () => {
    await open(5);
    await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0' } });
    await upgrade.atStep('ControlPlaneFirst');
    await upgrade.change('MachineDeployment', { spec: { template: { spec: { version: 'v1.36.0' } } } });
    await upgrade.world.until('a second one', () => upgrade.phases().length === 2, 5);
    await upgrade.settled();
    expect(upgrade.phases()).toEqual(['Cancelled', 'Succeeded']);
    expect(upgrade.upgrades()[0]?.status?.message).toContain('superseded by quickstart-upgrade-2');
    expect(upgrade.versions()).toEqual(['v1.36.0']);
  });

  it('ends when the Cluster is deleted in the middle of it', async () => {
    await open(9);
    await upgrade.toVersion('v1.36.0');
    await upgrade.atStep('ControlPlaneFirst');
    await upgrade.world.remove('Cluster', cluster);
    await upgrade.world.until('nothing remains', () => remains(upgrade.world).length === 0, 60);
  });

  it('does not begin again for a client that applies the same spec every five seconds', async () => {
    await open(10);
    const { world } = upgrade;
    await upgrade.annotate({ 'capstan.dev/upgrade-deadline': '10m' });
    const spec = { version: 'v1.36.0', kubeadmConfigSpec: neverJoins };
    for (let i = 0; i < 600; i++) {
      await upgrade.change('KubeadmControlPlane', { spec });
      await world.pass(5 / 60);
    }
    expect(upgrade.phases()).toEqual(['RolledBack']);
    expect(world.find('KubeadmControlPlane', controlPlane)?.spec?.version).toBe('v1.36.0');
    expect(upgrade.versions()).toEqual(['v1.35.0']);
  });
});
