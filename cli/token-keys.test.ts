import { expect, it } from 'vitest';
import type { ApiClient } from './client.ts';
import { replaceTokenKeys } from './token-keys.ts';

const now = Date.UTC(2026, 10, 30, 12);
const clientOf = () => {
  const patches: unknown[] = [];
  const client = {
    find: async () => ({ metadata: { name: 'capstan' } }),
    json: async (_: string, path: string, { body }: { body: string }) => patches.push([path, JSON.parse(body)]),
  } as unknown as ApiClient;
  return { client, patches };
};
const path = '/apis/capstan.dev/v1alpha1/installations/capstan';

it('replaces the keys from before now, and says that tokens stay valid', async () => {
  const { client, patches } = clientOf();
  expect(await replaceTokenKeys(client, {}, now)).toContain('stays valid until it expires');
  expect(patches).toEqual([[path, { spec: { tokenKeys: { replaceBefore: '2026-11-30T12:00:00.000Z' } } }]]);
});

it('ends all tokens only with consent', async () => {
  const { client, patches } = clientOf();
  await expect(replaceTokenKeys(client, { revoke: true }, now)).rejects.toThrow('ends every token');
  expect(patches).toEqual([]);
  expect(await replaceTokenKeys(client, { revoke: true, yes: true }, now)).toContain('is refused within twenty');
  expect(patches).toEqual([[path, { spec: { tokenKeys: { revokeBefore: '2026-11-30T12:00:00.000Z' } } }]]);
});
