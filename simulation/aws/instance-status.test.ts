import { expect, it } from 'vitest';
import { openWorld } from './account.fixture.ts';

const minute = 60_000;

it('reports the status checks of a running instance, and its events', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const id = await world.make.instance(privateSubnet);
  const read = async (IncludeAllInstances?: true) =>
    (
      await world.call('DescribeInstanceStatus', {
        InstanceIds: [id],
        ...(IncludeAllInstances && { IncludeAllInstances }),
      })
    ).InstanceStatuses;
  expect(await read()).toEqual([]);
  expect(await read(true)).toMatchObject([{ SystemStatus: { Status: 'not-applicable' } }]);
  await world.clock.advance(minute);
  expect(await read()).toMatchObject([{ SystemStatus: { Status: 'initializing' } }]);
  await world.clock.advance(2 * minute);
  const events = [{ Code: 'instance-stop', Description: 'degraded', NotBefore: '2026-02-01T00:00:00Z' }];
  world.account.trouble(id, { impaired: ['system'], events });
  expect(await read()).toMatchObject([
    { SystemStatus: { Status: 'impaired' }, InstanceStatus: { Status: 'ok' }, Events: events },
  ]);
  world.account.trouble(id, {});
  expect(await read()).toMatchObject([{ SystemStatus: { Status: 'ok' }, Events: [] }]);
  world.account.terminate(id);
  expect(await read()).toEqual([]);
});

it('refuses more than a hundred ids', async () => {
  const world = openWorld();
  const InstanceIds = Array.from({ length: 101 }, (_, n) => `i-${String(n).padStart(17, '0')}`);
  await expect(world.call('DescribeInstanceStatus', { InstanceIds })).rejects.toMatchObject({
    code: 'InvalidParameterValue',
  });
});
