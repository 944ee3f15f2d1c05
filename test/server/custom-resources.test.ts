/** Kinds that users define: what clients see of the definitions and of their objects. */
import { rootCertificates } from 'node:tls';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../adapters/memory/clock.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { type Client, clientOf } from './client.ts';
import { definitionOf, definitions, gadgetOf, gadgets, rootOf, versionOf } from './definition.ts';
import { createTestServer } from './world.ts';

let client: Client;
beforeEach(async () => {
  client = clientOf((await createTestServer()).server);
});

const define = async (...args: Parameters<typeof definitionOf>) => {
  const made = await client.post(definitions, definitionOf(...args));
  expect(made.body).toMatchObject({ kind: 'CustomResourceDefinition' });
  return made;
};
const statusOf = async (name: string) =>
  (await client.get(`${definitions}/${name}`)).body.status as {
    conditions: { type: string; status: string; reason: string; message: string }[];
    acceptedNames: object;
    storedVersions: string[];
  };
const conditionIn = async (name: string, type: string) =>
  (await statusOf(name)).conditions.find((condition) => condition.type === type);

describe('a definition', () => {
  it('is established as it is created, with the defaults of its names', async () => {
    const { status, body } = await define();
    expect(status).toBe(201);
    expect(body).toMatchObject({
      metadata: { generation: 1 },
      spec: { names: { singular: 'gadget', listKind: 'GadgetList' }, conversion: { strategy: 'None' } },
      status: {
        acceptedNames: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
        conditions: [
          { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
          { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
        ],
        storedVersions: ['v1'],
      },
    });
  });

  it('is listed beside those of the server, page by page', async () => {
    await define();
    const { body } = await client.get(definitions);
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['widgets.example.com', 'gadgets.shop.example']);
    const first = (await client.get(`${definitions}?limit=1`)).body;
    expect(first.metadata.remainingItemCount).toBe(1);
    expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['widgets.example.com']);
    const second = (await client.get(`${definitions}?limit=1&continue=${first.metadata.continue}`)).body;
    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['gadgets.shop.example']);
    expect(second.metadata.continue).toBeUndefined();
  });

  it.each([
    {
      rule: 'a name of other parts',
      change: {},
      metadata: { name: 'x.shop.example' },
      says: 'metadata.name: Invalid value: "x.shop.example": must be spec.names.plural+"."+spec.group',
    },
    {
      rule: 'a scope of another name',
      change: { scope: 'Global' },
      says: 'spec.scope: Unsupported value: "Global": supported values: "Cluster", "Namespaced"',
    },
    {
      rule: 'a group without a dot',
      change: { group: 'shop' },
      says: 'spec.group: Invalid value: "shop": should be a domain with at least one dot',
    },
    {
      rule: 'a version without a schema',
      change: { versions: [{ name: 'v1', served: true, storage: true }] },
      says: 'spec.versions[0].schema.openAPIV3Schema: Required value',
    },
    {
      rule: 'no storage version',
      change: { versions: [versionOf({ type: 'object' }, { storage: false })] },
      says: 'must have exactly one version marked as storage version',
    },
    {
      rule: 'a group of Kubernetes',
      change: { group: 'shop.k8s.io' },
      says: 'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    },
    {
      rule: 'a field without a type',
      change: { versions: [versionOf({ properties: { a: { type: 'string' } } })] },
      says: 'spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
    },
    {
      rule: 'a field without a type in one of two versions',
      change: {
        versions: [
          versionOf({ type: 'object' }, { storage: false }),
          versionOf({ properties: { a: { type: 'string' } } }, { name: 'v2' }),
        ],
      },
      says: 'spec.versions[1].schema.openAPIV3Schema.properties[spec].type: Required value',
    },
    {
      rule: 'a type below a junctor',
      change: { versions: [versionOf({ type: 'object', anyOf: [{ type: 'object' }] })] },
      says: 'spec.validation.openAPIV3Schema.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural',
    },
    {
      rule: 'a default with unknown fields',
      change: { versions: [versionOf({ type: 'object', properties: { a: { type: 'string' } }, default: { b: 1 } })] },
      says: 'must not have unknown fields',
    },
    {
      rule: 'a default of another type',
      change: { versions: [versionOf({ type: 'object', properties: { a: { type: 'string', default: 1 } } })] },
      says: 'must be of type string: "integer"',
    },
    {
      rule: 'a pattern that is none',
      change: { versions: [versionOf({ type: 'object', properties: { a: { type: 'string', pattern: '(' } } })] },
      says: "must be a valid regular expression, but isn't",
    },
    {
      rule: 'a set of objects',
      change: {
        versions: [
          versionOf({
            type: 'object',
            properties: { a: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } } },
          }),
        ],
      },
      says: 'must be atomic as item of a list with x-kubernetes-list-type=set',
    },
    {
      rule: 'a list-map without keys',
      change: {
        versions: [
          versionOf({
            type: 'object',
            properties: { a: { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object' } } },
          }),
        ],
      },
      says: 'x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
    },
    {
      rule: 'unique items',
      change: {
        versions: [
          versionOf({
            type: 'object',
            properties: { a: { type: 'array', uniqueItems: true, items: { type: 'string' } } },
          }),
        ],
      },
      says: 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    },
    {
      rule: 'a column of an unknown type',
      change: {
        versions: [
          versionOf(
            { type: 'object' },
            { additionalPrinterColumns: [{ name: 'A', type: 'text' as never, jsonPath: '.a' }] },
          ),
        ],
      },
      says: 'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
    },
    {
      rule: 'a selectable field that is no scalar',
      change: { versions: [versionOf({ type: 'object' }, { selectableFields: [{ jsonPath: '.spec' }] })] },
      says: 'must point to a field of type string, boolean or integer',
    },
    {
      rule: 'a webhook by HTTP',
      change: {
        conversion: {
          strategy: 'Webhook' as const,
          webhook: { clientConfig: { url: 'http://a.example/x' }, conversionReviewVersions: ['v1'] },
        },
      },
      says: "'https' is the only allowed URL scheme; desired format: https://host[/path]",
    },
    {
      rule: 'a rule that does not compile',
      change: { versions: [versionOf({ type: 'object', 'x-kubernetes-validations': [{ rule: 'self. +' }] })] },
      says: 'compilation failed',
    },
  ])('with $rule is refused', async ({ change, metadata, says }) => {
    const definition = definitionOf(change as object);
    const { body } = await client.post(definitions, { ...definition, ...(metadata && { metadata }) });
    expect(body).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(body.message).toContain(says);
  });

  it('keeps its group, its plural and, once established, its scope and kind', async () => {
    await define();
    for (const [change, field] of [
      [{ scope: 'Cluster' }, 'spec.scope'],
      [{ names: { kind: 'Other' } }, 'spec.names.kind'],
      [{ group: 'other.example' }, 'spec.group'],
    ] as const) {
      const { body } = await client.patch(`${definitions}/gadgets.shop.example`, 'merge', { spec: change });
      expect(body.code).toBe(422);
      expect(body.message).toContain(`${field}: Invalid value`);
      expect(body.message).toContain('field is immutable');
    }
  });

  it('waits for names that another one holds', async () => {
    await define({}, { shortNames: ['gd'] });
    await client.post(definitions, definitionOf({}, { plural: 'gizmos', kind: 'Gizmo', shortNames: ['gd'] }));
    expect(await conditionIn('gizmos.shop.example', 'NamesAccepted')).toMatchObject({
      status: 'False',
      reason: 'ShortNamesConflict',
      message: '"gd" is already in use',
    });
    expect(await conditionIn('gizmos.shop.example', 'Established')).toMatchObject({
      status: 'False',
      reason: 'NotAccepted',
      message: 'not all names are accepted',
    });
    expect((await client.get('/apis/shop.example/v1/namespaces/default/gizmos')).status).toBe(404);
    await client.patch(`${definitions}/gizmos.shop.example`, 'merge', { spec: { names: { shortNames: ['gz'] } } });
    expect((await client.get('/apis/shop.example/v1/namespaces/default/gizmos')).status).toBe(200);
  });

  it('remembers each version in which objects may be stored', async () => {
    await define();
    const { spec } = definitionOf({
      versions: [versionOf({ type: 'object' }, { storage: false }), versionOf({ type: 'object' }, { name: 'v2' })],
    });
    await client.patch(`${definitions}/gadgets.shop.example`, 'merge', { spec });
    expect((await statusOf('gadgets.shop.example')).storedVersions).toEqual(['v1', 'v2']);
    const dropped = await client.patch(`${definitions}/gadgets.shop.example`, 'merge', {
      spec: { versions: [versionOf({ type: 'object' }, { name: 'v2' })] },
    });
    expect(dropped.body.message).toContain('status.storedVersions[0]: Invalid value: "v1": missing from spec.versions');
    await client.patch(`${definitions}/gadgets.shop.example/status`, 'merge', { status: { storedVersions: ['v2'] } });
    const { status } = await client.patch(`${definitions}/gadgets.shop.example`, 'merge', {
      spec: { versions: [versionOf({ type: 'object' }, { name: 'v2' })] },
    });
    expect(status).toBe(200);
  });

  it('with a broken bundle of authorities is established once that is mended, and keeps a usable one', async () => {
    const by = (bundle: string) => ({
      conversion: {
        strategy: 'Webhook' as const,
        webhook: { clientConfig: { url: 'https://hook.example', caBundle: bundle }, conversionReviewVersions: ['v1'] },
      },
    });
    const broken = Buffer.from('\n').toString('base64');
    await define(by(broken));
    expect(await conditionIn('gadgets.shop.example', 'Established')).toMatchObject({
      status: 'False',
      reason: 'InvalidCABundle',
      message: 'The conversion webhook CABundle is invalid',
    });
    const usable = Buffer.from(rootCertificates[0]!).toString('base64');
    const path = `${definitions}/gadgets.shop.example`;
    expect((await client.patch(path, 'merge', { spec: by(usable) })).status).toBe(200);
    expect(await conditionIn('gadgets.shop.example', 'Established')).toMatchObject({ status: 'True' });
    const { status, body } = await client.patch(path, 'merge', { spec: by(broken) });
    expect(status).toBe(422);
    expect(body.message).toContain(
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: "Cg==": unable to load root certificates: unable to parse bytes as PEM block',
    );
  });

  it('of a kind that the server has itself is accepted without effect', async () => {
    const own = definitionOf({ group: 'example.com' }, { plural: 'widgets', kind: 'Widget' });
    for (const { status, headers } of [
      await client.post(definitions, own),
      await client.apply(`${definitions}/widgets.example.com?fieldManager=me&force=true`, own),
    ]) {
      expect([200, 201]).toContain(status);
      expect(headers.get('warning')).toContain('the definition has no effect');
    }
    expect((await client.delete(`${definitions}/widgets.example.com`)).body).toMatchObject({ code: 403 });
  });
});

describe('a resource of users', () => {
  it('is served once it is defined: pruned, defaulted, validated', async () => {
    expect((await client.get(gadgets)).status).toBe(404);
    await define();
    const { status, body, headers } = await client.post(gadgets, gadgetOf('a', { size: 2, weight: 7 }));
    expect(status).toBe(201);
    expect(body).toMatchObject({ metadata: { generation: 1, namespace: 'default' }, spec: { size: 2, color: 'red' } });
    expect(body.spec).not.toHaveProperty('weight');
    expect(headers.get('warning')).toContain('unknown field \\"spec.weight\\"');
    expect((await client.post(gadgets, gadgetOf('b', { size: 0 }))).body.message).toBe(
      'Gadget.shop.example "b" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    );
    expect((await client.get(gadgets)).body).toMatchObject({ kind: 'GadgetList', items: [{ kind: 'Gadget' }] });
  });

  it('is in discovery and in OpenAPI', async () => {
    await define({}, { shortNames: ['gd'], categories: ['all'] });
    const { body } = await client.get('/apis/shop.example/v1');
    expect((body as unknown as { resources: object[] }).resources).toEqual([
      expect.objectContaining({ name: 'gadgets', singularName: 'gadget', kind: 'Gadget', shortNames: ['gd'] }),
    ]);
    const { text } = await client.get('/openapi/v3/apis/shop.example/v1');
    const { properties } = JSON.parse(text).components.schemas['example.shop.v1.Gadget'];
    expect(properties.spec.properties).toHaveProperty('size');
    // Kubernetes' conformance tests look for these words in the output of kubectl explain.
    expect(properties.apiVersion.description).toMatch(/^APIVersion defines/);
    expect(properties.metadata.description).toMatch(/^Standard object's metadata/);
  });

  it('prints its columns', async () => {
    const columns = [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
      { name: 'Since', type: 'date', jsonPath: '.spec.color', priority: 1 },
    ] as const;
    await define({ versions: [{ ...definitionOf().spec.versions[0]!, additionalPrinterColumns: [...columns] }] });
    await client.post(gadgets, gadgetOf('a', { size: 2 }));
    const { body } = await client.get(gadgets, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(body.rows[0]!.cells).toEqual(['a', 2, '<invalid>']);
    expect(body.columnDefinitions![1]).toMatchObject({
      description: 'Custom resource definition column (in JSONPath format): .spec.size',
    });
  });

  it('has status and scale', async () => {
    const spec = { type: 'object', properties: { replicas: { type: 'integer' } } };
    const status = { type: 'object', properties: { replicas: { type: 'integer' } } };
    const schema = rootOf(spec);
    const version = versionOf(spec, {
      schema: { openAPIV3Schema: { ...schema, properties: { ...schema.properties, status } } as never },
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
    });
    await define({ versions: [version] });
    await client.post(gadgets, gadgetOf('a', { replicas: 2 }, { status: { replicas: 9 } }));
    expect((await client.get(`${gadgets}/a`)).body.status).toBeUndefined();
    const written = await client.patch(`${gadgets}/a/status`, 'merge', { status: { replicas: 2 } });
    expect(written.body).toMatchObject({ status: { replicas: 2 }, metadata: { generation: 1 } });
    expect((await client.patch(`${gadgets}/a/scale`, 'merge', { spec: { replicas: 5 } })).body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 5 },
      status: { replicas: 2 },
    });
    expect((await client.get(`${gadgets}/a`)).body.metadata.generation).toBe(2);
  });

  it('is selected by its selectable fields', async () => {
    await define({
      versions: [{ ...definitionOf().spec.versions[0]!, selectableFields: [{ jsonPath: '.spec.color' }] }],
    });
    await client.post(gadgets, gadgetOf('a', { size: 1 }));
    await client.post(gadgets, gadgetOf('b', { size: 1, color: 'blue' }));
    const named = async (selector: string) =>
      (await client.get(`${gadgets}?fieldSelector=${selector}`)).body.items.map(({ metadata }) => metadata.name);
    expect(await named('spec.color=blue')).toEqual(['b']);
    expect(await named('spec.color!=blue')).toEqual(['a']);
    expect((await client.get(`${gadgets}?fieldSelector=spec.size=1`)).body).toMatchObject({
      code: 400,
      message: 'field label not supported: spec.size',
    });
  });

  it('is applied by several managers', async () => {
    await define();
    await client.apply(`${gadgets}/a?fieldManager=one`, gadgetOf('a', { size: 1 }));
    const { body } = await client.apply(`${gadgets}/a?fieldManager=two`, gadgetOf('a', { size: 2 }));
    expect(body).toMatchObject({ code: 409 });
    expect(body.message).toContain('conflict with "one"');
  });

  it('keeps no null that a client applies, and drops those that an apply leaves', async () => {
    const text = { type: 'string' };
    const spec = {
      type: 'object',
      properties: {
        free: { type: 'object', nullable: true, properties: { a: text } },
        inner: { type: 'object', properties: { a: text } },
        given: { type: 'string', default: 'x' },
        map: { type: 'object', additionalProperties: text },
      },
    };
    await define({ versions: [versionOf(spec)] });
    const path = `${gadgets}/a?fieldManager=me`;
    const applied = (own: object) => client.apply(path, gadgetOf('a', own));
    await applied({ inner: { a: '1' }, free: { a: '1' } });
    const refused = await applied({ inner: null });
    expect(refused.status).toBe(422);
    expect(refused.body.message).toContain(
      'spec.inner: Invalid value: "null": spec.inner in body must be of type object: "null"',
    );
    expect((await applied({ inner: { a: '1' }, map: { k: null } })).body.message).toContain(
      'spec.map.k: Invalid value',
    );
    expect((await applied({ free: null, given: null })).body.spec).toEqual({ free: null, given: 'x' });
    const emptied = await applied({});
    expect([emptied.status, emptied.body.spec]).toEqual([200, undefined]);
  });

  describe('with objects within its objects', () => {
    const inner = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const template = { apiVersion: 'foo/v1', kind: 'Foo', metadata: { name: 'foo', labels: { a: 'b' } }, any: 1 };
    const metadata = { ...template.metadata, strange: 1 };
    beforeEach(() =>
      define({
        versions: [versionOf({ type: 'object', properties: { one: inner, list: { type: 'array', items: inner } } })],
      }),
    );

    it('drops what their metadata does not have', async () => {
      const { body } = await client.post(gadgets, gadgetOf('a', { one: { ...template, metadata }, list: [template] }));
      expect(body.spec).toEqual({ one: template, list: [template] });
      const strict = gadgetOf('b', { list: [{ ...template, metadata }] });
      expect((await client.post(`${gadgets}?fieldValidation=Strict`, strict)).body.message).toContain(
        'unknown field "spec.list[0].metadata.strange"',
      );
    });

    it.each([
      [{ metadata: { namespace: 42 } }, 400, 'spec.one.metadata: Invalid value: {"namespace":42}'],
      [{ apiVersion: 7 }, 400, 'spec.one.apiVersion: Invalid value: 7: must be a string'],
      [{ kind: '%' }, 422, 'spec.one.kind: Invalid value: "%": may have mixed case, but should otherwise match: '],
      [{ kind: undefined }, 422, 'spec.one.kind: Required value'],
      [{ apiVersion: '' }, 422, 'spec.one.apiVersion: Invalid value: "": must not be empty'],
      [{ apiVersion: 'a/b/c' }, 422, 'unexpected GroupVersion string: a/b/c'],
      [{ metadata: { name: '..' } }, 422, `spec.one.metadata.name: Invalid value: "..": may not be '..'`],
      [{ metadata: { labels: { a: 'x y' } } }, 422, 'spec.one.metadata.labels: Invalid value: "x y"'],
    ])('refuses %j', async (change, code, message) => {
      const { status, body } = await client.post(gadgets, gadgetOf('a', { one: { ...template, ...change } }));
      expect([status, body.message]).toEqual([code, expect.stringContaining(message)]);
    });
  });

  it('keeps a list that a new definition made ambiguous', async () => {
    const item = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
    };
    const keyed = (...keys: string[]) => ({
      type: 'object',
      properties: {
        size: { type: 'integer' },
        list: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys },
      },
    });
    await define({ versions: [versionOf(keyed('a', 'b'))] });
    const list = [1, 2].map((b) => ({ a: 1, b }));
    await client.post(gadgets, gadgetOf('a', { list }));
    await client.patch(`${definitions}/gadgets.shop.example`, 'merge', { spec: { versions: [versionOf(keyed('a'))] } });
    expect((await client.post(gadgets, gadgetOf('b', { list }))).body.message).toContain('Duplicate value');
    const changed = [...list, { a: 1, b: 3 }];
    expect((await client.patch(`${gadgets}/a`, 'merge', { spec: { list: changed } })).status).toBe(200);
    expect((await client.patch(`${gadgets}/a`, 'merge', { spec: { list: [{ a: 1, b: 1 }] } })).status).toBe(200);
    expect((await client.patch(`${gadgets}/a`, 'merge', { spec: { list } })).status).toBe(422);
  });

  it('keeps a list that a new definition made too long, in any order', async () => {
    const item = { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'integer' } } };
    const keyed = (more: object) => {
      const list = { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
      return { versions: [versionOf({ type: 'object', properties: { list: { ...list, ...more } } })] };
    };
    await define(keyed({}));
    const [a, b, c] = ['a', 'b', 'c'].map((k) => ({ k, v: 1 }));
    await client.post(gadgets, gadgetOf('a', { list: [a, b, c] }));
    await client.patch(`${definitions}/gadgets.shop.example`, 'merge', { spec: keyed({ maxItems: 2 }) });
    const changed = async (list: object[]) => (await client.patch(`${gadgets}/a`, 'merge', { spec: { list } })).status;
    expect(await changed([c!, a!, b!])).toBe(200);
    expect(await changed([c!, a!, { ...b!, v: 2 }])).toBe(422);
  });

  it('may say which of its versions clients write', async () => {
    const only = { type: 'object', properties: { apiVersion: { type: 'string', pattern: '^shop.example/v1beta1$' } } };
    const rooted = (name: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: only },
    });
    const open = versionOf({ type: 'object' });
    await define({ versions: [open, { ...open, name: 'v1beta1', storage: false }] });
    await client.post(gadgets, gadgetOf('a', {}));
    const versions = [rooted('v1', true), rooted('v1beta1', false)];
    await client.patch(`${definitions}/gadgets.shop.example`, 'merge', { spec: { versions } });
    const older = '/apis/shop.example/v1beta1/namespaces/default/gadgets/a';
    const change = { metadata: { labels: { a: 'b' } } };
    expect((await client.patch(older, 'merge', change)).status).toBe(200);
    expect((await client.patch(older, 'merge', change)).status).toBe(200);
    expect((await client.patch(`${gadgets}/a`, 'merge', change)).status).toBe(422);
  });

  it('loses the fields that a new definition does not have', async () => {
    const text = { type: 'string' };
    await define({ versions: [versionOf({ type: 'object', properties: { a: text, b: text } })] });
    await client.post(gadgets, gadgetOf('a', { a: '1', b: '2' }));
    await client.patch(`${definitions}/gadgets.shop.example`, 'merge', {
      spec: { versions: [versionOf({ type: 'object', properties: { a: text } })] },
    });
    expect((await client.get(`${gadgets}/a`)).body.spec).toEqual({ a: '1' });
    expect(
      (await client.apply(`${gadgets}/a?fieldManager=me&force=true`, gadgetOf('a', { a: '2' }))).body.spec,
    ).toEqual({
      a: '2',
    });
  });

  it('is created and deleted by the collection in a namespace alone', async () => {
    await define();
    const everywhere = '/apis/shop.example/v1/gadgets';
    expect((await client.post(everywhere, gadgetOf('a'))).status).toBe(404);
    expect((await client.delete(everywhere)).status).toBe(404);
    expect((await client.delete('/api/v1/configmaps')).status).toBe(405);
    expect((await client.get(everywhere)).status).toBe(200);
  });

  it('is read, listed in discovery and refused in YAML for clients that ask for it', async () => {
    await define();
    await client.post(gadgets, gadgetOf('a'));
    const yaml = { accept: 'application/yaml' };
    const answers = await Promise.all([
      client.get(`${gadgets}/a`, yaml),
      client.get('/apis/shop.example/v1', yaml),
      client.get('/apis', yaml),
      client.get(`${gadgets}/missing`, yaml),
      client.get(`${gadgets}?watch=true`, yaml),
    ]);
    expect(
      answers.map(({ status, headers, text }) => [status, headers.get('content-type'), text.split('\n')[0]]),
    ).toEqual([
      [200, 'application/yaml', 'apiVersion: shop.example/v1'],
      [200, 'application/yaml', 'apiVersion: v1'],
      [200, 'application/yaml', 'apiVersion: v1'],
      [404, 'application/yaml', 'apiVersion: v1'],
      [406, 'application/yaml', 'apiVersion: v1'],
    ]);
    expect(answers[3]!.text).toContain('reason: NotFound');
  });

  it('names the fields of its status as fields of that alone', async () => {
    const root = rootOf({ type: 'object' }, {});
    const schema = {
      ...root,
      properties: {
        ...root.properties,
        status: { type: 'object', properties: { n: { type: 'integer', maximum: 3 } } },
      },
    };
    const version = versionOf(
      { type: 'object' },
      { schema: { openAPIV3Schema: schema as never }, subresources: { status: {} } },
    );
    await define({ versions: [version] });
    await client.post(gadgets, gadgetOf('a', {}));
    expect((await client.patch(`${gadgets}/a/status`, 'merge', { status: { n: 4 } })).body.message).toContain(
      'status.n: Invalid value: 4: n in body should be less than or equal to 3',
    );
  });

  it('gets new defaults in the version in which it is stored', async () => {
    const withDefault = (of: string | undefined) => ({
      type: 'object',
      properties: { c: { type: 'string', ...(of && { default: of }) }, size: { type: 'integer' } },
    });
    const both = (stored: string | undefined, other: string | undefined) => [
      versionOf(withDefault(other), { name: 'v1', storage: false }),
      versionOf(withDefault(stored), { name: 'v2' }),
    ];
    await define({ versions: both(undefined, undefined) });
    await client.post(gadgets, gadgetOf('a', { size: 1 }));
    const path = `${definitions}/gadgets.shop.example`;
    const shown = async () => (await client.get(`${gadgets}/a`)).body.spec;
    await client.patch(path, 'merge', { spec: { versions: both('C', undefined) } });
    expect(await shown()).toEqual({ size: 1, c: 'C' });
    await client.patch(path, 'merge', { spec: { versions: both(undefined, 'D') } });
    expect(await shown()).toEqual({ size: 1 });
    const { body } = await client.patch(`${gadgets}/a`, 'merge', { spec: { size: 2 } });
    expect(body.spec).toEqual({ size: 2, c: 'D' });
  });

  it('has versions that differ by name alone', async () => {
    const spec = definitionOf().spec.versions[0]!.schema!.openAPIV3Schema!.properties!.spec!;
    await define({
      versions: [versionOf(spec), versionOf(spec, { name: 'v1beta1', storage: false, deprecated: true })],
    });
    await client.post(gadgets, gadgetOf('a'));
    const older = await client.get('/apis/shop.example/v1beta1/namespaces/default/gadgets/a');
    expect(older.body).toMatchObject({ apiVersion: 'shop.example/v1beta1', spec: { size: 1, color: 'red' } });
    expect(older.headers.get('warning')).toContain(
      'shop.example/v1beta1 Gadget is deprecated; use shop.example/v1 Gadget',
    );
  });
});

describe('a change of a definition', () => {
  it('holds for the next request, in every process', async () => {
    const table = memoryTable({ clock: systemClock });
    const [one, two] = await Promise.all(
      [0, 1].map(async () => clientOf((await createTestServer(systemClock, { table })).server)),
    );
    await one!.post(definitions, definitionOf());
    expect((await two!.post(gadgets, gadgetOf('a'))).status).toBe(201);
    expect((await two!.get(`${gadgets}/a`)).body.spec).toEqual({ size: 1, color: 'red' });
    const wider = {
      type: 'object',
      properties: { size: { type: 'integer' }, color: { type: 'string' }, shape: { type: 'string', default: 'round' } },
    };
    await one!.patch(`${definitions}/gadgets.shop.example`, 'merge', { spec: { versions: [versionOf(wider)] } });
    expect((await one!.get(`${gadgets}/a`)).body.spec).toMatchObject({ shape: 'round' });
    await new Promise((resolve) => setTimeout(resolve, 1050));
    // Both read the position beside the request's own reads.
    expect((await two!.get(`${gadgets}/a`)).body.spec).toMatchObject({ shape: 'round' });
  });

  it('is noticed by a write, which is decided again', async () => {
    const table = memoryTable({ clock: systemClock });
    const [one, two] = await Promise.all(
      [0, 1].map(async () => clientOf((await createTestServer(systemClock, { table })).server)),
    );
    await one!.post(definitions, definitionOf());
    await two!.post(gadgets, gadgetOf('a'));
    const narrow = { type: 'object', properties: { size: { type: 'integer', maximum: 5 } } };
    await one!.patch(`${definitions}/gadgets.shop.example`, 'merge', { spec: { versions: [versionOf(narrow)] } });
    await new Promise((resolve) => setTimeout(resolve, 1050));
    expect((await two!.post(gadgets, gadgetOf('b', { size: 6 }))).body).toMatchObject({ code: 422 });
  });

  it('ends the watches of its objects, and no others', async () => {
    await define();
    const [changed, kept] = [
      await client.watch(`${gadgets}?watch=true`),
      await client.watch(`${definitions}?watch=true`),
    ];
    await client.post(gadgets, gadgetOf('a'));
    expect((await changed.next())?.type).toBe('ADDED');
    const wider = { type: 'object', properties: { size: { type: 'integer' } } };
    await client.patch(`${definitions}/gadgets.shop.example`, 'merge', { spec: { versions: [versionOf(wider)] } });
    expect(await changed.next()).toBeUndefined();
    expect((await kept.next())?.type).toBe('ADDED');
    kept.stop();
  });
});
