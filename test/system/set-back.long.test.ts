/** A version that is set back in the middle of an upgrade. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { settledMoment } from './moments.ts';
import { controlPlane, neverJoins, openUpgrade, type Upgrading } from './upgrade.fixture.ts';
import type { Moment } from './world.ts';

let quickstart: Moment;
let upgrade: Upgrading;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => upgrade.world.end());

/** Three members, of which the last is still old. */
const almost = async (seed: number) => {
  upgrade = await openUpgrade(quickstart, seed);
  const { world } = upgrade;
  await world.scale('KubeadmControlPlane', controlPlane, 3);
  await world.until('scaled', () => world.find('KubeadmControlPlane', controlPlane)?.status?.readyReplicas === 3, 60);
  await world.pass(15);
  await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0' } });
  await upgrade.atStep('ControlPlane');
  await world.until(
    'one old member',
    () => upgrade.memberVersions().filter((version) => version === 'v1.35.0').length === 1,
    60,
  );
};

describe('a version that is set back while one old member is left', () => {
  it('removes no member of the newer version, and says how to go on', async () => {
    await almost(1);
    const newer = upgrade.members().filter(({ spec }) => spec?.version === 'v1.36.0');
    await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.35.0' } });
    await upgrade.world.until('two upgrades', () => upgrade.phases().length === 2, 10);
    await upgrade.ended();
    expect(upgrade.phases().at(-1)).toBe('Held');
    expect(upgrade.message()).toMatch(
      /MembersAreNewer: .* members of v1\.36\.0.*To go forward, run: kubectl patch .*v1\.36\.0/,
    );
    const names = new Set(upgrade.members().map(({ metadata }) => metadata.name));
    expect(newer.filter(({ metadata }) => !names.has(metadata.name))).toEqual([]);
    await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0' } });
    await upgrade.world.until('three upgrades', () => upgrade.phases().length === 3, 10);
    await upgrade.settled();
    expect(upgrade.memberVersions()).toEqual(['v1.36.0', 'v1.36.0', 'v1.36.0']);
  });
});

describe('a version that is set back before anything is replaced', () => {
  it.each([
    {
      of: 'workers',
      patch: (version: string) => ({ spec: { template: { spec: { version } } } }),
      kind: 'MachineDeployment',
    },
    { of: 'the control plane', patch: (version: string) => ({ spec: { version } }), kind: 'KubeadmControlPlane' },
  ] as const)('of $of ends the upgrade, and replaces nothing', async ({ kind, patch }) => {
    upgrade = await openUpgrade(quickstart, 2);
    const { world } = upgrade;
    const before = world.all('Machine').map(({ metadata }) => metadata.name);
    await upgrade.change(kind, patch('v1.36.0'));
    await world.until('begun', () => upgrade.phases().length === 1, 2);
    await upgrade.change(kind, patch('v1.35.0'));
    await upgrade.ended(5);
    expect(upgrade.phases()).toEqual(['Succeeded']);
    expect(upgrade.targets()).toEqual({});
    expect(world.all('Machine').map(({ metadata }) => metadata.name)).toEqual(before);
    // Another one is a new operation with its own Preflight.
    await upgrade.change('MachineDeployment', { spec: { template: { spec: { version: 'v1.36.0' } } } });
    await world.until('two upgrades', () => upgrade.phases().length === 2, 5);
    await upgrade.ended();
    expect(upgrade.message()).toContain('WorkersAhead');
  });
});

describe('a new control-plane Machine that cannot join', () => {
  it.each([
    'InvalidParameterValue',
    'UnauthorizedOperation',
  ])('whose launch AWS refused with %s goes at once with the version', async (code) => {
    upgrade = await openUpgrade(quickstart, 3);
    upgrade.world.system.account.faults.add({ action: 'RunInstances', code });
    await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0' } });
    await upgrade.world.until('launching', () => upgrade.members().length === 2, 10);
    await upgrade.world.pass(2);
    await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.35.0' } });
    await upgrade.world.until('gone', () => upgrade.members().length === 1, 0.5);
    await upgrade.ended(2);
    expect(upgrade.phases()).toEqual(['Succeeded']);
    expect(upgrade.memberVersions()).toEqual(['v1.35.0']);
  });

  const broken = { spec: { version: 'v1.36.0', kubeadmConfigSpec: neverJoins } };
  const corrected = { kubeadmConfigSpec: { preKubeadmCommands: null } };
  it.each([
    { rule: 'is replaced by one of a corrected spec', spec: corrected, version: 'v1.36.0' },
    { rule: 'goes with the version', spec: { ...corrected, version: 'v1.35.0' }, version: 'v1.35.0' },
    { rule: 'is replaced after its upgrade was held', spec: corrected, version: 'v1.36.0', isHeld: true },
    {
      rule: 'goes with the version after its upgrade was held',
      spec: { ...corrected, version: 'v1.35.0' },
      version: 'v1.35.0',
      isHeld: true,
    },
  ])('beside the only member $rule', async ({ spec, version, isHeld = false }) => {
    upgrade = await openUpgrade(quickstart, 4);
    await upgrade.annotate({ 'capstan.dev/upgrade-deadline': '20m', 'capstan.dev/on-upgrade-failure': 'Hold' });
    await upgrade.change('KubeadmControlPlane', broken);
    await upgrade.atStep('ControlPlaneFirst');
    if (isHeld) await upgrade.ended();
    else await upgrade.world.pass(4);
    expect(upgrade.phases()).toEqual([isHeld ? 'Held' : 'Running']);
    const attempts = upgrade.phases().length;
    await upgrade.change('KubeadmControlPlane', { spec });
    await upgrade.world.until(
      'done',
      () => upgrade.memberVersions().join() === version && upgrade.phases().at(-1) === 'Succeeded',
      40,
    );
    expect(upgrade.phases().slice(attempts)).not.toContain('RolledBack');
  });
});
