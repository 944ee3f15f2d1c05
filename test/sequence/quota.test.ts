/** Controllers create no Machine beyond the quota of its namespace, and report which quota stops them. */
import { expect, it } from 'vitest';
import { deployment } from './toys.ts';
import { createWorld } from './world.ts';

const quota = 'capstan.dev/max-machines';

it.each([0, 1, 2])('keeps two deployments of two Machines each within a quota of three (seed %i)', async (seed) => {
  const world = await createWorld({ seed, limited: true });
  await world.annotateNamespace({ [quota]: '3' });
  await world.apply(deployment({ replicas: 2 }));
  await world.apply(deployment({ replicas: 2 }, 'others'));
  await world.settle((machines) => expect(machines.length).toBeLessThanOrEqual(3));
  expect(await world.get('machines')).toHaveLength(3);
  const messages = (await world.get('sets')).map(({ status }) => {
    const { conditions } = status as { conditions: { type: string; message: string }[] };
    return conditions.find(({ type }) => type === 'ScalingUp')?.message;
  });
  expect(messages.sort()).toEqual([
    '',
    `Scaling up from 1 to 2 replicas is blocked because:\n* exceeded quota: annotation ${quota} of namespace default is 3, 3 Machines exist or are being created`,
  ]);
  await world.annotateNamespace({ [quota]: '4' });
  await world.settle((machines) => expect(machines.length).toBeLessThanOrEqual(4));
  expect(await world.get('machines')).toHaveLength(4);
});

it('counts Machines in deletion until they are gone, and keeps Machines above a lowered quota', async () => {
  const world = await createWorld({ seed: 0, limited: true });
  await world.apply(deployment({ replicas: 3 }));
  await world.settle();
  await world.annotateNamespace({ [quota]: '2' });
  await world.settle();
  expect(await world.get('machines')).toHaveLength(3);
  await world.deleteMachine('machine1');
  await world.settle();
  expect(await world.get('machines')).toHaveLength(2);
});
