import { describe, expect, it } from 'vitest';
import { clientOf } from './client.ts';
import { createTestServer } from './world.ts';

const path = '/api/v1/namespaces/default/configmaps';
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const metadata = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };

/** The same objects behind a server that buffers whole lists, and behind one that buffers three objects of a list. */
const bothWith = async (count: number) => {
  const servers = await Promise.all([createTestServer(), createTestServer(undefined, { longestList: 3 })]);
  const clients = servers.map(({ server }) => clientOf(server));
  for (const client of clients)
    for (let n = 0; n < count; n++)
      await client.send('POST', path, {
        metadata: { name: `n${n}`, labels: { odd: String(n % 2) } },
        data: { n: `${n}` },
      });
  return { whole: clients[0]!, portioned: clients[1]!, server: servers[1]!.server };
};
/** Without the differences between two servers. */
const comparable = (text: string) =>
  text
    .replaceAll(/"?(uid|creationTimestamp|resourceVersion|continue|time)"?: ?"[^"]*"|uid: \S+/g, '$1')
    .replaceAll(/"\d+(ms|s)"/g, '"now"');

describe('a list that is written while it is read', () => {
  it.each([
    { rule: 'no objects', count: 0, query: '' },
    { rule: 'one full portion', count: 3, query: '' },
    { rule: 'more than a portion', count: 8, query: '' },
    { rule: 'several full portions', count: 9, query: '' },
    { rule: 'a table', count: 8, query: '', headers: table },
    { rule: 'metadata', count: 8, query: '', headers: metadata },
    { rule: 'a selection', count: 8, query: '?labelSelector=odd%3D1' },
    { rule: 'an empty selection', count: 8, query: '?labelSelector=odd%3D2' },
    { rule: 'a page', count: 8, query: '?limit=5' },
    { rule: 'YAML', count: 8, query: '', headers: { accept: 'application/yaml' } },
  ])('is the same for $rule', async ({ count, query, headers }) => {
    const { whole, portioned } = await bothWith(count);
    const [expected, answered] = await Promise.all(
      [whole, portioned].map((client) => client.send('GET', path + query, undefined, headers)),
    );
    expect(answered!.status).toBe(200);
    expect(comparable(answered!.text)).toBe(comparable(expected!.text));
    expect(Object.fromEntries(answered!.headers)).toEqual(Object.fromEntries(expected!.headers));
  });

  it('has one resourceVersion, whatever is written meanwhile', async () => {
    const { portioned, server } = await bothWith(8);
    const response = await server.fetch(
      new Request(`https://server${path}`, { headers: { authorization: 'Bearer a-token-for-tests' } }),
    );
    const reader = response.body!.getReader();
    let text = Buffer.from((await reader.read()).value!).toString();
    await portioned.send('DELETE', `${path}/n7`);
    await portioned.send('POST', path, { metadata: { name: 'n77' } });
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      text += Buffer.from(piece.value).toString();
    const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
    expect(items.map((item) => item.metadata.name)).toEqual(Array.from({ length: 8 }, (_, n) => `n${n}`));
  });

  it('breaks the connection when the rest is unreadable', async () => {
    const { server, store } = await createTestServer(undefined, { longestList: 1 });
    const client = clientOf(server);
    for (const name of ['a', 'b']) await client.send('POST', path, { metadata: { name } });
    const list = store.list;
    store.list = (type, options) => (options?.continue ? Promise.reject(new Error('away')) : list(type, options));
    const response = await server.fetch(
      new Request(`https://server${path}`, { headers: { authorization: 'Bearer a-token-for-tests' } }),
    );
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('away');
  });
});
