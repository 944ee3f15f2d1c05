/** Stored objects that cannot be read are answered as kube-apiserver answers them. */
import { beforeEach, expect, it } from 'vitest';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { damage } from '../damage.ts';
import { clientOf } from './client.ts';
import { createTestServer } from './world.ts';

const secrets = '/api/v1/namespaces/default/secrets';
const secret = (name: string, data = { password: Buffer.from(`of ${name}`).toString('base64') }) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels: { app: name } },
  data,
});

let client: ReturnType<typeof clientOf>;
beforeEach(async () => {
  const clock = virtualClock(Date.UTC(2026, 10, 28));
  const table = memoryTable({ clock });
  const { server } = await createTestServer(clock, { table });
  client = clientOf(server);
  for (const name of ['a', 'b', 'c']) await client.post(secrets, secret(name));
  await clock.advance(60_000);
  for (const name of ['a', 'c']) await damage(table, 'secrets', { namespace: 'default', name });
});

it.each(['', '?limit=10', '?labelSelector=app%3Db'])('a list names all of them, and fails: %s', async (query) => {
  const { status, body } = await client.get(`${secrets}${query}`);
  expect(status).toBe(500);
  expect(body).toMatchObject({ kind: 'Status', reason: 'StorageReadError', details: { kind: 'secrets' } });
  expect(body.message).toContain('secrets "default/a", and 1 more cannot be read');
  expect(body.details.causes.map(({ field }) => field)).toEqual(['default/a', 'default/c']);
});

it.each(['kube-system', 'kube-public'])('a list of another namespace succeeds: %s', async (namespace) => {
  expect((await client.get(`/api/v1/namespaces/${namespace}/secrets`)).status).toBe(200);
});

it('the others can be read and written one by one', async () => {
  expect((await client.get(`${secrets}/b`)).status).toBe(200);
  expect((await client.put(`${secrets}/b`, secret('b', { password: 'bmV3' }))).status).toBe(200);
});

it('a get, an update and a deletion of one name it', async () => {
  for (const answer of [
    await client.get(`${secrets}/a`),
    await client.put(`${secrets}/a`, secret('a')),
    await client.delete(`${secrets}/a`),
  ]) {
    expect(answer.status).toBe(500);
    expect(answer.body.reason).toBe('StorageReadError');
    expect(answer.body.message).toContain('secrets "default/a" cannot be read');
  }
});
