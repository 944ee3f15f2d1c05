import { expect, it } from 'vitest';
import { defaultHours, hoursBetween, isDue, resyncRequests, sweptHours } from './resync.ts';

const names = Array.from({ length: 2400 }, (_, index) => `default/machine-${index}`);
const begin = 490_000;

it('visits each object once per period, whenever the period starts', () => {
  for (const every of [defaultHours, sweptHours])
    for (const start of [begin, begin + 5])
      for (const name of names.slice(0, 50)) {
        const hours = Array.from({ length: every }, (_, index) => start + index);
        expect(hours.filter((until) => isDue(name, every, { after: until - 1, until }))).toHaveLength(1);
      }
});

it('spreads the objects evenly over the period', () => {
  const due = names.filter((name) => isDue(name, defaultHours, { after: begin, until: begin + 1 }));
  expect(due.length).toBeGreaterThan(60);
  expect(due.length).toBeLessThan(140);
});

it('skips no object after a missed hour, and visits none twice', () => {
  const [name] = names;
  const hour = 3_600_000;
  const windows = [begin, begin + 3, begin + 3, begin + 20, begin + 24].map((at) => at * hour + 17);
  const due = windows
    .slice(1)
    .filter((until, index) => isDue(name!, defaultHours, hoursBetween(windows[index], until)));
  expect(due).toHaveLength(1);
  expect(isDue(name!, defaultHours, hoursBetween(undefined, begin * hour))).toBe(true);
});

const condition = (type: string, status: string) => ({ type, status });
const ready = { conditions: [condition('Ready', 'True')] };
const kinds = { named: () => ({ group: '', plural: 'things', summary: 'Ready' }) } as never;

it.each([
  { rule: 'a ready object that is swept: rarely', status: ready, swept: true, days: 28 },
  { rule: 'a swept object without a summary: as often as others', status: {}, swept: true, days: 1 },
  { rule: 'an object that no sweep observes: daily', status: ready, swept: false, days: 1 },
])('visits $rule', async ({ status, swept, days }) => {
  const object = { apiVersion: 'v1', kind: 'Thing', metadata: { namespace: 'default', name: 'a' }, status };
  const store = { list: async () => ({ objects: [object] }) } as never;
  let asked = 0;
  for (let until = begin; until < begin + 28 * 24; until++) {
    const looks = await resyncRequests({ kinds, store }, 'thing', { for: 'Thing', swept }, { after: until - 1, until });
    asked += looks.requests.length;
  }
  expect(asked).toBe(28 / days);
  const whole = await resyncRequests({ kinds, store }, 'thing', { for: 'Thing', swept }, undefined);
  expect(whole.requests).toHaveLength(1);
});

it.each([
  {
    rule: 'an object in deletion, even if it is ready',
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: ready,
  },
  {
    rule: 'an object with an unobserved generation',
    metadata: { generation: 3 },
    status: { ...ready, observedGeneration: 2 },
  },
  { rule: 'an object that is not ready', status: { conditions: [condition('Ready', 'Unknown')] } },
  {
    rule: 'no object whose other conditions are not True',
    status: { conditions: [condition('Ready', 'True'), condition('Paused', 'False')] },
    asked: 0,
  },
  {
    rule: 'no object that is in its desired state',
    metadata: { generation: 3 },
    status: { ...ready, observedGeneration: 3 },
    asked: 0,
  },
])('visits hourly $rule', async ({ metadata = {}, status, asked = 1 }) => {
  const object = { metadata: { namespace: 'default', name: 'a', ...metadata }, status };
  const store = { list: async () => ({ objects: [object] }) } as never;
  const hours = { after: begin, until: begin + 1 };
  const { requests } = await resyncRequests({ kinds, store }, 'thing', { for: 'Thing', swept: true }, hours);
  expect(requests).toHaveLength(asked);
});
