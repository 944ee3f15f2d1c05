import { expect, it } from 'vitest';
import { memoryTable } from '../../memory/table.ts';
import { virtualClock } from '../../memory/virtual-clock.ts';
import { createAwake } from './awake.ts';

it('wakes once for everything noted at the same time', async () => {
  const clock = virtualClock(0);
  const table = memoryTable({ clock });
  await table.write({ put: { pk: 'awake', sk: 'installation', state: 'asleep' } });
  const enabled: string[] = [];
  const switched = (name: string) => ({
    enable: async () => void enabled.push(name),
    disable: async () => {},
    keep: async () => {},
  });
  const awake = createAwake({ table, clock, mappings: switched('mappings'), schedules: switched('schedules') });
  await Promise.all(Array.from({ length: 20 }, () => awake.note()));
  expect(enabled).toEqual(['schedules', 'mappings']);
  expect(await table.get({ pk: 'awake', sk: 'installation' }, { consistent: true })).toMatchObject({ state: 'awake' });
});
