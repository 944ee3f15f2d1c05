import { afterEach, describe, expect, it } from 'vitest';
import { createAuthority } from '../../adapters/pki/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { expectWhole, remains } from '../system/checks.ts';
import { clusterName, failedFor, manifest, type Scene, setScene } from './scene.ts';

let scene: Scene;
afterEach(() => scene.world.end());

const noCapacity = { action: 'RunInstances', code: 'InsufficientInstanceCapacity' };
const mutating = (scene: Scene) => Object.values(scene.world.calls(true)).reduce((sum, n) => sum + n, 0);

describe('a create', () => {
  it('completes its steps in order, and is idle afterwards', async () => {
    scene = await setScene();
    await scene.apply();
    await scene.settle();
    await scene.world.until('recorded', () => scene.phase() === 'Succeeded', 5);
    expectWhole(scene.world);
    const { status } = scene.operation()!;
    expect(status?.steps?.map(({ name, verdict }) => `${name} ${verdict}`)).toEqual(
      [
        'Preflight',
        'Network',
        'LoadBalancer',
        'FirstControlPlaneMachine',
        'ControlPlane',
        'Workers',
        'AddOns',
        'Available',
      ].map((step) => `${step} Succeeded`),
    );
    // The installation records the region ten minutes after its first AWSCluster.
    await scene.world.pass(10);
    const written: string[] = [];
    scene.world.onCommit(({ type, name }) => {
      if (type !== 'events') written.push(`${type} ${name}`);
    });
    await scene.world.pass(120);
    expect(written).toEqual([]);
    expect(scene.operations()).toHaveLength(1);
  });

  it('that is cancelled too late keeps an Available cluster', async () => {
    scene = await setScene();
    await scene.apply();
    const { world } = scene;
    const bought = () => world.all('AWSMachine').filter(({ spec }) => spec?.instanceID).length;
    await world.until('bought', () => bought() === 3, 30);
    await world.patch('ClusterOperation', scene.operation()!.metadata.name, { spec: { cancel: true } });
    await world.until('available', () => world.condition('Cluster', clusterName, 'Available')?.status === 'True', 5);
    await world.pass(2);
    expect(scene.phase()).toBe('Cancelled');
    const machines = world.all('Machine').map(({ metadata }) => metadata.name);
    const worker = machines.find((name) => !name.includes('control-plane'))!;
    await world.remove('Machine', worker);
    await world.pass(10);
    const now = world.all('Machine').map(({ metadata }) => metadata.name);
    expect(now).toHaveLength(3);
    expect(now).not.toContain(worker);
  });

  it('that is torn down keeps the CA that a user created, and takes it again', async () => {
    scene = await setScene();
    const { world } = scene;
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
    scene.fail(noCapacity);
    await scene.apply({ 'capstan.dev/create-deadline': '10m' });
    await world.until('claimed', () => ca().metadata.ownerReferences !== undefined, 10);
    await world.until('torn down', () => scene.phase() === 'TornDown', 30);
    expect(world.all('Secret').map((secret) => secret.metadata.name)).toEqual([`${clusterName}-ca`]);
    expect(ca()).toMatchObject({ data, metadata: { uid: metadata.uid } });
    scene.heal();
    await scene.annotate({ 'capstan.dev/retry': '1' });
    await scene.settle();
    expect(ca()).toMatchObject({ data, metadata: { uid: metadata.uid } });
  });

  it('without capacity is torn down, and starts over on request', async () => {
    scene = await setScene();
    scene.fail(noCapacity);
    await scene.apply({ 'capstan.dev/create-deadline': '10m' });
    const given = scene.specs();
    await scene.world.until('torn down', () => scene.phase() === 'TornDown', 30);
    await scene.world.pass(1);
    expect(scene.made()).toEqual([]);
    expect(scene.specs()).toEqual(given);
    expect(scene.world.condition('Cluster', clusterName, 'Available')?.status).toBe('False');
    expect(failedFor(scene)).toMatch(/InsufficientInstanceCapacity/);
    expect(failedFor(scene)).toMatch(/FirstControlPlaneMachine/);
    expect(failedFor(scene)).toMatch(/capstan retry cluster quickstart/);

    const calls = mutating(scene);
    await scene.world.pass(24 * 60);
    expect(mutating(scene)).toBe(calls);
    expect(scene.phase()).toBe('TornDown');

    scene.heal();
    await scene.annotate({ 'capstan.dev/create-deadline': '30m' });
    await scene.world.pass(5);
    expect(scene.operations()).toHaveLength(1);
    await scene.annotate({ 'capstan.dev/retry': 'once more' });
    await scene.settle();
    await scene.world.until('recorded', () => scene.phase() === 'Succeeded', 5);
    expect(scene.operation()?.spec?.attempt).toBe(2);
    expectWhole(scene.world);
    await scene.world.remove('Cluster', clusterName);
    await scene.world.until('nothing remains', () => remains(scene.world).length === 0, 30);
  });

  it('under the policy Hold keeps its resources and creates no more', async () => {
    scene = await setScene();
    scene.fail(noCapacity);
    await scene.apply({ 'capstan.dev/create-deadline': '5m', 'capstan.dev/on-create-failure': 'Hold' });
    await scene.world.until('held', () => scene.phase() === 'Held', 30);
    await scene.world.pass(1);
    expect(failedFor(scene)).toMatch(/InsufficientInstanceCapacity/);
    scene.heal();
    // Bootstrap data of a node that never joined is withdrawn, held or not.
    await scene.world.pass(17);
    const held = scene.made();
    const calls = mutating(scene);
    expect(scene.world.live('vpc')).toHaveLength(1);
    await scene.world.pass(6 * 60);
    expect(scene.made()).toEqual(held);
    expect(mutating(scene)).toBe(calls);
    await scene.annotate({ 'capstan.dev/retry': '1' });
    await scene.settle();
    expectWhole(scene.world);
  });

  it.each([
    ['KubeadmConfigTemplate', 'quickstart-workers', { spec: { files: [{ path: '/etc/motd', content: 'hello' }] } }],
    ['AWSMachineTemplate', 'quickstart-control-plane', { metadata: { labels: { team: 'payments' } } }],
  ] as const)('on hold retries when a %s changes', async (kind, name, template) => {
    scene = await setScene();
    scene.fail(noCapacity);
    await scene.apply({ 'capstan.dev/create-deadline': '5m', 'capstan.dev/on-create-failure': 'Hold' });
    await scene.world.until('held', () => scene.phase() === 'Held', 30);
    scene.heal();
    await scene.world.pass(10);
    expect((await scene.world.patch(kind, name, { spec: { template } })).code).toBe(200);
    await scene.world.pass(1);
    expect(scene.operation()?.spec?.attempt).toBe(2);
    await scene.settle();
    expectWhole(scene.world);
  });

  it('under the policy Retry reports the late step', async () => {
    scene = await setScene();
    scene.fail(noCapacity);
    await scene.apply({ 'capstan.dev/create-deadline': '5m', 'capstan.dev/on-create-failure': 'Retry' });
    await scene.world.pass(60);
    expect(scene.phase()).toBe('Running');
    expect(scene.operation()?.status?.late).toBe(true);
    expect(failedFor(scene)).toMatch(/FirstControlPlaneMachine.*late|late.*FirstControlPlaneMachine/s);
    expect(scene.world.errors.splice(0)).toEqual([expect.stringMatching(/keep failing.*InsufficientInstanceCapacity/)]);
    scene.heal();
    await scene.settle();
    await scene.world.until('recorded', () => scene.phase() === 'Succeeded', 5);
    expectWhole(scene.world);
  });

  it('refused by its preflight makes no mutating call', async () => {
    scene = await setScene();
    scene.world.system.account.remove('instance-type', 't3.large');
    await scene.apply();
    await scene.world.until('torn down', () => scene.phase() === 'TornDown', 30);
    await scene.world.pass(1);
    expect(mutating(scene)).toBe(0);
    expect(failedFor(scene)).toMatch(/t3\.large/);
    expect(scene.made()).toEqual([]);
    scene.world.system.account.restore('instance-type', 't3.large');
    await scene.annotate({ 'capstan.dev/retry': '1' });
    await scene.settle();
    expectWhole(scene.world);
  });

  it('names the objects that it waits for, and begins once they exist', async () => {
    scene = await setScene();
    const { world } = scene;
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
    const told = events[0]!.slice(waits.length).replace(' do not exist', '').split(', ').toSorted();
    expect(told).toEqual(names);
    for (const [i, object] of templates.entries()) {
      const name = `${object.kind} ${object.metadata.name}`;
      expect(available()?.message).toContain(name);
      await world.apply(object);
      if (i < templates.length - 1)
        await world.until(`without ${name}`, () => available()?.message?.includes(name) === false, 1);
    }
    await scene.settle();
    expectWhole(world);
    expect(events).toHaveLength(1);
  });

  it('stops its clock during a pause', async () => {
    scene = await setScene();
    scene.fail(noCapacity);
    await scene.apply({ 'capstan.dev/create-deadline': '30m' });
    await scene.world.pass(10);
    await scene.world.patch('Cluster', clusterName, { spec: { paused: true } });
    await scene.world.pass(300);
    expect(scene.phase()).toBe('Paused');
    scene.heal();
    await scene.world.patch('Cluster', clusterName, { spec: { paused: null } });
    await scene.settle(20);
    expectWhole(scene.world);
  });
});
