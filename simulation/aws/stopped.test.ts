import { expect, it } from 'vitest';
import { openWorld } from './account.fixture.ts';

const seconds = 1000;

it('keeps a stopped instance unchanged, until a caller starts or terminates it', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const id = await world.make.instance(privateSubnet);
  expect(() => world.account.halt(id)).toThrow(/not in the 'running' state/);
  await world.clock.advance(20 * seconds);
  world.account.halt(id);
  expect(await world.state(id)).toBe('stopping');
  expect(() => world.account.start(id)).toThrow(/not in the 'stopped' state/);
  await world.clock.advance(40 * seconds);
  expect(await world.state(id)).toBe('stopped');
  world.account.start(id);
  expect(await world.state(id)).toBe('pending');
  await world.clock.advance(20 * seconds);
  expect(await world.state(id)).toBe('running');
  world.account.halt(id);
  await world.clock.advance(40 * seconds);
  world.account.terminate(id);
  await world.clock.advance(40 * seconds);
  expect(await world.state(id)).toBe('terminated');
});
