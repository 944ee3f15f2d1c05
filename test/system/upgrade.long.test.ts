import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import { cluster, openUpgrade, type Upgrading, workers } from './upgrade.fixture.ts';
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
  it('is not begun by scaling, and goes on while it is scaled', async () => {
    await open(4);
    const { world } = upgrade;
    await world.scale('MachineDeployment', workers, 3);
    await world.pass(1);
    await world.until('settled', () => isSettled(world), 30);
    expect(upgrade.upgrades()).toEqual([]);
    await upgrade.toVersion('v1.36.0');
    await upgrade.atStep('ControlPlaneFirst');
    await world.scale('MachineDeployment', workers, 2);
    await upgrade.settled();
    expect(upgrade.phases()).toEqual(['Succeeded']);
    expect(workersNow()).toHaveLength(2);
  });

  it('pauses before a step until a user continues', async () => {
    await open(6);
    await upgrade.annotate({ 'capstan.dev/upgrade-pause': 'WorkersCanary' });
    await upgrade.toVersion('v1.36.0');
    await upgrade.atStep('WorkersCanary');
    const before = workersNow();
    await upgrade.world.pass(5 * 60);
    expect(upgrade.phases()).toEqual(['Paused']);
    expect(upgrade.steps().at(-1)).toBe('WorkersCanary Paused');
    expect(workersNow()).toEqual(before);
    const [operation] = upgrade.upgrades();
    const answer = await upgrade.world.patch('ClusterOperation', operation!.metadata.name, {
      spec: { continued: ['WorkersCanary'] },
    });
    expect(answer.code, answer.body.message).toBe(200);
    await upgrade.settled();
    expect(upgrade.phases()).toEqual(['Succeeded']);
  });

  it('lets a new Machine soak', async () => {
    await open(7);
    await upgrade.annotate({ 'capstan.dev/upgrade-soak': '3h' });
    await upgrade.toVersion('v1.36.0');
    await upgrade.atStep('SoakWorkers', 600);
    const soaked = upgrade.upgrades()[0]?.status?.steps?.find(({ name }) => name === 'SoakControlPlane');
    expect(Date.parse(soaked?.ended ?? '') - Date.parse(soaked?.started ?? '')).toBeGreaterThanOrEqual(3 * 3600_000);
    await upgrade.world.pass(150);
    expect(upgrade.upgrades()[0]?.status?.step).toBe('SoakWorkers');
    await upgrade.ended(90);
    expect(upgrade.phases()).toEqual(['Succeeded']);
  });

  it('waits while the cluster is paused, for as long as that takes', async () => {
    await open(8);
    await upgrade.toVersion('v1.36.0');
    await upgrade.atStep('ControlPlaneFirst');
    await upgrade.world.patch('Cluster', cluster, { spec: { paused: true } });
    await upgrade.world.pass(5 * 60);
    expect(upgrade.phases()).toEqual(['Paused']);
    await upgrade.world.patch('Cluster', cluster, { spec: { paused: null } });
    await upgrade.settled();
    expect(upgrade.phases()).toEqual(['Succeeded']);
  });
});
