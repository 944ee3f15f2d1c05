import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { namespace } from '../../kinds/kubernetes/namespace/index.ts';
import type { AuditEvent } from '../../machinery/server/index.ts';
import { clientOf, configMap, configMaps, widgets } from './client.ts';
import { widget } from './widget.ts';
import { createTestServer } from './world.ts';

const start = Date.UTC(2026, 10, 26);
const audited = async (authorization?: string) => {
  const events: AuditEvent[] = [];
  const { server } = await createTestServer(virtualClock(start), {
    authorize: ({ resource, verb }) =>
      resource === 'widgets' && verb === 'list'
        ? { allowed: false, reason: 'widgets are private' }
        : { allowed: true, reason: '' },
    audit: (event) => void events.push(event),
  });
  return { client: clientOf(server, authorization), events };
};
const user = { username: 'tester', groups: ['system:authenticated'] };
const allow = { 'authorization.k8s.io/decision': 'allow', 'capstan.dev/duration-ms': '0' };

describe('the audit log', () => {
  it('records one event per request: who did what to which object, with what result', async () => {
    const { client, events } = await audited();
    const headers = { 'user-agent': 'kubectl/v1.36.0', 'x-forwarded-for': '192.0.2.7' };
    await client.post(`${configMaps}?fieldManager=test`, configMap('a', { password: 'hidden' }), headers);
    expect(events).toEqual([
      {
        kind: 'Event',
        apiVersion: 'audit.k8s.io/v1',
        level: 'Metadata',
        auditID: expect.stringMatching(/^[0-9a-f-]{36}$/),
        stage: 'ResponseComplete',
        requestURI: `${configMaps}?fieldManager=test`,
        verb: 'create',
        user,
        sourceIPs: ['192.0.2.7'],
        userAgent: 'kubectl/v1.36.0',
        objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
        responseStatus: { metadata: {}, code: 201 },
        requestReceivedTimestamp: '2026-11-26T00:00:00.000000Z',
        stageTimestamp: '2026-11-26T00:00:00.000000Z',
        annotations: allow,
      },
    ]);
    expect(JSON.stringify(events)).not.toContain('hidden');
  });

  it.each([
    {
      rule: 'an authorization refusal',
      ask: (client: ReturnType<typeof clientOf>) => client.get(widgets),
      seen: {
        verb: 'list',
        user,
        responseStatus: { code: 403, reason: 'Forbidden' },
        annotations: {
          'authorization.k8s.io/decision': 'forbid',
          'authorization.k8s.io/reason': 'widgets are private',
        },
      },
    },
    {
      rule: 'a failed request',
      ask: (client: ReturnType<typeof clientOf>) => client.get(`${configMaps}/none`),
      seen: {
        verb: 'get',
        objectRef: { name: 'none' },
        responseStatus: { code: 404, reason: 'NotFound', status: 'Failure' },
        annotations: allow,
      },
    },
    {
      rule: 'a deletecollection',
      ask: (client: ReturnType<typeof clientOf>) => client.delete(configMaps),
      seen: { verb: 'deletecollection', responseStatus: { code: 200 } },
    },
    {
      rule: 'an update of a subresource',
      ask: (client: ReturnType<typeof clientOf>) =>
        client.patch('/api/v1/namespaces/default/status', 'merge', { status: { phase: 'Active' } }),
      seen: { verb: 'patch', objectRef: { resource: 'namespaces', name: 'default', subresource: 'status' } },
    },
    {
      rule: 'a non-resource request',
      ask: (client: ReturnType<typeof clientOf>) => client.get('/apis'),
      seen: { verb: 'get', requestURI: '/apis', responseStatus: { code: 200 } },
    },
    {
      rule: 'an impersonation',
      ask: (client: ReturnType<typeof clientOf>) => client.get(configMaps, { 'impersonate-user': 'other' }),
      seen: { user, impersonatedUser: { username: 'other' }, responseStatus: { code: 200 } },
    },
    {
      rule: 'a path that cannot be decoded',
      ask: (client: ReturnType<typeof clientOf>) => client.get('/api/%zz'),
      seen: { responseStatus: { code: 400 } },
    },
  ])('records $rule', async ({ ask, seen }) => {
    const { client, events } = await audited();
    await ask(client);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject(seen);
  });

  it('names what a kind wants to be noticed of a write', async () => {
    const events: AuditEvent[] = [];
    const noticed = { ...widget, audited: () => ({ 'example.com/noticed': 'yes' }) };
    const { server } = await createTestServer(virtualClock(start), {
      kinds: [namespace, noticed],
      audit: (event) => void events.push(event),
    });
    await clientOf(server).post(widgets, {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a' },
      spec: {},
    });
    await clientOf(server).get(widgets);
    expect(events.map(({ annotations }) => annotations['example.com/noticed'])).toEqual(['yes', undefined]);
  });

  it('records an unauthenticated request without a user', async () => {
    const { client, events } = await audited('Bearer wrong');
    expect((await client.get(configMaps)).status).toBe(401);
    expect(events).toMatchObject([{ user: {}, responseStatus: { code: 401, reason: 'Unauthorized' } }]);
    expect(JSON.stringify(events)).not.toContain('wrong');
  });

  it('records a watch when it begins', async () => {
    const { client, events } = await audited();
    const watch = await client.watch(`${configMaps}?watch=true`);
    watch.stop();
    expect(events).toMatchObject([{ verb: 'watch', stage: 'ResponseStarted', responseStatus: { code: 200 } }]);
  });

  it('records no request to an endpoint without authentication', async () => {
    const { client, events } = await audited();
    for (const path of ['/healthz', '/livez', '/readyz', '/version']) await client.get(path);
    expect(events).toEqual([]);
  });

  it('uses the audit ID of the response', async () => {
    const { client, events } = await audited();
    const given = await client.get(configMaps, { 'audit-id': 'request-1' });
    const made = await client.get(configMaps, { 'audit-id': 'not\u00e9 an id' });
    expect(given.headers.get('audit-id')).toBe('request-1');
    expect(events.map(({ auditID }) => auditID)).toEqual(['request-1', made.headers.get('audit-id')]);
  });
});

describe('refused requests in the audit log', () => {
  const clock = virtualClock(start);
  const open = async (authorization?: string) => {
    const events: AuditEvent[] = [];
    const { server } = await createTestServer(clock, {
      authorize: () => ({ allowed: false, reason: 'only a test' }),
      audit: (event) => void events.push(event),
    });
    const client = clientOf(server, authorization);
    const from = async (address: string, times: number) => {
      for (let n = 0; n < times; n++) await client.get(configMaps, { 'x-forwarded-for': address });
    };
    return { client, events, from };
  };
  const recordedFrom = (events: AuditEvent[], address: string) =>
    events.filter(({ sourceIPs }) => sourceIPs?.[0] === address).length;

  it.each([
    { rule: 'without a valid token', authorization: 'Bearer wrong', code: 401 },
    { rule: 'of a user who may do nothing', authorization: undefined, code: 403 },
  ])('$rule are sampled, and the next one counts the others', async ({ authorization, code }) => {
    const { events, from } = await open(authorization);
    await from('192.0.2.7', 300);
    expect(events).toHaveLength(20);
    await clock.advance(60_000);
    await from('192.0.2.7', 1);
    expect(events.at(-1)).toMatchObject({
      responseStatus: { code },
      annotations: { 'capstan.dev/refused-unrecorded': '280' },
    });
    await from('192.0.2.7', 1);
    expect(events.at(-1)!.annotations).not.toHaveProperty('capstan.dev/refused-unrecorded');
  });

  it('of one address leave room for those of others', async () => {
    const { events, from } = await open('Bearer wrong');
    await from('192.0.2.7', 300);
    await from('198.51.100.9', 3);
    expect(recordedFrom(events, '198.51.100.9')).toBe(3);
  });

  it('of many addresses are bounded together', async () => {
    const { events, from } = await open('Bearer wrong');
    for (let n = 0; n < 200; n++) await from(`192.0.2.${n}`, 5);
    expect(events).toHaveLength(50);
  });

  it.each([undefined, 'Bearer wrong'])('have short events, whatever the client sends (%s)', async (authorization) => {
    const { client, events } = await open(authorization);
    const long = 'a'.repeat(4000);
    await client.get(`${configMaps}/${long}?q=${long}`, { 'user-agent': long, 'x-forwarded-for': long });
    expect(events).toHaveLength(1);
    expect(JSON.stringify(events[0]).length).toBeLessThan(2500);
  });
});

describe('the limits of a client', () => {
  const open = async (authorization?: string) => {
    const events: AuditEvent[] = [];
    const { server } = await createTestServer(virtualClock(start), {
      clientRates: { perAddress: { rate: 1, burst: 4 }, perUser: { rate: 1, burst: 2 } },
      audit: (event) => void events.push(event),
    });
    const client = clientOf(server, authorization);
    const ask = (address: string) => client.get(configMaps, { 'x-forwarded-for': address });
    return { ask, events };
  };

  it('hold for a user whatever the address, as a Status with Retry-After', async () => {
    const { ask, events } = await open();
    const answers = await Promise.all(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(ask));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    const [refused] = answers.slice(-1);
    expect(refused!.headers.get('retry-after')).toBe('1');
    expect(refused!.body).toMatchObject({ kind: 'Status', reason: 'TooManyRequests', code: 429 });
    expect(events.filter(({ responseStatus }) => responseStatus.code === 429)).toMatchObject([{ user }]);
  });

  it('hold for an address before its token is verified', async () => {
    const { ask, events } = await open('Bearer wrong');
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask('192.0.2.1')));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429, 429]);
    expect((await ask('192.0.2.2')).status).toBe(401);
    expect(events.filter(({ responseStatus }) => responseStatus.code === 429)).toMatchObject([
      { user: {} },
      { user: {} },
    ]);
  });
});
