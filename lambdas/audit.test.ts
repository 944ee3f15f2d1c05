import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { WithHead } from '../adapters/aws/lambda/stream.ts';
import { viewersGroup } from '../kinds/common/groups.ts';
import type { AuditEvent } from '../machinery/server/index.ts';
import { noRestrictions } from '../machinery/server/index.ts';
import { serves } from './api.ts';
import proxy from './fixtures/api-gateway-proxy.json' with { type: 'json' };
import { createServing, type Serving } from './runtime/serving.ts';
import type { StreamingHandler } from './streams.ts';
import { watches } from './watch.ts';
import { createWorld, invocation } from './world.fixture.ts';

/** An audit log whose writes take as long as the test says. */
const recorder = () => {
  const events: AuditEvent[] = [];
  let isWritten = false;
  return {
    events,
    isWritten: () => isWritten,
    audit: (event: AuditEvent) => void events.push(event),
    written: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      isWritten = true;
    },
  };
};

describe('the audit log', () => {
  const arn = 'arn:aws:iam::111122223333:role/Admin';
  const user = {
    username: arn,
    uid: 'AROAEXAMPLE:ann',
    groups: [viewersGroup, 'system:authenticated'],
    extra: { accessKeyId: ['AKIDEXAMPLEEXAMPLE'], sessionName: ['ann'] },
  };
  const open = () => {
    const log = recorder();
    const runtime = createServing(createWorld().foundation, {
      authenticate: (request) => (request.headers.get('authorization') === 'Bearer good' ? user : undefined),
      audit: log,
    });
    return { log, api: serves(() => runtime) };
  };
  const namespaces = '/api/v1/namespaces/default/configmaps';
  const created = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: 'hidden' } };

  it.each([
    { rule: 'a write', httpMethod: 'POST', token: 'good', code: 403, decision: 'forbid' },
    { rule: 'a read', httpMethod: 'GET', token: 'good', code: 200, decision: 'allow' },
    { rule: 'a refused request', httpMethod: 'POST', token: 'bad', code: 401, decision: undefined },
  ])('stores $rule before the function responds', async ({ httpMethod, token, code, decision }) => {
    const { log, api } = open();
    const event = {
      ...proxy,
      httpMethod,
      path: namespaces,
      multiValueHeaders: {
        Authorization: [`Bearer ${token}`],
        'Content-Type': ['application/json'],
        'X-Forwarded-For': ['198.51.100.9'],
        'Audit-Id': ['chosen-by-the-client'],
      },
      requestContext: { requestId: 'gateway-1', identity: { sourceIp: '192.0.2.7' } },
      body: httpMethod === 'POST' ? JSON.stringify(created) : null,
    };
    expect((await api(event, invocation)).statusCode).toBe(code);
    expect(log.isWritten()).toBe(true);
    expect(log.events).toMatchObject([
      { auditID: 'gateway-1', sourceIPs: ['192.0.2.7'], responseStatus: { code }, user: code === 401 ? {} : user },
    ]);
    expect(log.events[0]!.annotations['authorization.k8s.io/decision']).toBe(decision);
    expect(JSON.stringify(log.events)).not.toMatch(/hidden|Bearer|chosen/);
  });
});

// Lambda freezes the process once its handler returns: an event that is not stored by then may be lost.
describe('the audit log of an interrupted response', () => {
  const path = '/api/v1/namespaces/default/configmaps';
  const me = { username: 'me', groups: [] };
  const broken = () =>
    new ReadableStream({ pull: (controller) => controller.error(new Error('the table does not answer')) });

  /** A server whose responses have this body. */
  const serving = (body?: () => ReadableStream): { log: ReturnType<typeof recorder>; runtime: Serving } => {
    const log = recorder();
    const runtime = createServing(createWorld().foundation, {
      authenticate: () => me,
      rightsOf: () => noRestrictions,
      audit: log,
    });
    const fetch = async (request: Request) => {
      const { status, headers, body: own } = await runtime.server.fetch(request);
      return new Response(body?.() ?? own, { status, headers });
    };
    return { log, runtime: { ...runtime, server: { fetch } } };
  };
  const streamed = async (
    runtime: Serving,
    stream: Writable,
    { watch = 'true', from = (out) => out }: { watch?: string; from?: WithHead },
  ) => {
    const run = watches(() => runtime, {
      streamifyResponse: (handler) => handler,
      HttpResponseStream: { from },
    }) as StreamingHandler;
    const event = { ...proxy, httpMethod: 'GET', path, multiValueQueryStringParameters: { watch: [watch] } };
    await run(event, stream, invocation).catch(() => undefined);
  };
  const taking = (write: (stream: Writable) => void = () => undefined) =>
    new Writable({
      write(_chunk, _encoding, done) {
        write(this);
        done();
      },
    });

  it.each<{ rule: string; stream: () => Writable; body?: () => ReadableStream; watch?: string; from?: WithHead }>([
    { rule: 'a watch whose client leaves', stream: () => taking((stream) => stream.destroy()) },
    {
      rule: 'a watch whose connection is reset',
      stream: () => taking((stream) => stream.destroy(new Error('ECONNRESET'))).on('error', () => undefined),
    },
    { rule: 'a watch that fails', stream: taking, body: broken },
    { rule: 'a list that fails', stream: taking, body: broken, watch: 'false' },
    {
      rule: 'a response that cannot start',
      stream: taking,
      from: () => {
        throw new Error('no response stream');
      },
    },
  ])('stores $rule before the function ends', async ({ stream, body, ...more }) => {
    const { log, runtime } = serving(body);
    await streamed(runtime, stream(), more);
    expect(log.events).toMatchObject([{ user: me, responseStatus: { code: 200 } }]);
    expect(log.isWritten()).toBe(true);
  });

  it('stores a buffered list that fails before the function ends', async () => {
    const { log, runtime } = serving(broken);
    const event = { ...proxy, httpMethod: 'GET', path };
    await expect(serves(() => runtime)(event, invocation)).rejects.toThrow('the table does not answer');
    expect(log.events).toMatchObject([{ verb: 'list', responseStatus: { code: 200 } }]);
    expect(log.isWritten()).toBe(true);
  });
});
