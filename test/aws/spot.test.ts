import { describe, expect, it } from 'vitest';
import type { BehaviourOptions, FaultSpec } from '../../simulation/aws/index.ts';
import { seeds } from '../seeds.ts';
import { conditionOf, instances, isGone, isRunning, machineOf, started } from './machines.ts';
import { addMachine, type World } from './world.ts';

const spot = { marketType: 'Spot' as const, spotMarketOptions: { maxPrice: '0.05' } };
const describeOne = async (world: World, id = machineOf(world).spec?.instanceID ?? '') => {
  const { Reservations } = await world.account.call('eu-west-1', 'DescribeInstances', { InstanceIds: [id] });
  return Reservations[0]!.Instances[0]!;
};

const zones = ['a', 'b', 'c'];
const tooDear: BehaviourOptions = {
  spotPrices: Object.fromEntries(zones.map((zone) => [`t3.large/eu-west-1${zone}`, 0.06])),
};
const lacking = (code: string): FaultSpec[] => [{ action: 'RunInstances', code, market: 'spot' }];
const fallback = { 'capstan.dev/spot-fallback': 'OnDemand' };
const addWithFallback = (world: World): void => {
  addMachine(world, 'one', { spec: { ...spot, instanceType: 't3.large' } });
  const { metadata, ...machine } = machineOf(world);
  world.put({ ...machine, metadata: { ...metadata, annotations: { ...metadata.annotations, ...fallback } } });
};
const recordOf = (world: World) => JSON.parse(machineOf(world).metadata.annotations?.['capstan.dev/launch'] ?? '{}');

describe('an AWSMachine with a fallback from the spot market', () => {
  it.each<{ code: string; behaviour?: BehaviourOptions; faults?: FaultSpec[]; attempts: number }>([
    { code: 'InsufficientInstanceCapacity', faults: lacking('InsufficientInstanceCapacity'), attempts: 4 },
    { code: 'SpotMaxPriceTooLow', behaviour: tooDear, attempts: 4 },
    { code: 'MaxSpotInstanceCountExceeded', behaviour: { quotas: { spotVcpus: 0 } }, attempts: 2 },
  ])('is bought on demand once every subnet lacks capacity: $code', async ({ code, behaviour, faults, attempts }) => {
    const world = await started(behaviour ? { behaviour } : {});
    for (const fault of faults ?? []) world.account.faults.add(fault);
    addWithFallback(world);
    await world.until(isRunning(world), 300);
    expect((await describeOne(world)).InstanceLifecycle).toBeUndefined();
    expect(machineOf(world).status?.interruptible).toBe(false);
    expect(conditionOf(world, 'SpotFallback')).toMatchObject({
      status: 'True',
      reason: code,
      message: expect.stringContaining('bought on demand'),
    });
    expect(world.events.filter((event) => event.startsWith('SpotFallback'))).toHaveLength(1);
    expect(recordOf(world).attempt).toBe(attempts);
    world.account.faults.clear();
    await world.run(3600);
    expect(instances(world)).toEqual([machineOf(world).spec?.instanceID]);
  });

  it('stays in the spot market while one subnet has capacity', async () => {
    const world = await started();
    for (const zone of ['eu-west-1a', 'eu-west-1b'])
      world.account.faults.add({ ...lacking('InsufficientInstanceCapacity')[0]!, zone });
    addWithFallback(world);
    await world.until(isRunning(world));
    expect(await describeOne(world)).toMatchObject({ InstanceLifecycle: 'spot' });
    expect(conditionOf(world, 'SpotFallback')).toBeUndefined();
  });

  it('returns to the spot market when there is no capacity on demand, either', async () => {
    const world = await started();
    const { market: _, ...everywhere } = lacking('InsufficientInstanceCapacity')[0]!;
    world.account.faults.add({ ...everywhere, count: 7 });
    addWithFallback(world);
    await world.until(isRunning(world));
    expect(await describeOne(world)).toMatchObject({ InstanceLifecycle: 'spot' });
    expect(conditionOf(world, 'SpotFallback')).toMatchObject({ status: 'False', reason: 'SpotMarket' });
    expect(machineOf(world).status?.interruptible).toBe(true);
  });

  it.each(seeds(6))('has one instance despite crashes and stale reads (seed %i)', async (seed) => {
    const world = await started({ seed, behaviour: { inconsistency: 8_000, staleReads: 0.6 } });
    world.account.faults.add({ ...lacking('InsufficientInstanceCapacity')[0]! });
    addWithFallback(world);
    for (let crash = 0; crash < 12; crash += 1) {
      world.crashAfter(1 + ((seed + crash * 3) % 5));
      await world.run(10);
    }
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(isRunning(world));
    expect(instances(world)).toEqual([machineOf(world).spec?.instanceID]);
    expect(recordOf(world).request).not.toHaveProperty('InstanceMarketOptions');
  });
});

describe('an AWSMachine in the spot market', () => {
  it.each([
    { given: 'by its market', spec: { marketType: 'Spot' } },
    { given: 'by its options', spec: { spotMarketOptions: {} } },
  ])('runs on an interruptible instance, asked for $given', async ({ spec }) => {
    const world = await started();
    addMachine(world, 'one', { spec });
    await world.until(isRunning(world));
    expect(await describeOne(world)).toMatchObject({ InstanceLifecycle: 'spot' });
    expect(machineOf(world).status?.interruptible).toBe(true);
    expect(conditionOf(world, 'SpecActedOn')).toBeUndefined();
  });

  it('is not interruptible in the on-demand market', async () => {
    const world = await started();
    addMachine(world, 'one', { spec: { marketType: 'OnDemand' } });
    await world.until(isRunning(world));
    expect((await describeOne(world)).InstanceLifecycle).toBeUndefined();
    expect(machineOf(world).status?.interruptible).toBe(false);
  });

  it.each(seeds(6))('has one instance despite crashes and stale reads (seed %i)', async (seed) => {
    const world = await started({ seed, behaviour: { inconsistency: 8_000, staleReads: 0.6 } });
    addMachine(world, 'one', { spec: spot });
    for (let crash = 0; crash < 8; crash += 1) {
      world.crashAfter(1 + ((seed + crash * 3) % 5));
      await world.run(10);
    }
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(isRunning(world));
    expect(instances(world)).toEqual([machineOf(world).spec?.instanceID]);
    world.remove('AWSMachine', 'one');
    await world.until(isGone(world));
    expect(instances(world)).toEqual([]);
  });

  it('moves to a zone whose spot price it can pay', async () => {
    const dear = { 't3.large/eu-west-1a': 0.06, 't3.large/eu-west-1b': 0.06, 't3.large/eu-west-1c': 0.04 };
    const world = await started({ behaviour: { spotPrices: dear } });
    addMachine(world, 'one', { spec: { ...spot, instanceType: 't3.large' } });
    await world.until(isRunning(world));
    expect((await describeOne(world)).Placement.AvailabilityZone).toBe('eu-west-1c');
  });

  it.each<{ code: string; behaviour?: BehaviourOptions; fault?: Omit<FaultSpec, 'action'>; hint: RegExp }>([
    {
      code: 'SpotMaxPriceTooLow',
      behaviour: { spotPrices: Object.fromEntries(['a', 'b', 'c'].map((z) => [`t3.large/eu-west-1${z}`, 0.06])) },
      hint: /Raise spotMarketOptions.maxPrice/,
    },
    {
      code: 'MaxSpotInstanceCountExceeded',
      behaviour: { quotas: { spotVcpus: 0 } },
      hint: /Raise the spot quota of the account/,
    },
    {
      code: 'InsufficientInstanceCapacity',
      fault: { code: 'InsufficientInstanceCapacity', market: 'spot' },
      hint: /AWS has none left there now/,
    },
    {
      code: 'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
      fault: { code: 'AuthFailure.ServiceLinkedRoleCreationNotPermitted', message: 'no service-linked role' },
      hint: /aws iam create-service-linked-role/,
    },
  ])('reports $code, and what a user can do about it', async ({ code, behaviour, fault, hint }) => {
    const world = await started(behaviour ? { behaviour } : {});
    if (fault) world.account.faults.add({ action: 'RunInstances', ...fault });
    addMachine(world, 'one', { spec: { ...spot, instanceType: 't3.large' } });
    await world.run(60);
    const message = conditionOf(world, 'InstanceReady')?.message ?? '';
    expect(message).toContain(`RunInstances: ${code}`);
    expect(message).toMatch(hint);
    expect(instances(world)).toEqual([]);
  });

  it('reports its interruption when the instance ends, even if no warning came', async () => {
    const world = await started();
    addMachine(world, 'one', { spec: spot });
    await world.until(isRunning(world));
    const { instanceID = '', providerID } = machineOf(world).spec ?? {};
    world.account.interrupt(instanceID);
    await world.run(100);
    expect(machineOf(world).metadata.annotations).not.toHaveProperty(['capstan.dev/interruption']);
    await world.run(30);
    world.enqueue('AWSMachine', 'one');
    await world.run(10);
    const note = machineOf(world).metadata.annotations?.['capstan.dev/interruption'] ?? '';
    expect(JSON.parse(note)).toMatchObject({ reason: 'SpotInterruption', providerID, deadline: expect.any(Number) });
  });

  it('reports no interruption when a user terminates the instance', async () => {
    const world = await started();
    addMachine(world, 'one', { spec: spot });
    await world.until(isRunning(world));
    world.account.terminate(machineOf(world).spec?.instanceID ?? '');
    await world.run(60);
    world.enqueue('AWSMachine', 'one');
    await world.run(10);
    expect(machineOf(world).status?.instanceState).toBe('terminated');
    expect(machineOf(world).metadata.annotations).not.toHaveProperty(['capstan.dev/interruption']);
  });
});
