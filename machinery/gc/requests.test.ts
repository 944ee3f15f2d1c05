import { expect, it } from 'vitest';
import type { Kind } from '../api/kind.ts';
import type { Kinds } from '../controller/kinds.ts';
import type { LogEntry } from '../store/store.ts';
import { collectorRequests } from './requests.ts';

const sealed = { group: '', kind: 'Secret', plural: 'secrets', namespaced: true, encrypted: true } as Kind;
const kinds = { ofType: () => sealed, find: () => sealed } as unknown as Kinds;
/** A dispatcher cannot decrypt. */
const store = { get: () => Promise.reject(new Error('AccessDenied')), ownedKeys: async () => [] };
const owner = { apiVersion: 'v1', kind: 'Secret', name: 'owner', uid: 'o' };

const change = (of: Partial<LogEntry>): LogEntry => ({
  type: 'secrets',
  position: 1,
  event: 'MODIFIED',
  namespace: 'default',
  name: 'a',
  uid: 'u',
  owners: [],
  ownersBefore: [],
  ...of,
});

it.each<{ rule: string; of: Partial<LogEntry>; asks: string[] }>([
  { rule: 'changed, because it may be in deletion', of: {}, asks: ['a'] },
  { rule: 'new and without owners: not at all', of: { event: 'ADDED' }, asks: [] },
  { rule: 'new, because its encrypted owner may be gone', of: { event: 'ADDED', owners: [owner] }, asks: ['a'] },
  {
    rule: 'deleted: its encrypted owner, which may wait for it',
    of: { event: 'DELETED', owners: [owner], ownersBefore: [owner] },
    asks: ['owner'],
  },
])('requests without reading an encrypted object that is $rule', async ({ of, asks }) => {
  const requests = await collectorRequests({ kinds, store })(change(of));
  expect(requests.map(({ key }) => key.name)).toEqual(asks);
});
