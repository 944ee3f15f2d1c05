import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../adapters/memory/clock.ts';
import { type Answer, type Body, type Client, clientOf, configMap, configMaps, widget, widgets } from './client.ts';
import { createTestServer, token } from './world.ts';

let client: Client;
beforeEach(async () => {
  client = clientOf((await createTestServer()).server);
});

describe('create', () => {
  it('sets server fields, whatever the client sends', async () => {
    const claimed = {
      uid: 'mine',
      generation: 7,
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
    };
    const { status, body } = await client.post(widgets, { ...widget('a', {}, claimed), status: { phase: 'X' } });
    expect(status).toBe(201);
    expect(body.metadata).toMatchObject({ name: 'a', namespace: 'default', generation: 1 });
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
    expect(Date.parse(body.metadata.creationTimestamp!)).toBeGreaterThan(Date.UTC(2020));
    expect(body.metadata.deletionTimestamp).toBeUndefined();
    expect(body.spec).toEqual({ replicas: 1 });
    expect(body.status).toBeUndefined();
  });

  it('generates names from a prefix', async () => {
    const prefix = { name: undefined, generateName: 'made-' };
    const names = await Promise.all(
      [1, 2, 3].map(async () => (await client.post(widgets, widget('', {}, prefix))).body.metadata.name),
    );
    for (const name of names) expect(name).toMatch(/^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(new Set(names).size).toBe(3);
  });

  it('stores nothing in a dry run', async () => {
    expect((await client.post(`${widgets}?dryRun=All`, widget('a'))).status).toBe(201);
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
  });

  it.each([
    { rule: 'Strict rejects', mode: 'Strict', status: 400, warnings: null },
    {
      rule: 'Warn warns about',
      mode: 'Warn',
      status: 201,
      warnings: '299 - "unknown field \\"spec.x\\"", 299 - "unknown field \\"spec.y\\""',
    },
    { rule: 'Ignore accepts', mode: 'Ignore', status: 201, warnings: null },
  ])('$rule unknown fields', async ({ mode, status, warnings }) => {
    const answer = await client.post(`${widgets}?fieldValidation=${mode}`, widget('a', { y: 1, x: 1 }));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('warning')).toBe(warnings);
    if (status === 400)
      expect(answer.body.message).toBe(
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.x", unknown field "spec.y"',
      );
  });

  it.each([
    { rule: 'an existing name', path: widgets, body: widget('taken'), status: 409, reason: 'AlreadyExists' },
    {
      rule: 'a missing namespace',
      path: '/apis/example.com/v1/namespaces/no/widgets',
      body: widget('a'),
      status: 404,
      reason: 'NotFound',
    },
    {
      rule: 'another namespace',
      path: widgets,
      body: widget('a', {}, { namespace: 'other' }),
      status: 400,
      reason: 'BadRequest',
    },
    {
      rule: 'another version',
      path: widgets,
      body: { ...widget('a'), apiVersion: 'example.com/v9' },
      status: 400,
      reason: 'BadRequest',
    },
    { rule: 'another kind', path: widgets, body: { ...widget('a'), kind: 'Gadget' }, status: 422, reason: 'Invalid' },
    { rule: 'no name', path: widgets, body: widget(''), status: 422, reason: 'Invalid' },
    { rule: 'a name in upper case', path: widgets, body: widget('A'), status: 422, reason: 'Invalid' },
    {
      rule: 'labels of a wrong type',
      path: widgets,
      body: widget('a', {}, { labels: { a: 1 } }),
      status: 400,
      reason: 'BadRequest',
    },
    {
      rule: 'too many annotations',
      path: widgets,
      body: widget('a', {}, { annotations: { a: 'x'.repeat(262_145) } }),
      status: 422,
      reason: 'Invalid',
    },
    { rule: 'malformed JSON', path: widgets, body: '{"a":', status: 400, reason: 'BadRequest' },
    { rule: 'a list', path: widgets, body: '[]', status: 400, reason: 'BadRequest' },
    { rule: 'an empty body', path: widgets, body: '', status: 400, reason: 'BadRequest' },
    {
      rule: 'excessive nesting',
      path: widgets,
      body: `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
      status: 400,
      reason: 'BadRequest',
    },
    {
      rule: 'more than 3 MiB',
      path: configMaps,
      body: configMap('a', { a: 'x'.repeat(3_200_000) }),
      status: 413,
      reason: 'RequestEntityTooLarge',
    },
    {
      rule: 'data over 1 MiB',
      path: configMaps,
      body: configMap('a', { a: 'x'.repeat(1_048_577) }),
      status: 422,
      reason: 'Invalid',
    },
  ])('rejects $rule', async ({ path, body, status, reason }) => {
    await client.post(widgets, widget('taken'));
    const answer = await client.post(path, body);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code: status, reason });
    expect(answer.status).toBe(status);
    expect((await client.get(widgets)).body.items.map(({ metadata }) => metadata.name)).toEqual(['taken']);
  });

  it.each([
    {
      rule: 'YAML',
      type: 'application/yaml',
      body: 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {replicas: 2}\n',
      status: 201,
    },
    { rule: 'broken YAML', type: 'application/yaml', body: 'a: [', status: 400 },
    {
      rule: 'YAML that expands',
      type: 'application/yaml',
      body: `a: &a [x,x]\nb: &b [${'*a,'.repeat(200)}*a]\nc: [${'*b,'.repeat(200)}*b]\n`,
      status: 400,
    },
    { rule: 'text', type: 'text/plain', body: 'x', status: 415 },
  ])('responds to $rule with $status', async ({ type, body, status }) => {
    expect((await client.post(widgets, body, { 'content-type': type })).status).toBe(status);
  });

  it.each([
    { of: 'a custom resource', at: widgets, object: (metadata: object) => widget('a', {}, metadata) },
    { of: 'a built-in kind', at: configMaps, object: (metadata: object) => configMap('a', {}, metadata) },
  ])('treats a null in the metadata of $of as empty', async ({ at, object }) => {
    const labelled = await client.post(
      at,
      object({ labels: { a: null }, annotations: { b: null }, generateName: null }),
    );
    expect(labelled.body.metadata).toMatchObject({ labels: { a: '' }, annotations: { b: '' } });
    expect((await client.get(`${at}?labelSelector=a%3D`)).body.items).toHaveLength(1);
    for (const metadata of [{ finalizers: [null] }, { ownerReferences: [null] }])
      expect((await client.post(at, object(metadata))).body).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  it('keeps times of day and dates in YAML as strings', async () => {
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {at: 12:30, on: 2026-01-02, in: .}\n';
    await client.post(configMaps, body, { 'content-type': 'application/yaml' });
    expect((await client.get(`${configMaps}/a`)).body.data).toEqual({ at: '12:30', true: '2026-01-02', in: '.' });
  });

  it('reports a repeated field in YAML', async () => {
    const body = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  replicas: 2\n  replicas: 3\n';
    const post = (mode: string) =>
      client.post(`${widgets}?fieldValidation=${mode}`, body, { 'content-type': 'application/yaml' });
    expect((await post('Strict')).body.message).toMatch(
      /: strict decoding error: yaml: unmarshal errors:\n {2}line 6: key "replicas" already set in map$/,
    );
    const answer = await post('Warn');
    expect(answer.headers.get('warning')).toBe('299 - "line 6: key \\"replicas\\" already set in map"');
    expect(answer.body.spec.replicas).toBe(3);
  });

  it('reports repeated fields of an applied configuration, wherever their values stand', async () => {
    const body =
      'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a, name: a}\nspec:\n  replicas: 2\nspec:\n  replicas: 3\n';
    const apply = (mode: string) => client.apply(`${widgets}/a?fieldManager=x&fieldValidation=${mode}`, body);
    expect((await apply('Strict')).body).toMatchObject({
      code: 400,
      message:
        'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 3: key "name" already set in map\n  line 7: key "spec" already set in map',
    });
    const answer = await apply('Warn');
    expect(answer.headers.get('warning')).toBe(
      '299 - "line 3: key \\"name\\" already set in map", 299 - "line 7: key \\"spec\\" already set in map"',
    );
    expect(answer.body.spec.replicas).toBe(3);
  });

  it('treats a body without a content type as JSON', async () => {
    const answer = await client.post(widgets, widget('a'), { 'content-type': '' });
    expect(answer.status).toBe(201);
  });

  it('keeps __proto__ as data in free-form fields, and drops it elsewhere', async () => {
    const body =
      '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"__proto__":{"polluted":1},"settings":{"__proto__":{"polluted":2}}}}';
    expect((await client.post(widgets, body)).status).toBe(201);
    const { text } = await client.get(`${widgets}/a`);
    expect(text).toContain('"settings":{"__proto__":{"polluted":2}}');
    expect(text).not.toContain('"polluted":1');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('update', () => {
  const created = async (spec: object = { replicas: 1 }, metadata: object = {}) =>
    (await client.post(widgets, widget('a', spec, metadata))).body;

  it('increments the generation for the spec only', async () => {
    const object = await created();
    const labelled = await client.patch(`${widgets}/a`, 'merge', { metadata: { labels: { x: 'y' } } });
    expect(labelled.body.metadata.generation).toBe(1);
    const scaled = await client.patch(`${widgets}/a`, 'merge', { spec: { replicas: 5 } });
    expect(scaled.body.metadata.generation).toBe(2);
    const reported = await client.patch(`${widgets}/a/status`, 'merge', { status: { phase: 'X' } });
    expect(reported.body.metadata.generation).toBe(2);
    expect(reported.body.metadata.uid).toBe(object.metadata.uid);
  });

  it('of the object keeps its status, and vice versa', async () => {
    await created();
    await client.patch(`${widgets}/a/status`, 'merge', {
      status: { phase: 'X' },
      spec: { replicas: 9 },
      metadata: { labels: { l: 'l' } },
    });
    const { body } = await client.patch(`${widgets}/a`, 'merge', { status: { phase: 'Y' }, spec: { size: 'small' } });
    expect(body.spec).toEqual({ replicas: 1, size: 'small' });
    expect(body.status).toEqual({ phase: 'X' });
    expect(body.metadata.labels).toBeUndefined();
  });

  it('without a change writes nothing', async () => {
    const { metadata } = await created();
    const answers = [
      await client.patch(`${widgets}/a`, 'merge', {}),
      await client.patch(`${widgets}/a`, 'merge', { spec: { replicas: 1 } }),
      await client.patch(`${widgets}/a/status`, 'merge', { status: null }),
      await client.put(`${widgets}/a`, (await client.get(`${widgets}/a`)).body),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body.metadata.resourceVersion).toBe(metadata.resourceVersion);
    }
  });

  const nine = { spec: { replicas: 9 } };
  const named = { status: { phase: 'X' } };
  interface Thought {
    rule: string;
    path: string;
    write: (at: string, object: Body) => Promise<Answer>;
    answer: object;
  }
  it.each<Thought>([
    { rule: 'a merge patch', path: '', write: (at) => client.patch(at, 'merge', nine), answer: nine },
    {
      rule: 'a JSON patch',
      path: '',
      write: (at) => client.patch(at, 'json', [{ op: 'replace', path: '/spec/replicas', value: 9 }]),
      answer: nine,
    },
    { rule: 'a patch of its status', path: '/status', write: (at) => client.patch(at, 'merge', named), answer: named },
    { rule: 'a patch of its scale', path: '/scale', write: (at) => client.patch(at, 'merge', nine), answer: nine },
    { rule: 'a PUT', path: '', write: (at, object) => client.put(at, { ...object, ...nine }), answer: nine },
    {
      rule: 'a PUT of its status',
      path: '/status',
      write: (at, object) => client.put(at, { ...object, ...named }),
      answer: named,
    },
    {
      rule: 'a PUT of its scale',
      path: '/scale',
      write: (at) => client.put(at, { metadata: { name: 'a' }, ...nine }),
      answer: nine,
    },
  ])('in a dry run returns the result of $rule, and writes nothing', async ({ path, write, answer }) => {
    const object = await created();
    const { status, body } = await write(`${widgets}/a${path}?dryRun=All`, object);
    expect(status).toBe(200);
    expect(body).toMatchObject(answer);
    expect((await client.get(`${widgets}/a`)).body).toEqual(object);
  });

  it('never changes fields that the server set', async () => {
    const { metadata } = await created();
    const stolen = { creationTimestamp: '2001-01-01T00:00:00Z', generation: 99, deletionGracePeriodSeconds: 5 };
    const { body } = await client.patch(`${widgets}/a`, 'merge', { metadata: stolen });
    expect(body.metadata).toEqual(metadata);
    expect((await client.patch(`${widgets}/a`, 'merge', { metadata: { uid: null } })).body.metadata).toEqual(metadata);
  });

  it('never changes the deletion timestamp', async () => {
    await client.post(widgets, widget('a', {}, { finalizers: ['example.com/one'] }));
    const { metadata } = (await client.delete(`${widgets}/a`)).body;
    const later = { deletionTimestamp: '2101-01-01T00:00:00Z', labels: { a: 'b' } };
    const { body } = await client.patch(`${widgets}/a`, 'merge', { metadata: later });
    expect(body.metadata).toMatchObject({ deletionTimestamp: metadata.deletionTimestamp, labels: { a: 'b' } });
  });

  it.each([
    { rule: 'a stale resourceVersion', change: { resourceVersion: '1' }, status: 409, reason: 'Conflict' },
    { rule: 'no resourceVersion', change: { resourceVersion: undefined }, status: 422, reason: 'Invalid' },
    { rule: 'another UID', change: { uid: 'x' }, status: 409, reason: 'Conflict' },
    { rule: 'another name', change: { name: 'b' }, status: 400, reason: 'BadRequest' },
    { rule: 'another namespace', change: { namespace: 'b' }, status: 400, reason: 'BadRequest' },
  ])('by PUT is rejected with $rule', async ({ change, status, reason }) => {
    const object = await created();
    const answer = await client.put(`${widgets}/a`, {
      ...object,
      metadata: { ...object.metadata, ...change },
      spec: { replicas: 3 },
    });
    expect(answer.body).toMatchObject({ code: status, reason });
    expect((await client.get(`${widgets}/a`)).body).toEqual(object);
  });

  it('by PUT needs no resourceVersion for built-in kinds', async () => {
    await client.post(configMaps, configMap('a', { x: '1' }));
    expect((await client.put(`${configMaps}/a`, configMap('a', { x: '2' }))).body.data).toEqual({ x: '2' });
    expect((await client.put(`${configMaps}/new`, configMap('new'))).status).toBe(404);
  });

  it.each([
    { rule: 'a failed test', type: 'json', body: [{ op: 'test', path: '/spec/replicas', value: 9 }], status: 422 },
    { rule: 'malformed JSON', type: 'merge', body: '{', status: 400 },
    { rule: 'a list as a merge patch', type: 'merge', body: [], status: 400 },
    { rule: 'a stale resourceVersion', type: 'merge', body: { metadata: { resourceVersion: '1' } }, status: 409 },
    { rule: 'another name', type: 'merge', body: { metadata: { name: 'b' } }, status: 400 },
    { rule: 'another UID', type: 'merge', body: { metadata: { uid: 'b' } }, status: 422 },
    { rule: 'another kind', type: 'merge', body: { kind: 'B' }, status: 422 },
    { rule: 'a wrong type', type: 'merge', body: { spec: { replicas: 'x' } }, status: 422 },
    { rule: 'a change of an immutable field', type: 'merge', body: { spec: { id: 'other' } }, status: 422 },
    { rule: 'a strategic patch of a custom resource', type: 'strategic', body: {}, status: 415 },
    {
      rule: 'a deletion timestamp',
      type: 'merge',
      body: { metadata: { deletionTimestamp: '2001-01-01T00:00:00Z' } },
      status: 422,
    },
    { rule: 'an invalid timestamp', type: 'merge', body: { metadata: { deletionTimestamp: 'soon' } }, status: 422 },
  ] as const)('by PATCH is rejected with $rule', async ({ type, body, status }) => {
    const object = await created({ id: 'one' });
    const answer = await client.patch(`${widgets}/a`, type, body);
    expect(answer.body).toMatchObject({ kind: 'Status', code: status });
    expect((await client.get(`${widgets}/a`)).body).toEqual(object);
  });

  it('loses no concurrent update', async () => {
    await client.post(configMaps, configMap('a'));
    const patches = Array.from({ length: 20 }, (_, i) =>
      client.patch(`${configMaps}/a`, 'merge', { data: { [`k${i}`]: 'v' } }),
    );
    const answers = await Promise.all(patches);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(Object.keys((await client.get(`${configMaps}/a`)).body.data)).toHaveLength(20);
  });

  it('through /scale changes replicas under the rules of the object', async () => {
    await created({ replicas: 2 });
    const read = await client.get(`${widgets}/a/scale`);
    expect(read.body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { replicas: 0 },
    });
    expect((await client.patch(`${widgets}/a/scale`, 'merge', { spec: { replicas: 4 } })).body.spec).toEqual({
      replicas: 4,
    });
    expect(
      (
        await client.send(
          'PUT',
          `${widgets}/a/scale`,
          { metadata: { name: 'a' }, spec: { replicas: 5 } },
          { 'content-type': '' },
        )
      ).status,
    ).toBe(200);
    expect((await client.patch(`${widgets}/a/scale`, 'merge', { spec: { replicas: -1 } })).status).toBe(422);
    expect((await client.patch(`${widgets}/a/scale`, 'merge', { spec: { replicas: 'x' } })).status).toBe(422);
    expect(
      (await client.patch(`${widgets}/a/scale`, 'merge', { metadata: { resourceVersion: '1' }, spec: { replicas: 1 } }))
        .status,
    ).toBe(409);
    expect((await client.get(`${widgets}/a`)).body).toMatchObject({
      spec: { replicas: 5 },
      metadata: { generation: 3 },
    });
  });
});

describe('the scale subresource', () => {
  it('names its target, and the selector of its pods', async () => {
    const { body } = await client.post(widgets, widget('a', { replicas: 2 }));
    await client.patch(`${widgets}/a/status`, 'merge', { status: { replicas: 1, selector: 'of=a' } });
    const scale = (await client.get(`${widgets}/a/scale`)).body;
    const { name, namespace, uid, creationTimestamp } = body.metadata;
    expect(scale.metadata).toEqual({
      name,
      namespace,
      uid,
      creationTimestamp,
      resourceVersion: (await client.get(`${widgets}/a`)).body.metadata.resourceVersion,
    });
    expect(scale.status).toEqual({ replicas: 1, selector: 'of=a' });
  });

  it.each([
    { rule: 'another name', metadata: { name: 'b' }, spec: { replicas: 3 }, status: 400 },
    { rule: 'another UID', metadata: { name: 'a', uid: 'x' }, spec: { replicas: 3 }, status: 409 },
    {
      rule: 'an older resourceVersion',
      metadata: { name: 'a', resourceVersion: '1' },
      spec: { replicas: 3 },
      status: 409,
    },
    { rule: 'a fractional count', metadata: { name: 'a' }, spec: { replicas: 1.5 }, status: 400 },
    { rule: 'no name', spec: { replicas: 3 }, status: 400 },
    { rule: 'an empty body', status: 400 },
    { rule: 'another kind', ...widget('a'), status: 400 },
  ])('rejects $rule', async ({ rule: _, status, ...body }) => {
    await client.post(widgets, widget('a', { replicas: 2 }));
    expect((await client.put(`${widgets}/a/scale`, body)).body).toMatchObject({ code: status });
    expect((await client.get(`${widgets}/a`)).body.spec.replicas).toBe(2);
  });

  it('reports unknown fields of a Scale, and accepts it as protobuf', async () => {
    await client.post(widgets, widget('a', { replicas: 2 }));
    const typo = { spec: { replica: 5 } };
    expect((await client.patch(`${widgets}/a/scale?fieldValidation=Strict`, 'merge', typo)).status).toBe(422);
    const { headers } = await client.patch(`${widgets}/a/scale`, 'merge', typo);
    expect(headers.get('warning')).toBe('299 - "unknown field \\"spec.replica\\""');
    const field = (number: number, bytes: Uint8Array | string) =>
      Buffer.concat([Buffer.from([(number << 3) | 2, Buffer.byteLength(bytes)]), Buffer.from(bytes)]);
    const typeMeta = Buffer.concat([field(1, 'autoscaling/v1'), field(2, 'Scale')]);
    const message = Buffer.concat([field(1, field(1, 'a')), field(2, Buffer.from([1 << 3, 7]))]);
    const bytes = Buffer.concat([Buffer.from('k8s\0'), field(1, typeMeta), field(2, message)]);
    const type = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    expect((await client.send('PUT', `${widgets}/a/scale`, bytes, type)).body.spec).toEqual({ replicas: 7 });
  });

  it('of a missing object, or of a kind without one, is not found', async () => {
    expect((await client.get(`${widgets}/none/scale`)).status).toBe(404);
    expect((await client.put(`${widgets}/none/scale`, { metadata: { name: 'none' }, spec: {} })).status).toBe(404);
    await client.post(configMaps, configMap('a'));
    expect((await client.get(`${configMaps}/a/scale`)).status).toBe(404);
    expect((await client.put(`${configMaps}/a/scale`, { spec: { replicas: 1 } })).status).toBe(404);
  });
});

describe('request options', () => {
  it.each([
    { rule: 'an unknown dryRun value', query: 'dryRun=Some', field: 'dryRun' },
    { rule: 'an unknown fieldValidation value', query: 'fieldValidation=Maybe', field: 'fieldValidation' },
    { rule: 'force without server-side apply', query: 'force=true', field: 'force' },
    { rule: 'a field manager that is too long', query: `fieldManager=${'x'.repeat(129)}`, field: 'fieldManager' },
  ])('reject $rule', async ({ query, field }) => {
    await client.post(widgets, widget('a'));
    const before = (await client.get(`${widgets}/a`)).body;
    const answers = [
      await client.post(`${widgets}?${query}`, widget('b')),
      await client.put(`${widgets}/a?${query}`, { ...before, spec: { replicas: 7 } }),
      await client.patch(`${widgets}/a?${query}`, 'merge', { spec: { replicas: 7 } }),
      ...(field === 'dryRun' ? [await client.delete(`${widgets}/a?${query}`)] : []),
    ];
    for (const { body } of answers) expect(body).toMatchObject({ code: 422, details: { causes: [{ field }] } });
    expect((await client.get(`${widgets}/a`)).body).toEqual(before);
    expect((await client.get(`${widgets}/b`)).status).toBe(404);
  });

  it('are ignored when empty', async () => {
    expect((await client.post(`${widgets}?dryRun=&force=&fieldManager=`, widget('a'))).status).toBe(201);
    expect((await client.delete(`${widgets}/a?dryRun=`)).status).toBe(200);
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
  });

  it('of a deletecollection are applied per page', async () => {
    for (const name of ['a', 'b', 'c']) await client.post(widgets, widget(name));
    const first = await client.delete(`${widgets}?limit=2`);
    expect(first.body.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect((await client.get(widgets)).body.items.map(({ metadata }) => metadata.name)).toEqual(['c']);
    const next = encodeURIComponent(first.body.metadata.continue!);
    expect((await client.delete(`${widgets}?continue=${next}`)).body.items).toHaveLength(1);
    expect((await client.get(widgets)).body.items).toEqual([]);
  });
});

describe('metadata from a client', () => {
  it('keeps server fields, and accepts the others', async () => {
    const { body } = await client.post(widgets, widget('a'));
    const { uid, creationTimestamp, generation } = body.metadata;
    const { body: next } = await client.patch(`${widgets}/a`, 'merge', {
      metadata: { labels: { of: 'a' }, creationTimestamp: '2001-01-01T00:00:00Z', generation: 9, selfLink: '/x' },
    });
    expect(next.metadata).toMatchObject({ uid, creationTimestamp, generation, labels: { of: 'a' } });
    expect(next.metadata).not.toHaveProperty('selfLink');
  });

  it.each(['abc', '1x', 'x1'])('must not contain an invalid resourceVersion (%s)', async (resourceVersion) => {
    const { body } = await client.post(widgets, widget('a'));
    const changed = { ...body, metadata: { ...body.metadata, resourceVersion } };
    const answer = await client.put(`${widgets}/a`, changed);
    expect(answer.status).toBe(500);
    expect(answer.body.message).toContain('invalid syntax');
  });

  it('loses repeated owner references, with a warning', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'one' };
    const other = { ...owner, name: 'p', uid: 'two' };
    const { body, headers } = await client.post(widgets, widget('a', {}, { ownerReferences: [owner, other, owner] }));
    expect(body.metadata.ownerReferences).toEqual([owner, other]);
    expect(headers.get('warning')).toContain('duplicate UID(s) observed: one"');
  });

  it('must not contain an owner UID that is too long for the table', async () => {
    const owner = (length: number) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u'.repeat(length) });
    const refused = await client.post(widgets, widget('a', {}, { ownerReferences: [owner(254)] }));
    expect(refused.status).toBe(422);
    expect(refused.body.message).toContain('metadata.ownerReferences.uid: Too long: may not be more than 253 bytes');
    const taken = await client.post(widgets, widget('a'.repeat(253), {}, { ownerReferences: [owner(253)] }));
    expect(taken.status).toBe(201);
  });

  it.each(['post', 'put'] as const)('causes a warning for a finalizer without a domain (%s)', async (verb) => {
    const unusual = { finalizers: ['mine'] };
    const first = verb === 'post' ? undefined : (await client.post(widgets, widget('a'))).body;
    const answer = first
      ? await client.put(`${widgets}/a`, { ...first, metadata: { ...first.metadata, ...unusual } })
      : await client.post(widgets, widget('a', {}, unusual));
    expect(answer.headers.get('warning')).toContain('prefer a domain-qualified finalizer name');
  });
});

describe('delete', () => {
  it('removes an object without finalizers at once, and returns it', async () => {
    const { metadata } = (await client.post(widgets, widget('a'))).body;
    const { body } = await client.delete(`${widgets}/a`, { propagationPolicy: 'Background' });
    expect(body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'a', group: 'example.com', kind: 'widgets', uid: metadata.uid },
    });
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
    expect((await client.delete(`${widgets}/a`)).status).toBe(404);
  });

  it('waits for finalizers, and accepts no new ones meanwhile', async () => {
    await client.post(widgets, widget('a', {}, { finalizers: ['example.com/one'] }));
    const { body } = await client.delete(`${widgets}/a`);
    expect(body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      generation: 2,
      deletionTimestamp: expect.any(String),
    });
    expect((await client.delete(`${widgets}/a`)).body.metadata).toEqual(body.metadata);
    const more = await client.patch(`${widgets}/a`, 'merge', {
      metadata: { finalizers: ['example.com/one', 'example.com/two'] },
    });
    expect(more.body).toMatchObject({
      code: 422,
      message: expect.stringContaining('no new finalizers can be added if the object is being deleted'),
    });
    expect((await client.patch(`${widgets}/a`, 'merge', { metadata: { finalizers: null } })).status).toBe(200);
    expect((await client.get(`${widgets}/a`)).status).toBe(404);
  });

  it.each([
    { query: 'propagationPolicy=Foreground', finalizers: ['foregroundDeletion'] },
    { query: 'propagationPolicy=Orphan', finalizers: ['orphan'] },
    { query: 'orphanDependents=true', finalizers: ['orphan'] },
  ])('takes the propagation policy from its query ($query), unless it has a body', async ({ query, finalizers }) => {
    for (const name of ['a', 'b']) await client.post(widgets, widget(name));
    expect((await client.delete(`${widgets}/a?${query}`)).body.metadata.finalizers).toEqual(finalizers);
    await client.delete(`${widgets}/b?${query}`, { propagationPolicy: 'Background' });
    expect((await client.get(`${widgets}/b`)).status).toBe(404);
  });

  it.each([
    { rule: 'another UID', options: { preconditions: { uid: 'x' } }, status: 409 },
    { rule: 'an empty UID', options: { preconditions: { uid: '' } }, status: 409 },
    { rule: 'an empty resourceVersion', options: { preconditions: { resourceVersion: '' } }, status: 409 },
    { rule: 'malformed preconditions', options: { preconditions: 'x' }, status: 400 },
    { rule: 'a malformed dryRun', options: { dryRun: 'All' }, status: 400 },
    { rule: 'a malformed grace period', options: { gracePeriodSeconds: '0' }, status: 400 },
    { rule: 'another resourceVersion', options: { preconditions: { resourceVersion: '1' } }, status: 409 },
    { rule: 'an unknown policy', options: { propagationPolicy: 'Sideways' }, status: 422 },
    { rule: 'two policies', options: { propagationPolicy: 'Orphan', orphanDependents: true }, status: 422 },
    { rule: 'options of another kind', options: { kind: 'Widget' }, status: 400 },
    { rule: 'malformed options', options: '{', status: 400 },
  ])('rejects $rule', async ({ options, status }) => {
    await client.post(widgets, widget('a'));
    expect((await client.delete(`${widgets}/a`, options)).body).toMatchObject({ kind: 'Status', code: status });
    expect((await client.get(`${widgets}/a`)).status).toBe(200);
  });

  it('removes nothing in a dry run', async () => {
    await client.post(widgets, widget('a'));
    expect((await client.delete(`${widgets}/a?dryRun=All`)).body).toMatchObject({ status: 'Success' });
    expect((await client.get(`${widgets}/a`)).status).toBe(200);
  });

  it('of a collection removes the selected objects', async () => {
    for (const name of ['a', 'b', 'c'])
      await client.post(widgets, widget(name, {}, { labels: { go: name === 'c' ? 'no' : 'yes' } }));
    const { body } = await client.delete(`${widgets}?labelSelector=go%3Dyes`);
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect((await client.get(widgets)).body.items.map(({ metadata }) => metadata.name)).toEqual(['c']);
  });
});

describe('namespaces', () => {
  it('carry their name as a label, and a finalizer that only /finalize removes', async () => {
    const { body } = await client.post('/api/v1/namespaces', { metadata: { name: 'n' } });
    expect(body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'n' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    await client.patch('/api/v1/namespaces/n', 'merge', { spec: { finalizers: [] }, metadata: { labels: null } });
    expect((await client.get('/api/v1/namespaces/n')).body).toEqual(body);
  });

  it('refuse new content while terminating, and disappear with their finalizer', async () => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'n' } });
    expect((await client.delete('/api/v1/namespaces/n')).body.status).toEqual({ phase: 'Terminating' });
    const refused = await client.post('/api/v1/namespaces/n/configmaps', configMap('a'));
    expect(refused.body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      details: { causes: [{ reason: 'NamespaceTerminating' }] },
    });
    expect((await client.put('/api/v1/namespaces/n/finalize', { metadata: { name: 'n' }, spec: {} })).status).toBe(200);
    expect((await client.get('/api/v1/namespaces/n')).status).toBe(404);
  });

  it.each([
    { rule: 'in a dry run', query: '?dryRun=All', body: { metadata: { name: 'n' }, spec: {} }, status: 200 },
    { rule: 'under another name', query: '', body: { metadata: { name: 'other' }, spec: {} }, status: 400 },
    { rule: 'with an empty body', query: '', body: {}, status: 400 },
  ])('keep their finalizer when it is removed $rule', async ({ query, body, status }) => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'n' } });
    await client.delete('/api/v1/namespaces/n');
    expect((await client.put(`/api/v1/namespaces/n/finalize${query}`, body)).status).toBe(status);
    expect((await client.get('/api/v1/namespaces/n')).body.spec).toEqual({ finalizers: ['kubernetes'] });
  });

  it.each(['default', 'kube-system', 'kube-public'])('%s cannot be deleted', async (name) => {
    expect((await client.delete(`/api/v1/namespaces/${name}`)).body).toMatchObject({
      code: 403,
      message: expect.stringContaining('this namespace may not be deleted'),
    });
  });
});

describe('secrets', () => {
  const secrets = '/api/v1/namespaces/default/secrets';
  it('turn stringData into data, keep their type, and may be immutable', async () => {
    const { body } = await client.post(secrets, {
      metadata: { name: 's' },
      stringData: { a: 'b' },
      data: { c: 'ZA==' },
    });
    expect(body).toMatchObject({ type: 'Opaque', data: { a: 'Yg==', c: 'ZA==' } });
    expect(body).not.toHaveProperty('stringData');
    expect((await client.patch(`${secrets}/s`, 'merge', { type: 'x' })).body.message).toContain(
      'type: Invalid value: "x": field is immutable',
    );
    await client.patch(`${secrets}/s`, 'merge', { immutable: true });
    expect((await client.patch(`${secrets}/s`, 'strategic', { data: { a: null } })).body.message).toContain(
      'field is immutable when `immutable` is set',
    );
  });

  it('keep a key without a value', async () => {
    const { body } = await client.post(secrets, {
      metadata: { name: 's' },
      data: { a: null },
      stringData: { b: null },
    });
    expect(body.data).toEqual({ a: '', b: '' });
  });

  it.each([
    { rule: 'data that is not base64', body: { data: { a: '!' } }, status: 400 },
    { rule: 'invalid keys', body: { data: { 'a b': '' } }, status: 422 },
    { rule: 'TLS without its keys', body: { type: 'kubernetes.io/tls', data: {} }, status: 422 },
  ])('reject $rule', async ({ body, status }) => {
    expect((await client.post(secrets, { metadata: { name: 's' }, ...body })).body.code).toBe(status);
  });

  it('are accepted as protobuf', async () => {
    const field = (number: number, bytes: Uint8Array | string) => {
      const content = Buffer.from(bytes);
      return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
    };
    const pair = (key: string, value: string) => Buffer.concat([field(1, key), field(2, value)]);
    const message = Buffer.concat([
      field(1, field(1, 'pb')),
      field(2, pair('a', 'b')),
      field(3, 'Opaque'),
      field(4, pair('c', 'd')),
    ]);
    const typeMeta = Buffer.concat([field(1, 'v1'), field(2, 'Secret')]);
    const bytes = Buffer.concat([Buffer.from('k8s\0'), field(1, typeMeta), field(2, message)]);
    const protobuf = {
      'content-type': 'application/vnd.kubernetes.protobuf',
      accept: 'application/vnd.kubernetes.protobuf,application/json',
    };
    const { status, body } = await client.post(secrets, bytes, protobuf);
    expect(status).toBe(201);
    expect(body).toMatchObject({ metadata: { name: 'pb' }, data: { a: 'Yg==', c: 'ZA==' }, type: 'Opaque' });
    expect((await client.post(secrets, bytes.subarray(0, 20), protobuf)).status).toBe(400);
    expect((await client.post(secrets, Buffer.from('nonsense'), protobuf)).status).toBe(400);
    expect((await client.post(widgets, bytes, protobuf)).status).toBe(415);
  });
});

it('rejects a request without a token', async () => {
  const { server } = await createTestServer();
  for (const authorization of ['', 'Bearer wrong', `Basic ${token}`]) {
    const unauthenticated = clientOf(server, authorization);
    expect((await unauthenticated.get(widgets)).body).toMatchObject({
      kind: 'Status',
      code: 401,
      reason: 'Unauthorized',
    });
    expect((await unauthenticated.get('/apis')).status).toBe(401);
    expect((await unauthenticated.get('/readyz')).status).toBe(200);
  }
});

describe('a request that was suspended beyond any timeout', () => {
  /** A server that suspends each write for this long once enabled. */
  const sleepy = async () => {
    let asleep = 0;
    let passed = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + passed };
    const { server } = await createTestServer(clock, {
      authorize: () => {
        passed += asleep;
        return { allowed: true, reason: '' };
      },
    });
    return {
      client: clientOf(server),
      sleep: (ms: number) => {
        asleep = ms;
      },
    };
  };

  it.each<{ verb: string; send: (client: Client) => Promise<Answer> }>([
    { verb: 'create', send: ({ post }) => post(widgets, widget('b')) },
    { verb: 'patch', send: ({ patch }) => patch(`${widgets}/a`, 'merge', { spec: { replicas: 2 } }) },
    { verb: 'delete', send: (client) => client.delete(`${widgets}/a`) },
  ])('does not $verb', async ({ send }) => {
    const { client, sleep } = await sleepy();
    await client.post(widgets, widget('a'));
    const before = await client.get(widgets);
    sleep(61_000);
    expect(await send(client)).toMatchObject({ status: 504, body: { kind: 'Status', reason: 'Timeout' } });
    sleep(0);
    expect((await client.get(widgets)).body).toEqual(before.body);
  });

  it('is executed within a minute', async () => {
    const { client, sleep } = await sleepy();
    sleep(59_000);
    expect((await client.post(widgets, widget('a'))).status).toBe(201);
  });
});

describe('a namespace in the metadata of a cluster-scoped object', () => {
  const namespaces = '/api/v1/namespaces';
  const team = (metadata: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team', namespace: 'elsewhere', ...metadata },
  });
  const write = {
    POST: () => client.post(namespaces, team()),
    PUT: async () => {
      const { body } = await client.post(namespaces, team());
      return client.put(`${namespaces}/team`, { ...body, ...team({ labels: { a: 'b' } }) });
    },
    'merge patch': async () => {
      await client.post(namespaces, team());
      return client.patch(`${namespaces}/team`, 'merge', { metadata: { namespace: 'elsewhere', labels: { a: 'b' } } });
    },
    'JSON patch': async () => {
      await client.post(namespaces, team());
      return client.patch(`${namespaces}/team`, 'json', [
        { op: 'add', path: '/metadata/namespace', value: 'elsewhere' },
      ]);
    },
  };
  it.each(Object.keys(write) as (keyof typeof write)[])('is cleared by %s', async (verb) => {
    const { body, status } = await write[verb]();
    expect(status).toBe(verb === 'POST' ? 201 : 200);
    expect(body.metadata.namespace).toBeUndefined();
    expect((await client.get(`${namespaces}/team`)).body.metadata.namespace).toBeUndefined();
    expect((await client.get('/api/v1/namespaces/elsewhere')).status).toBe(404);
  });
});
