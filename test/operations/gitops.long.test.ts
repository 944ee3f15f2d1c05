/** A client re-applies all manifests every few seconds, throughout the life of a cluster. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { expectWhole, isSettled, remains } from '../system/checks.ts';
import { type ClusterUnderTest, clusterName, createCluster, manifest } from './cluster-under-test.ts';
import { type Manner, manners, type Refusals, sync } from './gitops.client.ts';

const timeout = 300_000;
const interval = 5;

interface Summary {
  /** The calls that AWS accepted, by action. */
  bought: Record<string, number>;
  operations: string[];
  /** The last generation of each object of the manifest, per life. */
  generations: Record<string, number>;
  refusals: Refusals;
}

let cluster: ClusterUnderTest;
afterEach(() => cluster.world.end());

const annotated = (annotations: Record<string, string>) => (object: KubeObject) =>
  object.kind === 'Cluster' ? { ...object, metadata: { ...object.metadata, annotations } } : object;
const withWorkers = (replicas: number) => (object: KubeObject) =>
  object.kind === 'MachineDeployment' ? { ...object, spec: { ...(object.spec as object), replicas } } : object;

/** One life; without a client, each version of the files is applied once. */
const live = async (manner: Manner | undefined): Promise<Summary> => {
  cluster = await createCluster();
  const { world } = cluster;
  const refusals: Refusals = new Map();
  const generations: Record<string, number> = {};
  const operations = new Map<string, string>();
  const ours = new Set(manifest.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
  world.onCommit(({ object }) => {
    if (!object) return;
    const name = `${object.kind} ${object.metadata.name}`;
    if (ours.has(name)) generations[name] = Math.max(generations[name] ?? 0, object.metadata.generation ?? 0);
    if (object.kind === 'ClusterOperation')
      operations.set(object.metadata.name, String((object.status as { phase?: string } | undefined)?.phase));
  });
  let files = manifest.map(annotated({ 'capstan.dev/create-deadline': '5m' }));
  const commit = async (change: (file: KubeObject) => KubeObject) => {
    files = files.map(change);
    await sync(world, 'applies', files, refusals);
  };
  const until = async (what: string, done: () => boolean, minutes: number) => {
    if (!manner) return world.until(what, done, minutes);
    for (let seconds = 0; !done(); seconds += interval) {
      if (seconds > minutes * 60) throw new Error(`not within ${minutes} minutes: ${what}\n${world.story()}`);
      await sync(world, manner, files, refusals);
      await world.pass(interval / 60);
    }
  };
  /** Nothing is written while nothing changes, whatever the client sends. */
  const expectQuiet = async () => {
    await until('quiet', () => false, 1).catch(() => {});
    const written: string[] = [];
    const stop = world.onCommit(({ type, name }) => {
      if (type !== 'events') written.push(`${type} ${name}`);
    });
    await until('quiet', () => false, 2).catch(() => {});
    stop();
    expect(written).toEqual([]);
  };

  cluster.fail({ action: 'RunInstances', code: 'InsufficientInstanceCapacity' });
  await commit((file) => file);
  await until('torn down', () => cluster.phase() === 'TornDown', 30);
  await until('cleared', () => cluster.made().length === 0, 2);
  await expectQuiet();
  cluster.heal();
  await commit(annotated({ 'capstan.dev/create-deadline': '30m', 'capstan.dev/retry': '1' }));
  await until('recorded', () => cluster.operation()?.spec?.attempt === 2 && cluster.phase() === 'Succeeded', 30);
  await until('settled', () => isSettled(world), 10);
  await expectQuiet();
  await commit(withWorkers(3));
  await until('scaled', () => isSettled(world) && world.all('Machine').length === 4, 20);
  expectWhole(world);
  await world.remove('Cluster', clusterName);
  await until('gone', () => !world.find('Cluster', clusterName), 30);
  // The number of retries of refused calls is random.
  const bought = world.system.account
    .calls()
    .filter(({ action }) => action === 'RunInstances' || action === 'CreateVpc')
    .map(({ action, calls, errors }) => [action, calls - errors]);
  return {
    bought: Object.fromEntries(bought),
    operations: [...operations].map(([name, phase]) => `${name} ${phase}`),
    generations,
    refusals,
  };
};

let undisturbed: Summary;
beforeAll(async () => {
  undisturbed = await live(undefined);
  expect(remains(cluster.world)).toEqual([]);
  cluster.world.end();
}, timeout);

describe('a client that', () => {
  it.each(manners)('%s every few seconds neither fights nor buys', { timeout }, async (manner) => {
    const disturbed = await live(manner);
    expect(disturbed.bought).toEqual(undisturbed.bought);
    expect(disturbed.operations).toEqual(undisturbed.operations);
    for (const [name, generation] of Object.entries(disturbed.generations))
      expect(generation, name).toBeLessThanOrEqual(undisturbed.generations[name]!);
    expect([...disturbed.refusals]).toEqual([]);
    await cluster.world.pass(30);
    expect(cluster.world.live()).toEqual([]);
  });
});
