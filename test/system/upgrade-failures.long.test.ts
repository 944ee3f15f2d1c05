import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectWhole } from './checks.ts';
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
  await upgrade.annotate({ 'capstan.dev/upgrade-deadline': '10m' });
};
const names = () =>
  upgrade.world
    .all('Machine')
    .map(({ metadata }) => metadata.name)
    .sort();
const cancel = () =>
  upgrade.world.patch('ClusterOperation', upgrade.upgrades().at(-1)!.metadata.name, { spec: { cancel: true } });

/** Runs until the upgrade has ended, and expects the cluster to be what it was. */
const expectRestored = async (begin: () => Promise<void>) => {
  const [machines, config] = [names(), await upgrade.kubeadmConfig()];
  await begin();
  await upgrade.ended(60);
  await upgrade.world.pass(10);
  expect(names()).toEqual(machines);
  expect(await upgrade.kubeadmConfig()).toEqual(config);
  expect(upgrade.world.find('KubeadmControlPlane', controlPlane)?.metadata.annotations).not.toHaveProperty(
    'capstan.dev/kubeadm-config-before',
  );
  expectWhole(upgrade.world);
};

describe('a first control-plane Machine that never joins', () => {
  it('is taken away, and the cluster is what it was', async () => {
    await open(1);
    await expectRestored(async () => {
      await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0', kubeadmConfigSpec: neverJoins } });
      await upgrade.change('MachineDeployment', { spec: { template: { spec: { version: 'v1.36.0' } } } });
    });
    expect(upgrade.phases()).toEqual(['RolledBack']);
    expect(upgrade.message()).toMatch(/ControlPlaneFirst was not done before the deadline.*rolled back/);
    expect(upgrade.world.find('KubeadmControlPlane', controlPlane)?.spec?.version).toBe('v1.36.0');
    // Workers of the version that the cluster still has can join it.
    const workers = upgrade.world.all('MachineDeployment')[0]!;
    const replicas = (workers.spec?.replicas ?? 0) + 1;
    await upgrade.world.scale('MachineDeployment', workers.metadata.name, replicas);
    const available = () => upgrade.world.all('MachineDeployment')[0]?.status?.availableReplicas;
    await upgrade.world.until('scaled', () => available() === replicas, 30);
    expect(upgrade.versions()).toEqual(['v1.35.0']);
    // A corrected spec begins the next upgrade, with the workers that had only waited.
    await upgrade.change('KubeadmControlPlane', { spec: { kubeadmConfigSpec: { preKubeadmCommands: null } } });
    await upgrade.world.until('a second one', () => upgrade.phases().length === 2, 5);
    await upgrade.settled();
    expect(upgrade.phases()).toEqual(['RolledBack', 'Succeeded']);
    expect(upgrade.versions()).toEqual(['v1.36.0']);
  });

  it('is taken away when a user cancels', async () => {
    await open(2);
    await expectRestored(async () => {
      await upgrade.toVersion('v1.36.0');
      await upgrade.atStep('ControlPlaneFirst');
      await upgrade.world.pass(0.5);
      expect((await cancel()).code).toBe(200);
    });
    expect(upgrade.phases()).toEqual(['RolledBack']);
    expect(upgrade.message()).toMatch(/^Cancelled: capstan-admin cancelled it/);
    await upgrade.world.pass(60);
    expect(upgrade.phases()).toEqual(['RolledBack']);
  });

  it('stays under the policy Hold', async () => {
    await open(3);
    await upgrade.annotate({ 'capstan.dev/on-upgrade-failure': 'Hold' });
    await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0', kubeadmConfigSpec: neverJoins } });
    await upgrade.ended(60);
    expect(upgrade.phases()).toEqual(['Held']);
    const held = names();
    await upgrade.world.pass(60);
    expect(names()).toEqual(held);
    expect(held).toHaveLength(4);
  });
});

describe('workers that never join', () => {
  it('of the same minor are rolled back completely', async () => {
    await open(4);
    await expectRestored(() => upgrade.breakWorkers());
    expect(upgrade.phases()).toEqual(['RolledBack']);
    expect(upgrade.message()).toContain(`MachineDeployment ${workers} rolled back`);
  });

  it('of another minor are taken away, and the control plane stays new', async () => {
    await open(5);
    await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0' } });
    await upgrade.change('MachineDeployment', { spec: { template: { spec: { version: 'v1.36.0' } } } });
    await upgrade.breakWorkers();
    await upgrade.ended(90);
    await upgrade.world.pass(10);
    expect(upgrade.phases().at(-1)).toBe('RolledBack');
    const version = (name: string) => upgrade.world.find('Machine', name)?.spec?.version;
    expect(names().map((name) => `${name.startsWith(workers) ? 'worker' : 'control plane'} ${version(name)}`)).toEqual([
      'control plane v1.36.0',
      'worker v1.35.0',
      'worker v1.35.0',
    ]);
    const remedy = `capstan retry cluster ${cluster} -n default`;
    const message = (kind: 'MachineDeployment' | 'Cluster', name: string, type: string) =>
      upgrade.world.find(kind, name)?.status?.conditions?.find((one) => one.type === type)?.message;
    expect(message('MachineDeployment', workers, 'CanCreateMachines')).toContain(remedy);
    expect(message('Cluster', cluster, 'WorkersAvailable')).toContain(remedy);
    expect(message('Cluster', cluster, 'Available')).toContain(remedy);
    expectWhole(upgrade.world);
  });
});

it('a control plane whose API server exits on a flag is taken away', async () => {
  await open(7);
  await expectRestored(() =>
    upgrade.change('KubeadmControlPlane', {
      spec: {
        kubeadmConfigSpec: {
          clusterConfiguration: {
            // Of these images only the host can tell what they take.
            imageRepository: 'registry.example.com/kubernetes',
            apiServer: { extraArgs: [{ name: 'no-such-flag', value: 'x' }] },
          },
        },
      },
    }),
  );
  expect(upgrade.phases()).toEqual(['RolledBack']);
  expect(upgrade.message()).toMatch(/ControlPlaneFirst was not done before the deadline/);
});

it('a new control-plane Machine that does not serve the endpoint keeps the old one', async () => {
  await open(9);
  const isOfControlPlane = (name: string) => name.startsWith(controlPlane);
  const [old] = names().filter(isOfControlPlane);
  const { addresses = [] } = upgrade.world.find('Machine', old!)!.status as { addresses?: { address: string }[] };
  const address = addresses.map((one) => one.address).find((one) => one.startsWith('10.'));
  await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0' } });
  await upgrade.world.until('a second one', () => names().filter(isOfControlPlane).length === 2, 20);
  // The checks have passed, and the new host has not joined yet.
  await upgrade.changeKubeadmConfig((text) =>
    text.replace(/controlPlaneEndpoint: .*/, `controlPlaneEndpoint: ${address}:6443`),
  );
  await upgrade.ended(90);
  expect(upgrade.message()).toMatch(/ControlPlaneFirst was not done .*certificate of the API server is not valid/);
  expect(names()).toContain(old);
  expect(upgrade.world.condition('Cluster', 'quickstart', 'RemoteConnectionProbe')).toMatchObject({ status: 'True' });
});

it('an upgrade after which the cluster would serve another endpoint is refused', async () => {
  await open(8);
  await upgrade.changeKubeadmConfig((text) =>
    text.replace(/controlPlaneEndpoint: .*/, 'controlPlaneEndpoint: old:6443'),
  );
  await expectRestored(() => upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0' } }));
  expect(upgrade.phases()).toEqual(['RolledBack']);
  expect(upgrade.message()).toContain('KubeadmConfigUnusable: ConfigMap kube-system/kubeadm-config: It names');
  expect(upgrade.message()).toContain('Nothing was changed');
});

it('an upgrade that is refused changes nothing', async () => {
  await open(6);
  await expectRestored(() =>
    upgrade.change('KubeadmControlPlane', {
      spec: {
        version: 'v1.35.9',
        kubeadmConfigSpec: {
          clusterConfiguration: { apiServer: { extraArgs: [{ name: 'cloud-provider', value: 'external' }] } },
        },
      },
    }),
  );
  expect(upgrade.phases()).toEqual(['RolledBack']);
  expect(upgrade.message()).toContain('FlagRemoved');
  expect(upgrade.message()).toContain('Nothing was changed');
});

it('an upgrade replaces a worker whose host is dead, and does not wait for its Pods', async () => {
  upgrade = await openUpgrade(quickstart, 61);
  const { world } = upgrade;
  const dead = world
    .all('Machine')
    .find(({ metadata }) => !('cluster.x-k8s.io/control-plane' in (metadata.labels ?? {})))!;
  world.system.account.terminate(dead.spec!.providerID!.split('/').at(-1)!);
  await world.until('seen', () => world.condition('Machine', dead.metadata.name, 'NodeReady')?.status !== 'True', 10);
  await upgrade.toVersion('v1.36.0');
  await upgrade.settled();
  expect(upgrade.phases()).toEqual(['Succeeded']);
  expect(world.find('Machine', dead.metadata.name)).toBeUndefined();
});

describe('an override of a finding', () => {
  const broken = {
    spec: {
      kubeadmConfigSpec: { clusterConfiguration: { apiServer: { extraArgs: [{ name: 'no-such-flag', value: 'x' }] } } },
    },
  };
  const override = 'capstan.dev/override-findings';
  const preflight = () =>
    upgrade
      .upgrades()
      .at(-1)
      ?.status?.steps?.find(({ name }) => name === 'Preflight');

  it('lets the next attempt go on, which is rolled back when the host exits', async () => {
    await open(8);
    const spec = () => upgrade.world.find('KubeadmControlPlane', controlPlane)?.spec;
    await upgrade.change('KubeadmControlPlane', broken);
    await upgrade.ended();
    expect(upgrade.message()).toMatch(/FlagRemoved: .*no-such-flag.* run: capstan retry .* --override FlagRemoved/);
    const wanted = spec();
    await expectRestored(async () => {
      await upgrade.annotate({ [override]: 'quickstart-upgrade-2:FlagRemoved', 'capstan.dev/retry': 'again' });
      await upgrade.world.until('a second one', () => upgrade.phases().length === 2, 5);
    });
    expect(preflight()?.message).toMatch(/^Overridden by capstan.dev\/override-findings: FlagRemoved: .*no-such-flag/);
    expect(upgrade.phases().at(-1)).toBe('RolledBack');
    expect(upgrade.message()).toMatch(/ControlPlaneFirst was not done before the deadline.*rolled back/);
    expect(spec()).toEqual(wanted);
    // It was for that attempt only.
    await upgrade.annotate({ 'capstan.dev/retry': 'once more' });
    await upgrade.world.until('a third one', () => upgrade.phases().length === 3, 5);
    await upgrade.ended();
    expect(preflight()?.verdict).toBe('Refused');
  });

  it.each([
    { value: 'quickstart-upgrade-1:EtcdMemberMissing', says: 'EtcdMemberMissing guards the quorum, the data' },
    { value: 'FlagRemoved', says: 'must be the name of one operation and codes of findings' },
  ])('is refused: $value', async ({ value, says }) => {
    await open(9);
    const { code, body } = await upgrade.world.patch('Cluster', 'quickstart', {
      metadata: { annotations: { [override]: value } },
    });
    expect(code).toBe(422);
    expect(body.message).toContain(says);
  });
});

it('a refused upgrade is a condition of the Cluster, and the objects that wait name it', async () => {
  upgrade = await openUpgrade(quickstart, 62);
  const { world } = upgrade;
  world.system.account.remove('image', 'v1.36.0');
  await upgrade.toVersion('v1.36.0');
  await upgrade.ended();
  const messageOf = (kind: 'Cluster' | 'KubeadmControlPlane' | 'MachineDeployment', name: string, type: string) =>
    world.condition(kind, name, type)?.message ?? '';
  await world.until(
    'told',
    () => messageOf('KubeadmControlPlane', controlPlane, 'RollingOut').includes('Preflight was refused'),
    5,
  );
  expect(world.condition('Cluster', 'quickstart', 'OperationStopped')).toMatchObject({
    status: 'True',
    reason: 'RolledBack',
    message: expect.stringMatching(/^ClusterOperation quickstart-upgrade-1: .*Preflight was refused/),
  });
  await world.until(
    'told',
    () => messageOf('MachineDeployment', workers, 'RollingOut').includes('Preflight was refused'),
    5,
  );
  await upgrade.toVersion('v1.35.0');
  await world.until(
    'cleared',
    () =>
      world.condition('KubeadmControlPlane', controlPlane, 'RollingOut')?.status === 'False' &&
      world.condition('Cluster', 'quickstart', 'OperationStopped') === undefined,
    5,
  );
});
