import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isSettled } from './checks.ts';
import type { Copy } from './disk.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment, type World } from './world.ts';

const day = 24 * 60;
const nothing: Copy = { tables: {}, records: {} };

let world: World;
/** The quickstart cluster, and later with two more workers. */
let early: Moment;
let later: Moment;
beforeAll(async () => {
  early = await settledMoment('quickstart.yaml');
  world = await createWorld({ from: early, seed: 2 });
  await world.scale('MachineDeployment', 'quickstart-workers', 4);
  await world.until('scaled', () => isSettled(world), 30);
  await world.pass(5);
  later = world.moment();
}, 60_000);
afterEach(() => world.end());

const installation = () => world.find('Installation', 'capstan');
const frozen = () => installation()?.status?.frozen;
const thaw = async (id = frozen()?.id) => {
  const answer = await world.patch('Installation', 'capstan', { spec: { resume: id } });
  expect(answer.code).toBe(200);
};
const destructive = () =>
  Object.entries(world.calls(true)).filter(([action]) =>
    /^(Delete|Terminate|Release|Detach|Deregister|Revoke)/.test(action),
  );
const nodes = () => world.live('instance').map(({ id }) => id);

/** Lets a day pass without action: no mutating call, and no changed object except the Installation. */
const expectStill = async (minutes = day) => {
  const [calls, changes] = [world.calls(true), [] as string[]];
  const stop = world.onCommit(({ type, event, name }) => {
    if (type !== 'events' && !type.startsWith('installations')) changes.push(`${event} ${type} ${name}`);
  });
  await world.pass(minutes);
  stop();
  expect(world.calls(true)).toEqual(calls);
  expect(changes).toEqual([]);
};
const withoutMarks = ({ tables, records }: Copy): Copy => ({
  tables,
  records: Object.fromEntries(Object.entries(records).filter(([name]) => name !== 'marks')),
});
const withoutPosition = ({ tables, records }: Copy): Copy => ({
  tables: { ...tables, objects: (tables.objects ?? []).filter(({ pk }) => pk !== 'position') },
  records,
});

describe('objects older than the account', () => {
  it('are acted on only after a thaw', async () => {
    world = await createWorld({ from: { ...later, objects: early.objects }, seed: 3 });
    const had = nodes();
    expect(had).toHaveLength(5);
    await world.pass(1);
    expect(frozen()).toMatchObject({ reason: 'ObjectsOlder' });
    await expectStill();

    // What the older objects lack is reported regardless.
    const orphans = installation()?.status?.orphans?.filter(({ type }) => type === 'instance') ?? [];
    expect(orphans).toHaveLength(2);

    const asked = await world.scale('MachineDeployment', 'quickstart-workers', 3);
    expect(asked.code).toBe(200);
    await expectStill(60);
    await thaw('no-such-freeze');
    await expectStill(60);

    await thaw();
    await world.until('acted on', () => isSettled(world) && world.all('Machine').length === 4, 30);
    expect(frozen()).toBeUndefined();
    await world.pass(day);
    expect(destructive()).toEqual([]);
    expect(nodes()).toEqual(expect.arrayContaining(had));
    expect(installation()?.status?.orphans?.filter(({ type }) => type === 'instance')).toEqual(orphans);
  });

  it('stay frozen across restarts, under the same ID', async () => {
    world = await createWorld({ from: { ...later, objects: early.objects }, seed: 4 });
    await world.pass(1);
    const before = frozen();
    await world.restart();
    await world.pass(day);
    expect(frozen()).toEqual(before);
    expect(world.calls(true)).toEqual((await createWorld({ from: later, seed: 5 })).calls(true));
  });

  it('freeze again when they are restored after newer ones were acted on', async () => {
    world = await createWorld({ from: { ...later, objects: early.objects }, seed: 6 });
    await world.pass(1);
    const first = frozen()?.id;
    await thaw();
    await world.scale('MachineDeployment', 'quickstart-workers', 1);
    await world.until('acted on', () => isSettled(world), 30);
    const after = world.moment();
    for (const objects of [early.objects, later.objects]) {
      world = await createWorld({ from: { ...after, objects }, seed: 7 });
      await world.pass(1);
      expect(frozen()).toMatchObject({ reason: 'ObjectsOlder' });
      expect(frozen()?.id).not.toBe(first);
      await expectStill(60);
      world.end();
    }
  });
});

describe('an account with resources, and no objects', () => {
  it.each([
    { what: 'with a mark', account: (all: Copy) => all },
    { what: 'without a mark', account: withoutMarks },
  ])('$what: no action before a thaw, and no destruction afterwards', async ({ account }) => {
    world = await createWorld({ from: { ...early, objects: nothing, account: account(early.account) }, seed: 2 });
    const had = world.live().length;
    // NAT gateways and load balancers own their interfaces; AWS creates them without tags.
    const tagged = world.live().filter(({ tags }) => Object.keys(tags).length > 0).length;
    await world.pass(1);
    expect(frozen()).toMatchObject({ reason: 'ObjectsLost' });
    // An added object does not hide that the others were lost.
    for (const object of example('quickstart.yaml').filter(({ kind }) => kind === 'Cluster')) await world.apply(object);
    await world.restart();
    await expectStill();
    expect(installation()?.status).toMatchObject({ orphanCount: tagged });
    await thaw();
    await world.pass(day);
    expect(frozen()).toBeUndefined();
    expect(destructive()).toEqual([]);
    expect(world.live()).toHaveLength(had);
  });
});

describe('an account that these objects never acted on', () => {
  it('is left alone until a thaw', async () => {
    world = await createWorld({ from: { ...early, account: nothing }, seed: 2 });
    await world.pass(1);
    expect(frozen()).toMatchObject({ reason: 'AccountDiffers' });
    await expectStill();
    expect(world.calls(true)).toEqual({});
    await thaw();
    await world.until('thawed', () => frozen() === undefined, 5);
    // Everything is missing now, and is retried repeatedly: a day is not necessary.
    await world.pass(30);
    expect(destructive()).toEqual([]);
  });

  it('is left alone when it is an older copy', async () => {
    world = await createWorld({ from: { ...later, account: early.account }, seed: 2 });
    await world.pass(1);
    expect(frozen()).toMatchObject({ reason: 'AccountDiffers' });
    await expectStill();
  });
});

describe('matching objects and account', () => {
  it('continue, even when both are older than positions', async () => {
    const account = withoutMarks(early.account);
    world = await createWorld({ from: { ...early, objects: withoutPosition(early.objects), account }, seed: 2 });
    await world.scale('MachineDeployment', 'quickstart-workers', 3);
    await world.until('scaled', () => world.live('instance').length === 4 && isSettled(world), 30);
    expect(frozen()).toBeUndefined();
  });

  it('are not disturbed by another installation in the account', async () => {
    world = await createWorld({ from: { ...early, objects: nothing }, installation: 'there', seed: 2 });
    const had = world.live();
    for (const object of example('quickstart.yaml')) await world.apply(object);
    await world.until('settled', () => isSettled(world), 60);
    await world.remove('Cluster', 'quickstart');
    await world.until('gone', () => world.all('Cluster').length === 0, 60);
    await world.pass(day);
    expect(installation()?.status).toMatchObject({ id: 'there', orphanCount: 0 });
    expect(frozen()).toBeUndefined();
    expect(world.live().map(({ id }) => id)).toEqual(had.map(({ id }) => id));
  });
});
