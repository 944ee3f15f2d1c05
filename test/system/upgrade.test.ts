import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { operationAnnotations } from '../../kinds/core/contract/target.ts';
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import { expectWhole, isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment, type World } from './world.ts';

let world: World;
let quickstart: Moment;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const cluster = 'quickstart';
const workers = 'quickstart-workers';
const controlPlane = 'quickstart-control-plane';
const open = async (seed: number) => {
  world = await createWorld({ from: quickstart, seed, workflows: true });
};
const upgrades = (): ClusterOperation[] =>
  world
    .all('ClusterOperation')
    .filter(({ spec }) => spec?.type === 'upgrade')
    .toSorted((a, b) => (a.spec?.attempt ?? 0) - (b.spec?.attempt ?? 0));
const phases = () => upgrades().map(({ status }) => status?.phase);
const steps = (attempt = 1) => upgrades()[attempt - 1]?.status?.steps?.map(({ name, verdict }) => `${name} ${verdict}`);
const targets = () =>
  JSON.parse(world.find('Cluster', cluster)?.metadata.annotations?.[operationAnnotations.objectTargets] ?? '{}');
const versions = () => [...new Set(world.all('Machine').map(({ spec }) => spec?.version))];
const settled = async () => {
  await world.pass(1);
  await world.until('settled', () => isSettled(world), 60);
  await world.until('ended', () => phases().every((phase) => phase !== 'Running' && phase !== 'Pending'), 5);
  expectWhole(world);
};
const patched = async (kind: 'KubeadmControlPlane' | 'MachineDeployment', name: string, patch: object) => {
  const answer = await world.patch(kind, name, patch);
  expect(answer.code, answer.body.message).toBe(200);
};
const toVersion = async (version: string) => {
  await patched('KubeadmControlPlane', controlPlane, { spec: { version } });
  await patched('MachineDeployment', workers, { spec: { template: { spec: { version } } } });
};
const every = [
  'Preflight',
  'Snapshot',
  'ControlPlaneFirst',
  'SoakControlPlane',
  'ControlPlane',
  'AddOns',
  'WorkersCanary',
  'SoakWorkers',
  'Workers',
  'Verify',
].map((step) => `${step} Succeeded`);

describe('an upgrade', () => {
  it('of control plane and workers is one operation, control plane first', async () => {
    await open(1);
    await toVersion('v1.36.0');
    await settled();
    expect(versions()).toEqual(['v1.36.0']);
    expect(phases()).toEqual(['Succeeded']);
    expect(steps()).toEqual(every);
    const [operation] = upgrades();
    expect(operation?.spec?.objects?.map(({ name, from, to }) => `${name} ${from} ${to}`)).toEqual([
      `${controlPlane} v1.35.0 v1.36.0`,
      `${workers} v1.35.0 v1.36.0`,
    ]);
    expect(targets()).toEqual({});
  });

  it('of a template of workers skips the control plane', async () => {
    await open(2);
    await patched('MachineDeployment', workers, { spec: { template: { spec: { version: 'v1.35.1' } } } });
    await settled();
    expect(phases()).toEqual(['Succeeded']);
    expect(upgrades()[0]?.spec?.objects).toHaveLength(1);
    expect(upgrades()[0]?.status?.steps?.find(({ name }) => name === 'ControlPlane')?.message).toBe(
      'The control plane keeps its Machines',
    );
  });

  it('of the kubeadm configuration replaces the control plane alone', async () => {
    await open(3);
    await patched('KubeadmControlPlane', controlPlane, {
      spec: { kubeadmConfigSpec: { preKubeadmCommands: ['echo hello'] } },
    });
    await settled();
    expect(phases()).toEqual(['Succeeded']);
    expect(upgrades()[0]?.spec?.objects?.map(({ name }) => name)).toEqual([controlPlane]);
  });

  it('is not begun by scaling', async () => {
    await open(4);
    await world.scale('MachineDeployment', workers, 3);
    await settled();
    expect(upgrades()).toEqual([]);
  });
});
