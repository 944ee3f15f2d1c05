import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectionOf } from '../../kinds/ports/kubeconfig.ts';
import { guestTransport } from '../../simulation/workload/index.ts';
import { expectWhole } from './checks.ts';
import { settledMoment } from './moments.ts';
import { cluster, controlPlane, openUpgrade, type Upgrading } from './upgrade.fixture.ts';
import type { Moment } from './world.ts';

let quickstart: Moment;
let upgrade: Upgrading;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => upgrade.world.end());

const open = async (seed: number) => {
  upgrade = await openUpgrade(quickstart, seed);
  await upgrade.change('KubeadmControlPlane', { spec: { replicas: 3 } });
  await upgrade.world.until('three members', () => upgrade.members().length === 3, 30);
  await upgrade.world.pass(15);
  await upgrade.annotate({ 'capstan.dev/upgrade-rollback': 'Guarded', 'capstan.dev/upgrade-soak': '1h' });
};
const cancel = () =>
  upgrade.world.patch('ClusterOperation', upgrade.upgrades().at(-1)!.metadata.name, { spec: { cancel: true } });

/** Through the API server of the new version, the only one that serves the kind. */
const createPolicy = async (): Promise<number> => {
  const { world } = upgrade;
  const node = upgrade.members().find(({ spec }) => spec?.version === 'v1.36.0')!.status!.nodeRef!.name;
  const secret = world.find('Secret', `${cluster}-kubeconfig`) as { data?: { value?: string } };
  const connection = connectionOf(Buffer.from(secret.data?.value ?? '', 'base64').toString('utf8'));
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: 'sidecars' },
  };
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies';
  const request = new Request(`${connection.server}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(policy),
  });
  return (await world.wait(guestTransport(world.system.guests).fetchOn(connection, node, request))).status;
};

describe('an upgrade that is cancelled once a new control-plane member has joined', () => {
  it('is rolled back member by member, and kubeadm-config is what it was', async () => {
    await open(1);
    const config = await upgrade.kubeadmConfig();
    await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0' } });
    await upgrade.atStep('SoakControlPlane');
    await upgrade.world.pass(1);
    expect(upgrade.memberVersions()).toEqual(['v1.35.0', 'v1.35.0', 'v1.36.0']);
    expect((await cancel()).code).toBe(200);
    await upgrade.world.until('ended', () => !['Running', 'Pending'].includes(upgrade.phases().at(-1)!), 90);
    expect([upgrade.phases(), upgrade.message()]).toEqual([
      ['RolledBack'],
      expect.stringContaining(`KubeadmControlPlane ${controlPlane} rolled back`),
    ]);
    await upgrade.world.pass(10);
    expect(upgrade.memberVersions()).toEqual(['v1.35.0', 'v1.35.0', 'v1.35.0']);
    expect(await upgrade.kubeadmConfig()).toEqual(config);
    expect(upgrade.world.find('KubeadmControlPlane', controlPlane)?.spec?.version).toBe('v1.36.0');
    expectWhole(upgrade.world);
    // A client that applies the new spec again does not begin another upgrade.
    await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0' } });
    await upgrade.world.pass(60);
    expect(upgrade.phases()).toEqual(['RolledBack']);
  });

  it('is held because of an object that the old API server does not serve', async () => {
    await open(2);
    await upgrade.change('KubeadmControlPlane', { spec: { version: 'v1.36.0' } });
    await upgrade.atStep('SoakControlPlane');
    await upgrade.world.pass(1);
    expect(await createPolicy()).toBe(201);
    await cancel();
    await upgrade.world.until('ended', () => upgrade.phases().at(-1) === 'Cancelled', 10);
    expect(upgrade.message()).toContain(
      'RollbackLosesObjects: MutatingAdmissionPolicy sidecars: It is of admissionregistration.k8s.io/v1',
    );
    await upgrade.world.pass(10);
    expect(upgrade.memberVersions()).toEqual(['v1.35.0', 'v1.35.0', 'v1.36.0']);
  });
});
