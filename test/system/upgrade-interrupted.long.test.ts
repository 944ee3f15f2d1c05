import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { remains } from './checks.ts';
import { settledMoment } from './moments.ts';
import { cluster, controlPlane, neverJoins, openUpgrade, type Upgrading } from './upgrade.fixture.ts';
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

describe('an upgrade', () => {
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
