import { describe, expect, it } from 'vitest';
import { readUserData } from '../../simulation/workload/boot/user-data.ts';
import { isRunning, machineOf, started } from './machines.ts';
import {
  addTogether,
  addTrio,
  allRun,
  calls,
  describeAll,
  expectNothingLeft,
  expectOneEach,
  lagging,
  namesFor,
  region,
  trio,
} from './together.fixture.ts';

describe('AWSMachines that were created together', () => {
  it.each([
    { count: 6, launches: 1 },
    { count: 50, launches: 1 },
    { count: 52, launches: 2 },
  ])('are launched in calls for up to 50: $count in $launches', async ({ count, launches }) => {
    const world = await started({ behaviour: { throttling: true } });
    const names = namesFor(count);
    const began = world.now();
    addTogether(world, names);
    await world.until(() => calls(world, 'RunInstances') === launches, 15);
    expect(world.now() - began).toBeLessThanOrEqual(15_000);
    await world.until(allRun(world, names));
    // A repeated call launches nothing: its token names the same instances.
    expect(calls(world, 'RunInstances')).toBeLessThanOrEqual(2 * launches);
    await world.run(60);
    await expectOneEach(world, names);
    await expectNothingLeft(world, names);
  });

  it('boot with their own bootstrap data', async () => {
    const world = await started();
    const names = namesFor(6);
    addTogether(world, names);
    await world.until(allRun(world, names));
    for (const name of names) {
      const id = machineOf(world, name).spec!.instanceID!;
      const one = (await describeAll(world)).find(({ InstanceId }) => InstanceId === id)!;
      const { documents, faults } = readUserData(world.account.instance(id)!.userData, {
        region,
        launchIndex: one.AmiLaunchIndex,
        read: (secret) => world.account.readSecret(id, secret),
      });
      expect(faults).toEqual([]);
      expect(documents.join()).toContain(`# ${name}\n`);
    }
  });

  it.each([
    1, 2, 3, 4, 5, 6, 7, 8,
  ])('get one instance each when the process crashes after %i actions', async (crash) => {
    const world = await started({ seed: crash, behaviour: lagging });
    addTrio(world);
    world.crashAfter(crash);
    await world.until(allRun(world, trio));
    await world.run(60);
    await expectOneEach(world, trio);
    await expectNothingLeft(world, trio);
  });

  it.each([
    { code: 'InsufficientInstanceCapacity', zone: 'eu-west-1a' },
    { code: 'InsufficientInstanceCapacity', count: 1 },
    { code: 'VcpuLimitExceeded', count: 1 },
    { code: 'RequestLimitExceeded', count: 3 },
    { code: 'InternalError', count: 1 },
    { code: 'InternalError', count: 1, afterEffect: true },
    { code: 'IdempotentParameterMismatch', count: 1 },
    { code: 'UnauthorizedOperation', count: 2 },
  ])('get one instance each when the call fails: $code $zone $afterEffect', async (fault) => {
    for (const behaviour of [{}, lagging]) {
      const world = await started({ behaviour });
      world.account.faults.add({ action: 'RunInstances', ...fault });
      addTrio(world);
      await world.until(allRun(world, trio));
      await world.run(60);
      await expectOneEach(world, trio);
      await expectNothingLeft(world, trio);
    }
  });

  it.each(trio)('are launched alone when %s has no bootstrap data in time', async (name) => {
    const world = await started();
    addTrio(world, (one) => (one === name ? { machine: { bootstrap: {} } } : {}));
    const others = trio.filter((one) => one !== name);
    await world.until(allRun(world, others), 60);
    expect(calls(world, 'RunInstances')).toBe(2);
    const machine = world.get('Machine', name);
    world.put({
      ...machine,
      spec: { ...(machine as { spec?: object }).spec, bootstrap: { dataSecretName: name } },
    } as never);
    await world.until(isRunning(world, name), 60);
    await world.run(60);
    await expectOneEach(world, trio);
    await expectNothingLeft(world, trio);
  });

  it.each([
    { rule: 'unlike requests', change: { spec: { rootVolume: { size: 100 } } } },
    { rule: 'bootstrap data in user data', change: { spec: { cloudInit: { insecureSkipSecretsManager: true } } } },
    { rule: 'a failure domain of its own', change: { machine: { failureDomain: 'eu-west-1b' } } },
  ])('are launched alone with $rule', async ({ change }) => {
    const world = await started();
    addTrio(world, (name) => (name === 'm1' ? change : {}));
    await world.until(allRun(world, trio), 120);
    await world.run(60);
    expect(calls(world, 'RunInstances')).toBe(3);
    await expectOneEach(world, trio);
    await expectNothingLeft(world, trio);
  });

  it.each(trio)('are not disturbed when the instance of %s ends early', async (name) => {
    const world = await started();
    addTrio(world);
    await world.until(() => calls(world, 'RunInstances') === 1);
    const index = trio.indexOf(name);
    const own = (await describeAll(world)).find(({ AmiLaunchIndex }) => AmiLaunchIndex === index)!;
    await world.account.call(region, 'TerminateInstances', { InstanceIds: [own.InstanceId] });
    const others = trio.filter((one) => one !== name);
    await world.until(allRun(world, others), 60);
    await world.run(300);
    expect(calls(world, 'RunInstances')).toBeLessThanOrEqual(3);
    await expectNothingLeft(world, trio);
  });
});
