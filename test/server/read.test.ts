import { beforeEach, describe, expect, it } from 'vitest';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { type Client, clientOf, configMap, configMaps, widget, widgets } from './client.ts';
import { createTestServer } from './world.ts';

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
let client: Client;
beforeEach(async () => {
  client = clientOf((await createTestServer()).server);
});
const names = async (query: string) =>
  (await client.get(`${widgets}${query}`)).body.items.map(({ metadata }) => metadata.name);

describe('a list', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c', 'd'])
      await client.post(widgets, widget(name, {}, { labels: { name, odd: String(name === 'a' || name === 'c') } }));
  });

  it.each([
    ['', ['a', 'b', 'c', 'd']],
    ['?labelSelector=odd%3Dtrue', ['a', 'c']],
    ['?labelSelector=name+in+(a,b),odd!%3Dtrue', ['b']],
    ['?labelSelector=!nothing', ['a', 'b', 'c', 'd']],
    ['?fieldSelector=metadata.name%3Db', ['b']],
    ['?fieldSelector=metadata.name!%3Db,metadata.namespace%3Ddefault', ['a', 'c', 'd']],
    ['?resourceVersion=0', ['a', 'b', 'c', 'd']],
  ])('%s selects', async (query, expected) => expect(await names(query)).toEqual(expected));

  it('across namespaces contains all objects', async () => {
    await client.post('/apis/example.com/v1/namespaces/kube-system/widgets', widget('e'));
    const { body } = await client.get('/apis/example.com/v1/widgets');
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('has pages of one snapshot, whatever changes meanwhile', async () => {
    const first = (await client.get(`${widgets}?limit=3`)).body;
    expect(first.items).toHaveLength(3);
    expect(first.metadata.remainingItemCount).toBe(1);
    expect((await client.get(`${widgets}?limit=3`, table)).body.metadata.remainingItemCount).toBe(1);
    await client.delete(`${widgets}/d`);
    await client.post(widgets, widget('z'));
    const second = (await client.get(`${widgets}?limit=3&continue=${encodeURIComponent(first.metadata.continue!)}`))
      .body;
    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['d']);
    expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  });

  it('accepts only its own continue token', async () => {
    const { metadata } = (await client.get(`${widgets}?limit=1`)).body;
    const all = '/apis/example.com/v1/widgets';
    for (const other of [configMaps, all])
      expect((await client.get(`${other}?continue=${metadata.continue}`)).body.code).toBe(410);
    expect((await client.get(`${widgets}?continue=${metadata.continue}`)).status).toBe(200);
  });

  it('that has expired returns a token for the current objects, as Kubernetes does', async () => {
    const clock = virtualClock(Date.UTC(2026, 0, 1));
    const { get, post, delete: remove } = clientOf((await createTestServer(clock)).server);
    for (const name of ['a', 'b', 'c']) await post(widgets, widget(name));
    const first = (await get(`${widgets}?limit=1`)).body;
    await remove(`${widgets}/b`);
    await clock.advance(6 * 60_000);
    const expired = await get(`${widgets}?limit=1&continue=${first.metadata.continue}`);
    expect(expired.status).toBe(410);
    expect(expired.body).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 });
    const rest = (await get(`${widgets}?continue=${expired.body.metadata.continue}`)).body;
    expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['c']);
  });

  it('fills its pages when a selector drops most objects', async () => {
    const first = (await client.get(`${widgets}?limit=1&labelSelector=odd%3Dtrue`)).body;
    expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(first.metadata.remainingItemCount).toBeUndefined();
    const second = (
      await client.get(
        `${widgets}?limit=1&labelSelector=odd%3Dtrue&continue=${encodeURIComponent(first.metadata.continue!)}`,
      )
    ).body;
    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['c']);
  });

  it.each([
    { rule: 'an invalid continue token', query: '?continue=nonsense', status: 400 },
    { rule: 'an invalid label selector', query: '?labelSelector=a%20b', status: 400 },
    { rule: 'an unsupported field selector', query: '?fieldSelector=spec.size%3Dx', status: 400 },
    { rule: 'an invalid limit', query: '?limit=x', status: 400 },
    { rule: 'an invalid resourceVersion', query: '?resourceVersion=x', status: 400 },
    { rule: 'a future resourceVersion', query: '?resourceVersion=900000000000000', status: 504 },
    { rule: 'an expired exact resourceVersion', query: '?resourceVersion=1&resourceVersionMatch=Exact', status: 410 },
    { rule: 'a resourceVersionMatch without a resourceVersion', query: '?resourceVersionMatch=Exact', status: 422 },
    { rule: 'an unknown resourceVersionMatch', query: '?resourceVersion=1&resourceVersionMatch=Near', status: 422 },
    { rule: 'an exact resourceVersion of 0', query: '?resourceVersion=0&resourceVersionMatch=Exact', status: 422 },
    {
      rule: 'a resourceVersionMatch with a continue token',
      query: '?continue=x&resourceVersion=1&resourceVersionMatch=Exact',
      status: 422,
    },
    { rule: 'a streamed list', query: '?sendInitialEvents=true', status: 422 },
  ])('rejects $rule with $status', async ({ query, status }) => {
    const answer = await client.get(`${widgets}${query}`);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
  });
});

describe('a response', () => {
  beforeEach(() => client.post(widgets, widget('a', { replicas: 2, size: 'small' })));

  it('as a Table has the columns of its kind', async () => {
    const { body } = await client.get(widgets, table);
    expect(body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      rows: [
        { cells: ['a', 2, null, 'small', expect.stringMatching(/^\d+s$/)], object: { kind: 'PartialObjectMetadata' } },
      ],
    });
    expect(body.columnDefinitions).toEqual([
      expect.objectContaining({ name: 'Name', format: 'name' }),
      expect.objectContaining({ name: 'Replicas', type: 'integer', priority: 0 }),
      expect.objectContaining({ name: 'Ready' }),
      expect.objectContaining({ name: 'Size', priority: 1 }),
      expect.objectContaining({ name: 'Age', type: 'date' }),
    ]);
    expect((await client.get(`${widgets}/a?includeObject=Object`, table)).body.rows[0]).toMatchObject({
      object: { spec: { size: 'small' } },
    });
  });

  it('as PartialObjectMetadata hides the rest, after an Accept that prefers protobuf', async () => {
    const accept =
      'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
    const { body } = await client.get(`${widgets}/a`, { accept });
    expect(Object.keys(body).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(body).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
  });

  it.each([
    { accept: '*/*', type: 'application/json', status: 200 },
    { accept: 'application/yaml', type: 'application/yaml', status: 200 },
    { accept: 'application/vnd.kubernetes.protobuf, */*', type: 'application/json', status: 200 },
    { accept: 'application/json;q=0.1,application/yaml', type: 'application/yaml', status: 200 },
    { accept: 'text/html', type: 'application/json', status: 406 },
  ])('for $accept is $type', async ({ accept, type, status }) => {
    const answer = await client.get(`${widgets}/a`, { accept });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe(type);
  });

  it('in another version is converted, with a deprecation warning', async () => {
    const answer = await client.get('/apis/example.com/v1beta1/namespaces/default/widgets/a');
    expect(answer.body).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: { count: 2, size: 'small' } });
    expect(answer.headers.get('warning')).toBe(
      '299 - "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"',
    );
  });

  it.each([
    ['/apis/example.com/v1/namespaces/default/widgets/b', 'widgets.example.com "b" not found'],
    ['/apis/example.com/v2/widgets', 'the server could not find the requested resource'],
    ['/apis/example.com/v1/gadgets', 'the server could not find the requested resource'],
    ['/apis/nothing.example.com/v1', 'the server could not find the requested resource'],
    ['/apis/example.com/v1/widgets/a', 'the server could not find the requested resource'],
    ['/nothing', 'the server could not find the requested resource'],
  ])('%s is not found', async (path, message) => {
    expect((await client.get(path)).body).toMatchObject({ kind: 'Status', code: 404, reason: 'NotFound', message });
  });
});

describe('discovery', () => {
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

  it('is not sent again to a client that has it', async () => {
    const { headers } = await client.get('/apis', { accept: aggregated });
    const etag = headers.get('etag')!;
    expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
    const again = await client.get('/apis', { accept: aggregated, 'if-none-match': etag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await client.get('/apis', { accept: aggregated, 'if-none-match': '"other"' })).status).toBe(200);
    expect((await client.get('/api', { accept: aggregated, 'if-none-match': etag })).status).toBe(200);
  });

  it('lists each resource with its verbs and subresources, in one response', async () => {
    const { headers, body } = await client.get('/apis', { accept: `${aggregated},application/json` });
    expect(headers.get('content-type')).toBe(aggregated);
    const group = body.items.find(({ metadata }) => metadata.name === 'example.com') as unknown as {
      versions: { version: string; resources: object[] }[];
    };
    expect(group.versions.map(({ version }) => version)).toEqual(['v1', 'v1beta1']);
    expect(group.versions[0]!.resources).toEqual([
      expect.objectContaining({
        resource: 'widgets',
        scope: 'Namespaced',
        singularResource: 'widget',
        shortNames: ['wd'],
        categories: ['cluster-api'],
        subresources: [
          expect.objectContaining({
            subresource: 'status',
            responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
          }),
          expect.objectContaining({
            subresource: 'scale',
            responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
          }),
        ],
      }),
    ]);
  });

  it('has its legacy form for older clients', async () => {
    expect((await client.get('/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const { body } = await client.get('/apis/example.com/v1');
    expect(body).toMatchObject({ kind: 'APIResourceList', groupVersion: 'example.com/v1' });
    const listed = (body as unknown as { resources: { name: string }[] }).resources.map(({ name }) => name);
    expect(listed).toEqual(['widgets', 'widgets/status', 'widgets/scale']);
  });

  it('changes with the registry', async () => {
    const { server, registry } = await createTestServer();
    const other = clientOf(server);
    const before = (await other.get('/openapi/v3')).text;
    registry.remove('example.com', 'widgets');
    expect((await other.get(widgets)).status).toBe(404);
    expect((await other.get('/apis/example.com')).status).toBe(404);
    expect((await other.get('/openapi/v3')).text).not.toBe(before);
    expect((await other.get('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')).body.items).toEqual([]);
  });

  it('publishes CRDs of its own kinds, which no client changes', async () => {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const { body } = await client.get(`${crds}/widgets.example.com`);
    expect(body).toMatchObject({
      spec: { scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget', listKind: 'WidgetList' } },
      status: { storedVersions: ['v1'] },
    });
    const { versions } = body.spec as { versions: { additionalPrinterColumns: object[] }[] };
    expect(versions[0]?.additionalPrinterColumns).toContainEqual(
      expect.objectContaining({ name: 'Size', priority: 1 }),
    );
    expect((await client.get(`${crds}?labelSelector=cluster.x-k8s.io/v1beta2`)).body.items).toHaveLength(1);
    expect((await client.delete(`${crds}/widgets.example.com`)).body).toMatchObject({ code: 403 });
    const changed = await client.patch(`${crds}/widgets.example.com`, 'merge', { spec: { scope: 'Cluster' } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('warning')).toContain('widgets.example.com is part of this server');
    expect(changed.body).toEqual(body);
  });
});

describe('OpenAPI', () => {
  it('gives each group version a document whose hash makes it cacheable forever', async () => {
    const { body } = await client.get('/openapi/v3');
    const { paths } = body as unknown as { paths: Record<string, { serverRelativeURL: string }> };
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['api/v1', 'apis/example.com/v1', 'apis/events.k8s.io/v1']),
    );
    const url = paths['apis/example.com/v1']!.serverRelativeURL;
    const answer = await client.get(url);
    expect(answer.headers.get('cache-control')).toContain('immutable');
    const document = answer.body as unknown as {
      paths: Record<string, Record<string, { parameters: { name: string }[] }>>;
      components: { schemas: Record<string, object> };
    };
    const patching = document.paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}']!.patch!;
    expect(patching).toMatchObject({
      'x-kubernetes-group-version-kind': { group: 'example.com', version: 'v1', kind: 'Widget' },
    });
    expect(patching.parameters.map(({ name }) => name)).toContain('fieldValidation');
    expect(document.components.schemas['com.example.v1.Widget']).toMatchObject({
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
    });
    const references = answer.text
      .match(/#\/components\/schemas\/[^"]+/g)!
      .map((reference) => reference.split('/').at(-1)!);
    for (const reference of references) expect(document.components.schemas).toHaveProperty([reference]);
    const etag = answer.headers.get('etag')!;
    expect((await client.get(url, { 'if-none-match': etag })).status).toBe(304);
  });
});

describe('reviews', () => {
  it('report the identity and permissions of the caller', async () => {
    const who = await client.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(who).toMatchObject({ status: 201, body: { status: { userInfo: { username: 'tester' } } } });
    const may = await client.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      spec: { resourceAttributes: { verb: 'get' } },
    });
    expect(may.body.status).toEqual({ allowed: true });
    const rules = await client.post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
      spec: { namespace: 'default' },
    });
    expect(rules.body.status).toMatchObject({ incomplete: false, resourceRules: [{ verbs: ['*'] }] });
    expect((await client.get('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')).status).toBe(405);
  });
});

describe('events', () => {
  it('are equal in both of their groups', async () => {
    const core = '/api/v1/namespaces/default/events';
    const own = '/apis/events.k8s.io/v1/namespaces/default/events';
    await client.post(core, {
      metadata: { name: 'old' },
      involvedObject: { namespace: 'default', name: 'x' },
      message: 'hello',
      reason: 'R',
      type: 'Normal',
    });
    expect((await client.get(`${own}/old`)).body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      note: 'hello',
      regarding: { name: 'x' },
    });
    const recent = {
      metadata: { name: 'new' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      type: 'Normal',
      reason: 'R',
      action: 'A',
      note: 'hi',
      reportingController: 'c',
      reportingInstance: 'i',
      regarding: { namespace: 'default', name: 'y' },
    };
    expect((await client.post(own, recent)).status).toBe(201);
    expect((await client.get(`${core}/new`)).body).toMatchObject({
      apiVersion: 'v1',
      message: 'hi',
      involvedObject: { name: 'y' },
      reportingComponent: 'c',
    });
    const found = await client.get(`${core}?fieldSelector=involvedObject.name%3Dy,type!%3DWarning`);
    expect(found.body.items.map(({ metadata }) => metadata.name)).toEqual(['new']);
    expect((await client.post(own, { metadata: { name: 'bad' } })).status).toBe(422);
  });
});

it('hides internal details of a server error, and keeps serving', async () => {
  const { server, registry, logged } = await createTestServer();
  const resource = (await registry.find('', 'configmaps'))!;
  registry.add({
    ...resource.kind,
    default: () => {
      throw new TypeError('secret detail');
    },
  });
  const other = clientOf(server);
  const failed = await other.post(configMaps, configMap('a'));
  expect(failed.body).toMatchObject({ code: 500, reason: 'InternalError' });
  expect(failed.text).not.toContain('secret detail');
  expect(logged).toEqual([expect.objectContaining({ message: 'Request failed', error: expect.any(TypeError) })]);
  expect((await other.get(configMaps)).status).toBe(200);
});
