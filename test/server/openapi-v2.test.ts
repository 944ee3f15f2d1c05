import { beforeEach, describe, expect, it } from 'vitest';
import { type Swagger, schemaOf, swaggerOf } from '../../machinery/server/openapi-v2/document.ts';
import { encodeSwagger } from '../../machinery/server/openapi-v2/encode.ts';
import { createRightsWorld } from '../rights/world.ts';
import type { Client } from './client.ts';
import { definitionOf, definitions } from './definition.ts';

const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const asked = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

describe('/openapi/v2', () => {
  let root: Client;
  beforeEach(() => {
    root = createRightsWorld().root;
  });

  const document = async () => {
    const { status, headers, text } = await root.get('/openapi/v2');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
    return { text, swagger: JSON.parse(text) as Swagger };
  };

  it('defines what its references name, and each kind once', async () => {
    const { text, swagger } = await document();
    const references = new Set([...text.matchAll(/"#\/definitions\/([^"]+)"/g)].map(([, name]) => name!));
    expect(references.size).toBeGreaterThan(100);
    for (const name of references) expect(swagger.definitions).toHaveProperty([name]);
    expect(text).not.toContain('#/components');
    const kinds = Object.values(swagger.definitions).flatMap(
      (one) => (one['x-kubernetes-group-version-kind'] ?? []) as object[],
    );
    expect(kinds).toContainEqual({ group: 'cluster.x-k8s.io', version: 'v1beta2', kind: 'Cluster' });
    expect(new Set(kinds.map((kind) => JSON.stringify(kind))).size).toBe(kinds.length);
  });

  it('tells old clients that the server validates', async () => {
    const { swagger } = await document();
    const path = swagger.paths['/apis/cluster.x-k8s.io/v1beta2/namespaces/{namespace}/clusters/{name}']!;
    const patch = path.patch as unknown as { parameters: object[]; consumes: string[] };
    expect(patch.parameters).toContainEqual(
      expect.objectContaining({ name: 'fieldValidation', in: 'query', type: 'string' }),
    );
    expect(patch.parameters[0]).toMatchObject({ in: 'body', required: true });
    expect(patch.consumes).toContain('application/merge-patch+json');
    expect(path.parameters).toHaveLength(2);
  });

  it('is protobuf for clients that ask for it, and is not sent again', async () => {
    const { status, headers } = await root.get('/openapi/v2', { accept: `${asked}, application/json` });
    expect([status, headers.get('content-type')]).toEqual([200, protobuf]);
    const etag = headers.get('etag')!;
    const again = await root.get('/openapi/v2', { accept: asked, 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await root.get('/openapi/v2', { accept: 'text/html' })).status).toBe(406);
    expect((await root.get('/openapi/v2/more')).status).toBe(404);
  });

  it('has what users define, as soon as it is served', async () => {
    const before = (await root.get('/openapi/v2')).headers.get('etag');
    expect((await root.post(definitions, definitionOf())).status).toBe(201);
    const { text, swagger } = await document();
    expect(text).toContain('"kind":"Gadget"');
    expect(swagger.paths).toHaveProperty(['/apis/shop.example/v1/namespaces/{namespace}/gadgets']);
    expect((await root.get('/openapi/v2')).headers.get('etag')).not.toBe(before);
  });
});

describe('a schema in v2', () => {
  it.each<{ rule: string; schema: object; made: object }>([
    {
      rule: 'refers to definitions',
      schema: { description: 'd', allOf: [{ $ref: '#/components/schemas/a.B' }] },
      made: { description: 'd', $ref: '#/definitions/a.B' },
    },
    {
      rule: 'of what may be null has no type',
      schema: { type: 'object', nullable: true, description: 'd', properties: { a: { type: 'string' } } },
      made: { description: 'd' },
    },
    {
      rule: 'of unknown fields has none of its own',
      schema: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { a: { type: 'string' } },
      },
      made: { 'x-kubernetes-preserve-unknown-fields': true },
    },
    {
      rule: 'has no alternatives, at any depth',
      schema: {
        type: 'object',
        properties: {
          nullable: { type: 'array', items: { type: 'string', anyOf: [{ minLength: 1 }], not: { pattern: 'x' } } },
        },
        additionalProperties: false,
      },
      made: {
        type: 'object',
        properties: { nullable: { type: 'array', items: { type: 'string' } } },
        additionalProperties: false,
      },
    },
  ])('$rule', ({ schema, made }) => expect(schemaOf(schema as never)).toEqual(made));
});

it('a kind with any fields is published as an object without fields', () => {
  const named = { 'x-kubernetes-group-version-kind': [{ group: 'g', version: 'v', kind: 'K' }] };
  const open = { type: 'object', description: 'd', 'x-kubernetes-preserve-unknown-fields': true };
  const schemas = { K: { ...open, properties: { spec: { type: 'object' } }, ...named }, nested: open };
  const { definitions } = swaggerOf([{ info: { title: 'T', version: 'v' }, paths: {}, components: { schemas } }]);
  expect(definitions).toEqual({
    K: { type: 'object', ...named },
    nested: { description: 'd', 'x-kubernetes-preserve-unknown-fields': true },
  });
});

it('is encoded as gnostic decodes it', () => {
  const swagger = swaggerOf([
    {
      info: { title: 'T', version: 'v' },
      paths: {
        '/p/{name}': {
          parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string', uniqueItems: true } }],
          put: {
            description: 'd',
            operationId: 'o',
            'x-kubernetes-action': 'put',
            parameters: [{ name: 'q', in: 'query', description: 'e', schema: { type: 'boolean' } }],
            requestBody: { required: true, content: { 'a/b': { schema: { $ref: '#/components/schemas/S' } } } },
            responses: { 200: { description: 'OK', content: { 'a/b': { schema: { type: 'string' } } } } },
          },
        },
      },
      components: {
        schemas: {
          S: {
            type: 'object',
            required: ['n'],
            properties: {
              n: { type: 'integer', format: 'int32', minimum: 1, maximum: 300, default: 7 },
              l: { type: 'array', maxItems: 200, items: { type: 'string', enum: ['a', 'b'], pattern: '^.$' } },
              m: { type: 'object', additionalProperties: { type: 'string' } },
            },
            additionalProperties: false,
            'x-kubernetes-map-type': 'atomic',
          },
        },
      },
    },
  ]);
  // Compared with the document that gnostic-models 0.6.9 makes of the same JSON.
  expect(Buffer.from(encodeSwagger(swagger)).toString('hex')).toMatchInlineSnapshot(
    `"0a03322e3012060a015412017642d10112ce010a092f702f7b6e616d657d12c0011a9c011a01642a016f3203612f623a03612f6242250a230a211204626f64791a04626f647920012a110a0f232f646566696e6974696f6e732f53421c0a1a12181a16120571756572791a01652201713207626f6f6c65616e4a1e0a1c0a0332303012150a130a024f4b120d0a0bb201080a06737472696e67520568747470736a1e0a13782d6b756265726e657465732d616374696f6e1207120522707574224a1f0a1d121b2219080112047061746822046e616d652a06737472696e679801014ad3010ad0010a015312ca019a01016eaa01021000b201080a066f626a656374ca018c010a2f0a016e122a1205696e7433322a03120137390000000000c0724049000000000000f03fb201090a07696e74656765720a370a016c123270c801b201070a056172726179ba01220a206a035e2e24a201051203226122a201051203226222b201080a06737472696e670a200a016d121baa010d0a0bb201080a06737472696e67b201080a066f626a656374fa01230a15782d6b756265726e657465732d6d61702d74797065120a12082261746f6d696322"`,
  );
});
