/** Integers that a JavaScript number would round are refused, in whichever form they are sent. */
import { beforeEach, expect, it } from 'vitest';
import { type Answer, type Client, clientOf, types } from './client.ts';
import { definitionOf, definitions, gadgetOf, gadgets, versionOf } from './definition.ts';
import { createTestServer } from './world.ts';

const large = '9007199254740993';
const open = {
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: { size: { type: 'integer' } },
};
let client: Client;
beforeEach(async () => {
  client = clientOf((await createTestServer()).server);
  await client.post(definitions, definitionOf({ versions: [versionOf(open)] }));
  await client.post(gadgets, gadgetOf('here'));
});

const json = (field: string) => JSON.stringify(gadgetOf('a', { [field]: 0 })).replace(':0', `:${large}`);
const yaml = `{apiVersion: shop.example/v1, kind: Gadget, metadata: {name: a}, spec: {size: ${large}}}`;
const asYaml = { 'content-type': 'application/yaml' };
const asApply = { 'content-type': 'application/apply-patch+yaml' };
const here = `${gadgets}/here`;

const refused: { rule: string; send: () => Promise<Answer> }[] = [
  { rule: 'a created object', send: () => client.post(gadgets, json('size')) },
  { rule: 'a field without a schema', send: () => client.post(gadgets, json('free')) },
  { rule: 'an updated object', send: () => client.send('PUT', here, json('size').replace('"a"', '"here"')) },
  { rule: 'an object in YAML', send: () => client.send('POST', gadgets, yaml, asYaml) },
  {
    rule: 'hexadecimal digits',
    send: () => client.send('POST', gadgets, yaml.replace(large, '0x20000000000001'), asYaml),
  },
  { rule: 'an applied configuration', send: () => client.send('PATCH', `${gadgets}/a?fieldManager=me`, yaml, asApply) },
  { rule: 'one in JSON', send: () => client.send('PATCH', `${gadgets}/a?fieldManager=me`, json('size'), asApply) },
  {
    rule: 'a merge patch',
    send: () => client.send('PATCH', here, `{"spec":{"size":${large}}}`, { 'content-type': types.merge }),
  },
  {
    rule: 'a JSON patch',
    send: () =>
      client.send('PATCH', here, `[{"op":"add","path":"/spec/size","value":${large}}]`, { 'content-type': types.json }),
  },
];

it.each(refused)('$rule', async ({ send }) => {
  const { status, body } = await send();
  expect(status).toBe(400);
  expect(body).toMatchObject({ kind: 'Status', reason: 'BadRequest' });
  expect(body.message).toMatch(/the integer (9007199254740993|0x20000000000001) is too large to be stored exactly/);
  expect((await client.get(here)).body.spec).toEqual({ size: 1 });
});

it('names the field', async () => {
  const { body } = await client.post(gadgets, json('size'));
  expect(body.message).toBe(
    `Gadget in version "v1" cannot be handled as a Gadget: spec.size: the integer ${large} is too large to be stored exactly (use a string, or a number up to 2^53)`,
  );
});

it('returns what a number keeps', async () => {
  for (const size of ['9007199254740991', '-9007199254740992', '1152921504606847000', '1e+30']) {
    const sent = json('size').replace(large, size);
    expect((await client.send('POST', `${gadgets}?dryRun=All`, sent)).text).toContain(`"size":${size}`);
  }
});

it('takes bounds of a schema, which upstream rounds, too, but not its defaults', async () => {
  const bounded = (bound: string) =>
    JSON.stringify(
      definitionOf(
        { versions: [versionOf({ type: 'object', properties: { size: { type: 'integer', [bound]: 0 } } })] },
        { plural: 'others', kind: 'Other' },
      ),
    ).replace(`"${bound}":0`, `"${bound}":9223372036854775807`);
  expect((await client.send('POST', `${definitions}?dryRun=All`, bounded('maximum'))).status).toBe(201);
  expect((await client.send('POST', `${definitions}?dryRun=All`, bounded('default'))).status).toBe(400);
});
