/** Restores etcd of the example quickstart from a snapshot. */

import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { linkSignedAnnotation } from '../../kinds/bootstrap-kubeadm/kubeadm-config/restore.ts';
import { restoreSteps } from '../../kinds/operations/restore/step-names.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { expectWhole, isSettled } from './checks.ts';
import { damage } from './damage.ts';
import { settledMoment } from './moments.ts';
import { cluster, controlPlane } from './upgrade.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const operations = '/apis/capstan.dev/v1alpha1/namespaces/default/clusteroperations';

const guest = () => world.system.guests.clusters.all()[0]!;
const configMaps = async () =>
  (await world.wait(guest().list<KubeObject>('configmaps')))
    .map(({ metadata }) => metadata.name)
    .filter((name) => /^(before|after)-/.test(name));
const write = (name: string) =>
  world.wait(guest().create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } }));

const take = async (name: string) => {
  await world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name },
    spec: { clusterName: cluster },
  });
  await world.until('taken', () => world.find('EtcdSnapshot', name)?.status?.phase === 'Succeeded', 10);
};

const restore = (snapshot: string, attempt = 1) =>
  world.request('POST', operations, {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: { name: `${cluster}-restore-${attempt}` },
    spec: { clusterName: cluster, type: 'restore', snapshot },
  });
const operation = (attempt = 1) => world.find('ClusterOperation', `${cluster}-restore-${attempt}`);
const phase = (attempt = 1) => operation(attempt)?.status?.phase;
const stepsOf = () => operation()?.status?.steps?.map(({ name, verdict }) => `${name} ${verdict}`);

const ofControlPlane = () =>
  world.all('Machine').filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined);
const hostsOf = (machines = ofControlPlane()) => machines.map(({ spec }) => spec?.providerID?.split('/').at(-1) ?? '');
const endpoint = () => world.find('Cluster', cluster)?.spec?.controlPlaneEndpoint;
const authority = () => world.find('Secret', `${cluster}-ca`)?.data;

/** A cluster with a snapshot of what is before, and something after it. */
const open = async (seed: number, replicas = 1) => {
  world = await createWorld({ from: quickstart, seed, workflows: true });
  if (replicas > 1) {
    await world.scale('KubeadmControlPlane', controlPlane, replicas);
    await world.until('scaled', () => ofControlPlane().length === replicas && isSettled(world), 60);
  }
  await write('before-1');
  await take('first');
  await write('after-1');
};
const ended = (attempt = 1, minutes = 90) =>
  world.until('ended', () => ['Succeeded', 'Held', 'RolledBack', 'Cancelled'].includes(phase(attempt) ?? ''), minutes);

describe('a restore', () => {
  it('brings a cluster of three members back that lost all of them', async () => {
    await open(1, 3);
    const [old, address, ca] = [hostsOf(), endpoint(), authority()];
    const workers = world.all('Machine').length - 3;
    for (const id of old) world.system.account.terminate(id);
    await world.pass(5);
    const asked = await restore('first');
    expect(asked.code, asked.body.message).toBe(201);
    await ended();
    expect(operation()?.status?.message).toMatch(/^etcd has the state of .*, and every Machine has joined/);
    expect(stepsOf()).toEqual(restoreSteps.map((step) => `${step} Succeeded`));
    expect(await configMaps()).toEqual(['before-1']);
    await world.until('settled', () => isSettled(world), 60);
    expectWhole(world);
    expect([endpoint(), authority()]).toEqual([address, ca]);
    expect(hostsOf()).toHaveLength(3);
    expect(hostsOf().filter((id) => old.includes(id))).toEqual([]);
    expect(
      guest()
        .record.etcd.members.map(({ instanceId }) => instanceId)
        .sort(),
    ).toEqual(hostsOf().sort());
    const nodes = await world.wait(guest().list<KubeObject>('nodes'));
    expect(nodes).toHaveLength(3 + workers);
    expect(world.find('Cluster', cluster)?.metadata.annotations).not.toHaveProperty('capstan.dev/object-targets');
    expect(world.find('EtcdSnapshot', 'first')?.status?.phase).toBe('Succeeded');
  });

  it('stops a cluster that lives, and replaces workers that are younger than the snapshot', async () => {
    await open(2);
    const old = hostsOf();
    await world.scale('MachineDeployment', 'quickstart-workers', 3);
    await world.until('scaled', () => isSettled(world), 30);
    const before = new Set(world.all('Machine').map(({ metadata }) => metadata.name));
    expect((await restore('first')).code).toBe(201);
    await world.until('stopping', () => operation()?.status?.step === 'StopMembers', 5);
    // Nothing new starts before the old instance is off.
    await world.until('started', () => hostsOf().some((id) => id !== '' && !old.includes(id)), 30);
    expect(world.live('instance').map(({ id }) => id)).not.toContain(old[0]);
    await ended();
    expect(phase(), operation()?.status?.message).toBe('Succeeded');
    expect(await configMaps()).toEqual(['before-1']);
    await world.until('settled', () => isSettled(world), 60);
    expectWhole(world);
    const replaced = world.all('Machine').filter(({ metadata }) => !before.has(metadata.name));
    expect(replaced.map(({ metadata }) => metadata.name.startsWith('quickstart-workers')).sort()).toEqual([
      false,
      true,
    ]);
  });

  it('renews the link to the snapshot while there is no capacity, and succeeds with the last one', async () => {
    await open(9);
    world.system.account.faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity' });
    expect((await restore('first')).code).toBe(201);
    const signed = () =>
      world.all('Secret').flatMap(({ metadata }) => metadata.annotations?.[linkSignedAnnotation] ?? []);
    await world.until('stored', () => signed().length === 1, 10);
    const [before] = signed();
    await world.pass(12);
    expect(Date.parse(signed()[0]!) - Date.parse(before!)).toBeGreaterThanOrEqual(10 * 60_000);
    world.system.account.faults.clear();
    await ended();
    expect(phase(), operation()?.status?.message).toBe('Succeeded');
    expect(await configMaps()).toEqual(['before-1']);
    await world.until('settled', () => isSettled(world), 60);
  });

  it('removes the Nodes of workers that are gone since the snapshot', async () => {
    await open(8);
    const machines = world.all('Machine').length;
    await world.scale('MachineDeployment', 'quickstart-workers', 1);
    await world.until('scaled', () => world.all('Machine').length < machines && isSettled(world), 30);
    expect((await restore('first')).code).toBe(201);
    await ended();
    expect(phase(), operation()?.status?.message).toBe('Succeeded');
    const nodes = await world.wait(guest().list<KubeObject>('nodes'));
    expect(nodes.map(({ metadata }) => metadata.name).sort()).toEqual(
      world
        .all('Machine')
        .map(({ status }) => status?.nodeRef?.name)
        .sort(),
    );
  });

  it('starts nothing while an old member is not proven to be off', async () => {
    await open(3);
    const [machine] = ofControlPlane();
    const [old] = hostsOf();
    const { name } = machine!.metadata;
    await world.patch('Cluster', cluster, { metadata: { annotations: { 'capstan.dev/restore-deadline': '20m' } } });
    // Without its objects no controller knows of the instance.
    for (const kind of ['AWSMachine', 'Machine'] as const) {
      await world.patch(kind, name, { metadata: { finalizers: null } });
      await world.remove(kind, name);
      await world.patch(kind, name, { metadata: { finalizers: null } });
    }
    await world.until('gone', () => world.find('AWSMachine', name) === undefined, 5);
    expect((await restore('first')).code).toBe(201);
    await world.until('stopping', () => operation()?.status?.step === 'StopMembers', 5);
    const launched = world.calls().RunInstances;
    await ended(1, 60);
    expect(phase()).toBe('Held');
    expect(operation()?.status?.message).toContain(
      `StopMembers was not done before the deadline: waiting for EC2 instance ${old} (running) to be terminated`,
    );
    expect(world.calls().RunInstances).toBe(launched);
    expect(ofControlPlane()).toEqual([]);
    // Once it is, the next attempt succeeds.
    world.system.account.terminate(old!);
    await world.pass(2);
    const again = await restore('first', 2);
    expect(again.code, again.body.message).toBe(201);
    await ended(2);
    expect(phase(2), operation(2)?.status?.message).toBe('Succeeded');
    expect(phase(1)).toBe('Cancelled');
    expect(await configMaps()).toEqual(['before-1']);
  });

  it('keeps its snapshot until it is over', async () => {
    await open(5);
    expect((await restore('first')).code).toBe(201);
    await world.until('stopping', () => operation()?.status?.step === 'StopMembers', 5);
    await world.remove('EtcdSnapshot', 'first');
    await ended();
    expect(phase(), operation()?.status?.message).toBe('Succeeded');
    await world.until('deleted', () => world.find('EtcdSnapshot', 'first') === undefined, 10);
    expect(await configMaps()).toEqual(['before-1']);
  });

  it('begins with a snapshot that was deleted and brought back', async () => {
    await open(9);
    await world.remove('EtcdSnapshot', 'first');
    await world.until('deleted', () => world.find('EtcdSnapshot', 'first') === undefined, 10);
    await world.apply({
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'SnapshotListRequest',
      metadata: { namespace: 'default', name: 'list' },
      spec: { clusterName: cluster },
    });
    await world.until('listed', () => world.find('SnapshotListRequest', 'list')?.status?.time !== undefined, 5);
    const { snapshots = [] } = world.find('SnapshotListRequest', 'list')?.status ?? {};
    expect(snapshots.map(({ name }) => name)).toEqual(['first']);
    const [{ location, startedAt }] = snapshots as [(typeof snapshots)[0]];
    await world.apply({
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'EtcdSnapshot',
      metadata: { namespace: 'default', name: 'first' },
      spec: { clusterName: cluster, recover: { location } },
    });
    const back = () => world.find('EtcdSnapshot', 'first');
    await world.until('recovered', () => back()?.status?.phase === 'Succeeded', 10);
    expect(back()?.status).toMatchObject({ completedAt: startedAt, verification: { valid: true } });
    expect(back()?.metadata.ownerReferences?.map(({ name }) => name)).toEqual([cluster]);
    expect((await restore('first')).code).toBe(201);
    await ended();
    expect(phase(), operation()?.status?.message).toBe('Succeeded');
    expect(await configMaps()).toEqual(['before-1']);
    // The request is forgotten.
    await world.until('forgotten', () => world.find('SnapshotListRequest', 'list') === undefined, 15);
  });

  it('makes lost Secrets again from the keys that are kept with the snapshot, and overwrites none', async () => {
    await open(10);
    const names = ['ca', 'etcd', 'sa', 'proxy'].map((purpose) => `${cluster}-${purpose}`);
    const dataOf = () => names.map((name) => world.find('Secret', name)?.data);
    const before = dataOf();
    expect(world.find('EtcdSnapshot', 'first')?.status?.keys?.kept).toEqual(expect.arrayContaining(names));
    const [ca, etcd, sa] = names as [string, string, string];
    for (const name of [ca, etcd, sa]) await world.remove('Secret', name);
    for (const id of hostsOf()) world.system.account.terminate(id);
    await world.pass(5);
    expect(world.find('Secret', ca)).toBeUndefined();
    const asked = await restore('first');
    expect(asked.code, asked.body.message).toBe(201);
    await ended();
    expect(phase(), operation()?.status?.message).toBe('Succeeded');
    expect(JSON.stringify(operation()?.status?.steps)).toContain(
      `Made again from the keys that are kept with the snapshot: Secrets ${ca}, ${etcd}, ${sa}`,
    );
    expect(dataOf()).toEqual(before);
    expect(await configMaps()).toEqual(['before-1']);
    await world.until('settled', () => isSettled(world), 60);
    expectWhole(world);
  });

  it('refuses a damaged file before it stops anything', async () => {
    await open(6);
    const before = hostsOf();
    const { location = '' } = world.find('EtcdSnapshot', 'first')?.status ?? {};
    await world.wait(damage(world, location));
    expect((await restore('first')).code).toBe(201);
    await ended(1, 10);
    expect([phase(), operation()?.status?.step]).toEqual(['RolledBack', 'Preflight']);
    expect(operation()?.status?.message).toMatch(/EtcdSnapshot first is .*Nothing was changed/);
    expect(hostsOf()).toEqual(before);
    // The user may see it in the snapshot, too.
    const refused = await restore('first', 2);
    expect(refused.body.message).toContain('EtcdSnapshot first is not Ready');
  });

  it('of the wrong snapshot can be taken back', async () => {
    await open(7);
    expect((await restore('first')).code).toBe(201);
    await ended();
    expect(await configMaps()).toEqual(['before-1']);
    expect(operation()?.status?.message).toMatch(
      /The state before the restore is EtcdSnapshot quickstart-restore-1-before$/,
    );
    await world.until('settled', () => isSettled(world), 60);
    expect((await restore('quickstart-restore-1-before', 2)).code).toBe(201);
    await ended(2);
    expect(phase(2), operation(2)?.status?.message).toBe('Succeeded');
    expect((await configMaps()).sort()).toEqual(['after-1', 'before-1']);
  });

  it('that finds no file is held, and another snapshot can be restored', async () => {
    await open(4);
    await take('second');
    const { location = '' } = world.find('EtcdSnapshot', 'first')?.status ?? {};
    await world.patch('Cluster', cluster, { metadata: { annotations: { 'capstan.dev/restore-deadline': '10m' } } });
    expect((await restore('first')).code).toBe(201);
    await world.until('stopping', () => operation()?.status?.step === 'StopMembers', 5);
    await world.wait(world.files.delete(location));
    await ended(1, 60);
    expect([phase(), operation()?.status?.step]).toEqual(['Held', 'RestoreFirst']);
    // The host's console names the cause: a user need not log in to the host.
    expect(operation()?.status?.message).toMatch(
      /: AWSMachine \S+: The boot scripts of instance i-\w+ failed: curl: \(22\) .* 403; restore-etcd: the snapshot cannot be downloaded/,
    );
    expect((await restore('second', 2)).code).toBe(201);
    await ended(2);
    expect(phase(2), operation(2)?.status?.message).toBe('Succeeded');
    expect((await configMaps()).sort()).toEqual(['after-1', 'before-1']);
  });

  it.each([30, 90, 150, 250, 400])('survives its process, killed after %i changes', async (changes) => {
    await open(changes);
    expect((await restore('first')).code).toBe(201);
    world.crashAfter(changes);
    await ended();
    expect(phase(), operation()?.status?.message).toBe('Succeeded');
    expect(await configMaps()).toEqual(['before-1']);
    await world.until('settled', () => isSettled(world), 60);
    expectWhole(world);
  });
});
