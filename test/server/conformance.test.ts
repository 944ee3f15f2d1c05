/** Requirements of Kubernetes' own API conformance tests for any server. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Client, clientOf, configMap, configMaps, widgets } from './client.ts';
import { createTestServer } from './world.ts';

let client: Client;
beforeEach(async () => {
  client = clientOf((await createTestServer()).server);
});

describe('an Event of events.k8s.io', () => {
  const events = '/apis/events.k8s.io/v1/namespaces/default/events';
  const event = (name: string, more: object = {}) => ({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/test',
    reportingInstance: 'test-1',
    action: 'Try',
    reason: 'Tried',
    regarding: { kind: 'Widget', namespace: 'default', name: `widget-of-${name}` },
    type: 'Normal',
    ...more,
  });

  it.each([
    { rule: 'with the empty deprecated fields that Go clients always send', empty: true },
    { rule: 'without them', empty: false },
  ])('is accepted $rule', async ({ empty }) => {
    const deprecated = {
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
      deprecatedCount: 0,
    };
    expect((await client.post(events, event('a', empty ? deprecated : {}))).status).toBe(201);
  });

  it('is rejected with a deprecated source', async () => {
    const { status, body } = await client.post(events, event('a', { deprecatedSource: { component: 'x' } }));
    expect(status).toBe(422);
    expect(body.message).toContain('needs to be unset');
  });

  const select = (path: string, field: string) => client.get(`${path}?fieldSelector=${encodeURIComponent(field)}`);
  it.each([
    { field: 'regarding.name=widget-of-a', found: ['a'] },
    { field: 'regarding.kind=Widget,regarding.namespace=default', found: ['a', 'b'] },
    { field: 'reportingController=example.com/test,metadata.name=b', found: ['b'] },
    { field: 'reason!=Tried', found: [] },
    { field: 'type=Normal', found: ['a', 'b'] },
  ])('is selected by $field', async ({ field, found }) => {
    for (const name of ['a', 'b']) await client.post(events, event(name));
    const { body } = await select(events, field);
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(found);
  });

  it.each([
    { rule: 'its own group has no involvedObject', path: events, field: 'involvedObject.name=x' },
    { rule: 'its own group has no source', path: events, field: 'source=x' },
    { rule: 'the core group has no regarding', path: '/api/v1/events', field: 'regarding.name=x' },
  ])('does not accept the field names of the other group: $rule', async ({ path, field }) => {
    const { status, body } = await select(path, field);
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: `field label not supported: ${field.split('=')[0]}`,
    });
  });
});

describe('the status of a Namespace', () => {
  const path = '/api/v1/namespaces/default/status';
  const condition = { type: 'Tried', status: 'True', reason: 'Test', message: 'Tried by a test' };

  it('is patched together with its annotations', async () => {
    const patch = { metadata: { annotations: { tried: 'true' } }, status: { conditions: [condition] } };
    const { status, body } = await client.patch(path, 'strategic', patch);
    expect(status).toBe(200);
    expect(body.metadata.annotations).toEqual({ tried: 'true' });
    const stored = (await client.get('/api/v1/namespaces/default')).body;
    expect(stored.metadata.annotations).toEqual({ tried: 'true' });
    expect(stored.status).toMatchObject({ conditions: [condition] });
  });

  it('is replaced together with its labels, and without its spec', async () => {
    const { body } = await client.get('/api/v1/namespaces/default');
    const labels = { ...body.metadata.labels, tried: 'true' };
    const sent = { ...body, metadata: { ...body.metadata, labels }, spec: { finalizers: [] } };
    const answer = await client.put(path, { ...sent, status: { ...(body.status as object), conditions: [condition] } });
    expect(answer.status).toBe(200);
    expect(answer.body.metadata.labels).toEqual(labels);
    expect(answer.body.spec).toEqual(body.spec);
  });
});

it('writes the status of a custom resource without its metadata', async () => {
  await client.post(widgets, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: {} });
  const patch = { metadata: { annotations: { tried: 'true' } }, status: { phase: 'Tried' } };
  const { body } = await client.patch(`${widgets}/a/status`, 'merge', patch);
  expect(body.metadata.annotations).toBeUndefined();
  expect(body.status).toEqual({ phase: 'Tried' });
});

describe('a request with a timeout', () => {
  it.each([
    { timeout: 'invalid', message: 'time: invalid duration "invalid"' },
    { timeout: '5', message: 'time: missing unit in duration "5"' },
  ])('of $timeout is rejected', async ({ timeout, message }) => {
    const { status, body } = await client.get(`${configMaps}?timeout=${timeout}`);
    expect({ status, reason: body.reason, message: body.message }).toEqual({
      status: 400,
      reason: 'BadRequest',
      message: `invalid timeout specified in the request URL - ${message}`,
    });
  });

  it.each(['10s', '0s', '1h', '1m30s'])('of %s is executed', async (timeout) => {
    expect((await client.post(`${configMaps}?timeout=${timeout}`, configMap('a'))).status).toBe(201);
  });

  it('that has elapsed is not executed', async () => {
    const { status, body } = await client.post(`${configMaps}?timeout=-1s`, configMap('a'));
    expect({ status, reason: body.reason }).toEqual({ status: 504, reason: 'Timeout' });
    expect((await client.get(`${configMaps}/a`)).status).toBe(404);
  });

  it('that is invalid may watch, because a watch has its own timeout', async () => {
    const watch = await client.watch(`${configMaps}?watch=true&timeout=invalid`);
    watch.stop();
    expect(watch.status).toBe(200);
  });
});

it.each([
  ['authorization.k8s.io/v1/selfsubjectaccessreviews', 'SelfSubjectAccessReview'],
  ['authentication.k8s.io/v1/selfsubjectreviews', 'SelfSubjectReview'],
])('a review has no table: %s', async (path, kind) => {
  const apiVersion = path.split('/').slice(0, 2).join('/');
  const body = { apiVersion, kind, spec: { nonResourceAttributes: { verb: 'get', path: '/' } } };
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  expect((await client.post(`/apis/${path}`, body, { accept })).status).toBe(406);
  expect((await client.post(`/apis/${path}`, body, { accept: `${accept},application/json` })).status).toBe(201);
});

it('a review concerns its caller, whatever user its body names', async () => {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const body = { spec: { resourceAttributes: { user: 'other', verb: 'get', resource: 'pods' } } };
  const { status, body: answer } = await client.post(path, body);
  expect({ status, allowed: answer.status }).toEqual({ status: 201, allowed: { allowed: true } });
});

it('a null in a review or in options of a deletion is an absent field', async () => {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const spec = { nonResourceAttributes: null, resourceAttributes: { verb: 'get', resource: 'secrets', name: null } };
  expect((await client.post(path, { spec })).body.status).toMatchObject({ allowed: true });
  await client.post(configMaps, configMap('a'));
  const options = { propagationPolicy: null, gracePeriodSeconds: null, preconditions: { uid: null } };
  const { status, text } = await client.delete(`${configMaps}/a`, options);
  expect(status, text).toBe(200);
});

it('HEAD of a watch answers at once', async () => {
  const { status, text } = await client.send('HEAD', `${configMaps}?watch=true`);
  expect({ status, text }).toEqual({ status: 200, text: expect.any(String) });
});

it('OpenAPI v3 omits empty parameter lists', async () => {
  const { body } = await client.get('/openapi/v3/apis/example.com/v1');
  const { paths } = body as unknown as { paths: Record<string, { parameters?: unknown[] }> };
  expect(Object.keys(paths).length).toBeGreaterThan(3);
  expect(Object.entries(paths).filter(([, { parameters }]) => parameters?.length === 0)).toEqual([]);
});

describe('the health of the server', () => {
  const anonymous = async () => clientOf((await createTestServer()).server, '');
  it.each(['healthz', 'livez', 'readyz'])('%s is ok for all clients', async (path) => {
    const { status, text } = await (await anonymous()).get(`/${path}`);
    expect({ status, text }).toEqual({ status: 200, text: 'ok' });
  });

  it.each([
    { path: '/healthz?verbose', text: '[+]ping ok\n[+]store ok\nhealthz check passed\n' },
    { path: '/readyz?verbose=1', text: '[+]ping ok\n[+]store ok\nreadyz check passed\n' },
    { path: '/livez?verbose', text: '[+]ping ok\nlivez check passed\n' },
    {
      path: '/readyz?verbose&exclude=store',
      text: '[+]ping ok\n[+]store excluded: ok\nreadyz check passed\n',
    },
    {
      path: '/livez?verbose&exclude=other',
      text: '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "other"\nlivez check passed\n',
    },
    { path: '/readyz/store', text: 'ok' },
    { path: '/healthz/ping', text: 'ok' },
  ])('$path names its checks', async ({ path, text }) => {
    const answer = await client.get(path);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text });
  });

  it('for an unknown check is not found', async () => expect((await client.get('/readyz/other')).status).toBe(404));

  it('fails when the store does not answer, and names the failed check', async () => {
    const { server, store } = await createTestServer();
    store.position = () => Promise.reject(new Error('the table is gone'));
    const failing = clientOf(server);
    const { status, text } = await failing.get('/readyz');
    expect(status).toBe(500);
    expect(text).toBe('[+]ping ok\n[-]store failed: reason withheld\nreadyz check failed\n');
    expect((await failing.get('/livez')).status).toBe(200);
  });
});
