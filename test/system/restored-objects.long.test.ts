/** `capstan restore` takes the objects back to a moment at which an operation ran, and the operation goes on. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { applyDifference, differencesBetween, noteRestore, setPositionBack } from '../../cli/restore/objects.ts';
import { kinds } from '../../kinds/index.ts';
import { kindsOnDemand } from '../../kinds/on-demand.ts';
import { kindsOf } from '../../machinery/controller/kinds.ts';
import { openStore } from '../../machinery/store/index.ts';
import { expectWhole, isSettled, remains } from './checks.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment, type World } from './world.ts';

const cluster = 'quickstart';
const workers = 'quickstart-workers';
const controlPlane = 'quickstart-control-plane';

let world: World;
let quickstart: Moment;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const operation = (name: string) => world.find('ClusterOperation', `${cluster}-${name}`);
const phase = (name: string) => operation(name)?.status?.phase;
const atStep = (name: string, step: string) =>
  world.until(`${name} at ${step}`, () => operation(name)?.status?.step === step, 60);
const ended = (name: string) =>
  world.until(
    `${name} ended`,
    () => !['Pending', 'Running', undefined].includes(phase(name)) || (!operation(name) && remains(world).length === 0),
    90,
  );
const open = async (from?: Moment) => {
  world = await createWorld({ workflows: true, ...(from && { from }) });
};

/** Ends the world, goes on in another one, and returns what it was. */
const remember = async (): Promise<Moment> => {
  const moment = world.moment();
  await open(moment);
  return moment;
};

/** As the command does, and then as an administrator who has seen the result. */
const takeBack = async ({ objects, now }: Moment) => {
  const clock = virtualClock(now);
  const random = seededRandom(9);
  const table = memoryTable({ clock, items: objects.tables.objects ?? [] });
  const keys = memoryKeys(random, new Uint8Array(32));
  const from = openStore({ table, clock, random, keys, kinds, notifier: memoryNotifier(clock) });
  const to = world.system.store;
  expect(await setPositionBack(table, world.objects)).toBe(true);
  await world.wait(noteRestore(to, world.now(), 'before'));
  await world.pass(1);
  const differences = await world.wait(differencesBetween({ from, to, kinds: kindsOf(kindsOnDemand) }));
  for (const difference of differences) await world.wait(applyDifference(to, difference, world.now()));
  await world.pass(1);
  const { id } = world.find('Installation', 'capstan')?.status?.frozen ?? {};
  expect(world.errors.splice(0)).toEqual([expect.stringContaining(`Installation frozen id=${id}`)]);
  expect((await world.patch('Installation', 'capstan', { spec: { resume: id } })).code).toBe(200);
};

const expectNoneHeld = () =>
  world.onCommit(({ type, object }) => {
    if (type !== 'clusteroperations.capstan.dev') return;
    const { phase: is, message } = (object?.status ?? {}) as { phase?: string; message?: string };
    expect(is, message).not.toBe('Held');
  });

describe('an operation that ran at the restored moment', () => {
  const begin = async () => {
    await open();
    for (const object of example('quickstart.yaml')) await world.apply(object);
  };
  const createsAfter = async (then: Moment) => {
    await takeBack(then);
    expect(phase('create-1')).toBe('Running');
    expectNoneHeld();
    await ended('create-1');
    expect(phase('create-1'), operation('create-1')?.status?.message).toBe('Succeeded');
    expect(operation('create-1')?.status?.steps?.at(-1)).toMatchObject({ name: 'Available', verdict: 'Succeeded' });
    await world.until('settled', () => isSettled(world), 60);
    expectWhole(world);
  };

  it('creates its cluster, whose workflow has ended', async () => {
    await begin();
    await atStep('create-1', 'Workers');
    const then = await remember();
    await ended('create-1');
    await world.until('settled', () => isSettled(world), 30);
    // Longer than the operation may take.
    await world.pass(5 * 60);
    await createsAfter(then);
  });

  it('creates its cluster, whose workflow has reached a later step', async () => {
    await begin();
    await atStep('create-1', 'Network');
    const then = await remember();
    await atStep('create-1', 'LoadBalancer');
    await createsAfter(then);
  });

  it('deletes its cluster', async () => {
    await open(quickstart);
    await world.remove('Cluster', cluster);
    await atStep('delete-1', 'DeleteControlPlane');
    const then = await remember();
    await world.until('deleted', () => remains(world).length === 0, 60);
    await takeBack(then);
    expect(world.find('Cluster', cluster)).toBeDefined();
    expectNoneHeld();
    await world.until('deleted', () => remains(world).length === 0, 90);
  });
});

it('an operation that replaces one which the restore removed has a workflow of its own', async () => {
  const toVersion = async () => {
    await world.patch('KubeadmControlPlane', controlPlane, { spec: { version: 'v1.36.0' } });
    await world.patch('MachineDeployment', workers, { spec: { template: { spec: { version: 'v1.36.0' } } } });
    await world.until('begun', () => phase('upgrade-1') === 'Running', 5);
  };
  await open(quickstart);
  const then = await remember();
  await toVersion();
  await world.patch('ClusterOperation', `${cluster}-upgrade-1`, { spec: { cancel: true } });
  await ended('upgrade-1');
  const former = operation('upgrade-1')?.spec;
  await takeBack(then);
  expect(operation('upgrade-1')).toBeUndefined();
  await world.until('settled', () => isSettled(world), 30);
  expectNoneHeld();
  await toVersion();
  expect(operation('upgrade-1')?.spec).toMatchObject({ attempt: 1, fingerprint: former?.fingerprint });
  await ended('upgrade-1');
  expect(phase('upgrade-1'), operation('upgrade-1')?.status?.message).toBe('Succeeded');
  await world.until('settled', () => isSettled(world), 60);
  expectWhole(world);
});
