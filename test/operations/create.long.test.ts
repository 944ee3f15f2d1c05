import { afterEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../adapters/pki/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { expectWhole, remains } from '../system/checks.ts';
import { type ClusterUnderTest, clusterName, createCluster, failedFor, manifest } from './cluster-under-test.ts';

let cluster: ClusterUnderTest;
afterEach(() => cluster.world.end());

const noCapacity = { action: 'RunInstances', code: 'InsufficientInstanceCapacity' };
const mutating = (cluster: ClusterUnderTest) => Object.values(cluster.world.calls(true)).reduce((sum, n) => sum + n, 0);

describe('a create', () => {
  it('without capacity is torn down, and starts over on request', async () => {
    cluster = await createCluster();
    cluster.fail(noCapacity);
    await cluster.apply({ 'capstan.dev/create-deadline': '10m' });
    const given = cluster.specs();
    await cluster.world.until('torn down', () => cluster.phase() === 'TornDown', 30);
    await cluster.world.pass(1);
    expect(cluster.made()).toEqual([]);
    expect(cluster.specs()).toEqual(given);
    expect(cluster.world.condition('Cluster', clusterName, 'Available')?.status).toBe('False');
    expect(failedFor(cluster)).toMatch(/InsufficientInstanceCapacity/);
    expect(failedFor(cluster)).toMatch(/FirstControlPlaneMachine/);
    expect(failedFor(cluster)).toMatch(/capstan retry cluster quickstart/);

    const calls = mutating(cluster);
    await cluster.world.pass(24 * 60);
    expect(mutating(cluster)).toBe(calls);
    expect(cluster.phase()).toBe('TornDown');

    cluster.heal();
    await cluster.annotate({ 'capstan.dev/create-deadline': '30m' });
    await cluster.world.pass(5);
    expect(cluster.operations()).toHaveLength(1);
    await cluster.annotate({ 'capstan.dev/retry': 'once more' });
    await cluster.settle();
    await cluster.world.until('recorded', () => cluster.phase() === 'Succeeded', 5);
    expect(cluster.operation()?.spec?.attempt).toBe(2);
    expectWhole(cluster.world);
    await cluster.world.remove('Cluster', clusterName);
    await cluster.world.until('nothing remains', () => remains(cluster.world).length === 0, 30);
  });

  it('that is cancelled too late keeps an Available cluster', async () => {
    cluster = await createCluster();
    await cluster.apply();
    const { world } = cluster;
    const bought = () => world.all('AWSMachine').filter(({ spec }) => spec?.instanceID).length;
    await world.until('bought', () => bought() === 3, 30);
    await world.patch('ClusterOperation', cluster.operation()!.metadata.name, { spec: { cancel: true } });
    await world.until('available', () => world.condition('Cluster', clusterName, 'Available')?.status === 'True', 5);
    await world.pass(2);
    expect(cluster.phase()).toBe('Cancelled');
    const machines = world.all('Machine').map(({ metadata }) => metadata.name);
    const worker = machines.find((name) => !name.includes('control-plane'))!;
    await world.remove('Machine', worker);
    await world.pass(10);
    const now = world.all('Machine').map(({ metadata }) => metadata.name);
    expect(now).toHaveLength(3);
    expect(now).not.toContain(worker);
  });

  it('that is torn down keeps the CA that a user created, and takes it again', async () => {
    cluster = await createCluster();
    const { world } = cluster;
    const now = Date.parse('2026-01-01T00:00:00Z');
    const own = createAuthority({ subject: { commonName: 'mine' }, days: 3650, algorithm: 'ECDSA-P256', now });
    await world.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        namespace: 'default',
        name: `${clusterName}-ca`,
        labels: { 'cluster.x-k8s.io/cluster-name': clusterName },
      },
      type: 'cluster.x-k8s.io/secret',
      stringData: { 'tls.crt': own.certificate, 'tls.key': own.key },
    } as KubeObject);
    const ca = () => world.find('Secret', `${clusterName}-ca`)!;
    const { data, metadata } = ca();
    cluster.fail(noCapacity);
    await cluster.apply({ 'capstan.dev/create-deadline': '10m' });
    await world.until('claimed', () => ca().metadata.ownerReferences !== undefined, 10);
    await world.until('torn down', () => cluster.phase() === 'TornDown', 30);
    expect(world.all('Secret').map((secret) => secret.metadata.name)).toEqual([`${clusterName}-ca`]);
    expect(ca()).toMatchObject({ data, metadata: { uid: metadata.uid } });
    cluster.heal();
    await cluster.annotate({ 'capstan.dev/retry': '1' });
    await cluster.settle();
    expect(ca()).toMatchObject({ data, metadata: { uid: metadata.uid } });
  });

  it('under the policy Hold keeps its resources and creates no more', async () => {
    cluster = await createCluster();
    cluster.fail(noCapacity);
    await cluster.apply({ 'capstan.dev/create-deadline': '5m', 'capstan.dev/on-create-failure': 'Hold' });
    await cluster.world.until('held', () => cluster.phase() === 'Held', 30);
    await cluster.world.pass(1);
    expect(failedFor(cluster)).toMatch(/InsufficientInstanceCapacity/);
    cluster.heal();
    // Bootstrap data of a node that never joined is withdrawn, held or not.
    await cluster.world.pass(17);
    const held = cluster.made();
    const calls = mutating(cluster);
    expect(cluster.world.live('vpc')).toHaveLength(1);
    await cluster.world.pass(6 * 60);
    expect(cluster.made()).toEqual(held);
    expect(mutating(cluster)).toBe(calls);
    await cluster.annotate({ 'capstan.dev/retry': '1' });
    await cluster.settle();
    expectWhole(cluster.world);
  });

  it.each([
    ['KubeadmConfigTemplate', 'quickstart-workers', { spec: { files: [{ path: '/etc/motd', content: 'hello' }] } }],
    ['AWSMachineTemplate', 'quickstart-control-plane', { metadata: { labels: { team: 'payments' } } }],
  ] as const)('on hold retries when a %s changes', async (kind, name, template) => {
    cluster = await createCluster();
    cluster.fail(noCapacity);
    await cluster.apply({ 'capstan.dev/create-deadline': '5m', 'capstan.dev/on-create-failure': 'Hold' });
    await cluster.world.until('held', () => cluster.phase() === 'Held', 30);
    cluster.heal();
    await cluster.world.pass(10);
    expect((await cluster.world.patch(kind, name, { spec: { template } })).code).toBe(200);
    await cluster.world.pass(1);
    expect(cluster.operation()?.spec?.attempt).toBe(2);
    await cluster.settle();
    expectWhole(cluster.world);
  });

  it('under the policy Retry reports the late step', async () => {
    cluster = await createCluster();
    cluster.fail(noCapacity);
    await cluster.apply({ 'capstan.dev/create-deadline': '5m', 'capstan.dev/on-create-failure': 'Retry' });
    await cluster.world.pass(60);
    expect(cluster.phase()).toBe('Running');
    expect(cluster.operation()?.status?.late).toBe(true);
    expect(failedFor(cluster)).toMatch(/FirstControlPlaneMachine.*late|late.*FirstControlPlaneMachine/s);
    expect(cluster.world.errors.splice(0)).toEqual([
      expect.stringMatching(/keep failing.*InsufficientInstanceCapacity/),
    ]);
    cluster.heal();
    await cluster.settle();
    await cluster.world.until('recorded', () => cluster.phase() === 'Succeeded', 5);
    expectWhole(cluster.world);
  });

  it('names the objects that it waits for, and begins once they exist', async () => {
    cluster = await createCluster();
    const { world } = cluster;
    const events: string[] = [];
    world.onCommit(({ object }) => {
      const { kind, reason, message } = (object ?? {}) as { kind?: string; reason?: string; message?: string };
      if (kind === 'Event' && reason === 'ReferencesUnresolved') events.push(message ?? '');
    });
    const isTemplate = ({ kind }: KubeObject) => kind.endsWith('Template');
    const templates = manifest.filter(isTemplate);
    const names = templates.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
    for (const object of manifest) if (!isTemplate(object)) await world.apply(object);
    const available = () => world.condition('Cluster', clusterName, 'Available');
    await world.until('an Event', () => events.length > 0, 1);
    const waits = 'Waiting for an operation to create the cluster: ';
    expect(available()?.reason).toBe('ReferencesUnresolved');
    expect(available()?.message).toContain(events[0]);
    const missing = events[0]!.slice(waits.length).replace(' do not exist', '').split(', ').toSorted();
    expect(missing).toEqual(names);
    for (const [i, object] of templates.entries()) {
      const name = `${object.kind} ${object.metadata.name}`;
      expect(available()?.message).toContain(name);
      await world.apply(object);
      if (i < templates.length - 1)
        await world.until(`without ${name}`, () => available()?.message?.includes(name) === false, 1);
    }
    await cluster.settle();
    expectWhole(world);
    expect(events).toHaveLength(1);
  });

  it('stops its clock during a pause', async () => {
    cluster = await createCluster();
    cluster.fail(noCapacity);
    await cluster.apply({ 'capstan.dev/create-deadline': '30m' });
    await cluster.world.pass(10);
    await cluster.world.patch('Cluster', clusterName, { spec: { paused: true } });
    await cluster.world.pass(300);
    expect(cluster.phase()).toBe('Paused');
    cluster.heal();
    await cluster.world.patch('Cluster', clusterName, { spec: { paused: null } });
    await cluster.settle(20);
    expectWhole(cluster.world);
  });
});
