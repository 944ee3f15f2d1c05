import { expect, it } from 'vitest';
import type { GuestInstance } from '../ports.ts';
import type { GuestRecord, KubeletRecord } from './records.ts';
import { createRoster } from './roster.ts';

const guest = (instanceId: string, cluster?: string): GuestRecord => ({
  instance: { instanceId } as GuestInstance,
  bootedAt: 0,
  step: 0,
  ...(cluster !== undefined && { kubelet: { cluster } as KubeletRecord }),
});
const ids = (records: readonly GuestRecord[]) => records.map(({ instance }) => instance.instanceId);

it('lists the machines of a cluster in the order of their start, not of their join', () => {
  const [a, b, c, d] = [guest('a'), guest('b'), guest('c', 'x'), guest('d', 'y')];
  const roster = createRoster([a, b]);
  roster.set(c);
  roster.set(d);
  expect(ids(roster.of('x'))).toEqual(['c']);
  const join = (record: GuestRecord, cluster: string) => {
    record.kubelet = { cluster } as KubeletRecord;
    roster.joined(record);
  };
  join(b, 'x');
  join(b, 'x');
  expect(ids(roster.of('x'))).toEqual(['b', 'c']);
  join(a, 'x');
  roster.set(a);
  expect(ids(roster.of('x'))).toEqual(['a', 'b', 'c']);
  expect(ids(roster.all())).toEqual(['a', 'b', 'c', 'd']);
  expect(roster.get('b')).toBe(b);
  for (const id of ['b', 'd', 'e']) roster.delete(id);
  expect([ids(roster.of('x')), ids(roster.of('y'))]).toEqual([['a', 'c'], []]);
  expect(roster.get('b')).toBeUndefined();
  join(b, 'x');
  expect(ids(roster.of('x'))).toEqual(['a', 'c']);
});
