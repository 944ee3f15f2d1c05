/** The example of docs/own-resources.md does what the page says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clientOf } from './client.ts';
import { definitions } from './definition.ts';
import { createTestServer } from './world.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/own-resources.md'), 'utf8');
const [definition, object] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!);
const yaml = { 'content-type': 'application/yaml' };
const databases = '/apis/platform.example/v1/namespaces/default/databases';

it('the example of the page is served, printed, selected, validated', async () => {
  const client = clientOf((await createTestServer()).server);
  expect((await client.send('POST', definitions, definition, yaml)).status).toBe(201);
  const made = await client.send('POST', databases, object, yaml);
  expect(made.body, made.text).toMatchObject({ spec: { engine: 'postgres', storageGiB: 10 } });
  const table = await client.get(databases, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  expect(table.body.rows[0]!.cells.slice(0, 3)).toEqual(['orders', 'postgres', 10]);
  const selected = await client.get(`${databases}?fieldSelector=spec.engine=mysql`);
  expect(selected.body.items).toEqual([]);
  const shrunk = await client.patch(`${databases}/orders`, 'merge', { spec: { storageGiB: 5 } });
  expect(shrunk.body).toMatchObject({ code: 422, message: expect.stringContaining('storage cannot shrink') });
  const grown = await client.patch(`${databases}/orders`, 'merge', { spec: { storageGiB: 20 } });
  expect(grown.body).toMatchObject({ spec: { storageGiB: 20 }, metadata: { generation: 2 } });
});
