import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { upgradeSteps } from '../../kinds/operations/upgrade/step-names.ts';
import { settledMoment } from './moments.ts';
import { controlPlane, openUpgrade, type Upgrading, workers } from './upgrade.fixture.ts';
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
});
