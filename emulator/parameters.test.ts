import { createServer } from 'node:http';
import { DescribeParametersCommand, GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Parameters, startParameters } from './parameters.ts';

const tags: Record<string, Record<string, string>> = {
  '/a': { owner: 'one', part: 'x' },
  '/b': { owner: 'one' },
  '/c': { owner: 'two' },
  '/d': {},
};
/** As MiniStack answers: two per page, whatever the tags are. */
const store = createServer((incoming, outgoing) => {
  let text = '';
  incoming.on('data', (chunk) => {
    text += chunk;
  });
  incoming.on('end', () => {
    const input = JSON.parse(text) as { NextToken?: string; ResourceId?: string; Name?: string };
    const names = Object.keys(tags);
    const from = Number(input.NextToken ?? 0);
    const answers: Record<string, unknown> = {
      'AmazonSSM.DescribeParameters': {
        Parameters: names.slice(from, from + 2).map((Name) => ({ Name })),
        ...(from + 2 < names.length && { NextToken: String(from + 2) }),
      },
      'AmazonSSM.ListTagsForResource': {
        TagList: Object.entries(tags[input.ResourceId ?? ''] ?? {}).map(([Key, Value]) => ({ Key, Value })),
      },
    };
    const answer = answers[String(incoming.headers['x-amz-target'])];
    outgoing.writeHead(answer ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' });
    outgoing.end(JSON.stringify(answer ?? { __type: 'ParameterNotFound', message: 'no' }));
  });
});
let parameters: Parameters;
let client: SSMClient;
beforeAll(async () => {
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  const { port } = store.address() as { port: number };
  parameters = await startParameters({ endpoint: `http://127.0.0.1:${port}`, port: 0 });
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  client = new SSMClient({ endpoint: parameters.endpoint, region: 'eu-central-1', credentials });
});
afterAll(async () => {
  client.destroy();
  await parameters.close();
  store.close();
});

it.each([
  { rule: 'parameters with the tag and value', filters: { owner: ['one'] }, found: ['/a', '/b'] },
  { rule: 'parameters with all the tags', filters: { owner: ['one'], part: ['x', 'y'] }, found: ['/a'] },
  { rule: 'parameters with the tag, whatever its value', filters: { owner: undefined }, found: ['/a', '/b', '/c'] },
  { rule: 'none when no parameter has the tag', filters: { nothing: ['x'] }, found: [] },
])('finds $rule, across all pages', async ({ filters, found }) => {
  const ParameterFilters = Object.entries(filters).map(([name, Values]) => ({ Key: `tag:${name}`, Values }));
  const { Parameters = [] } = await client.send(new DescribeParametersCommand({ ParameterFilters }));
  expect(Parameters.map(({ Name }) => Name)).toEqual(found);
});

it('forwards every other request, errors included', async () => {
  const asked = client.send(new GetParameterCommand({ Name: '/no' }));
  await expect(asked).rejects.toMatchObject({ name: 'ParameterNotFound' });
});
