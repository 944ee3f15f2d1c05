import { PassThrough } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ProxyEvent, proxyEvent } from './events.ts';
import { answerOf, type Head, requestOf } from './http.ts';
import { goneSignal, streamAnswer, type WithHead } from './stream.ts';

const event = (more: Partial<ProxyEvent> = {}): ProxyEvent =>
  proxyEvent().parse({ httpMethod: 'GET', path: '/api/v1/secrets', requestContext: { requestId: 'r' }, ...more });
const options = { watchSeconds: 20 };
const query = (values: Record<string, string[]>) => ({ multiValueQueryStringParameters: values });

describe('a request', () => {
  it.each([
    { rule: 'keeps its path', more: {}, url: '/api/v1/secrets' },
    { rule: 'drops the base path', more: { path: '/k8s/api' }, basePath: '/k8s', url: '/api' },
    {
      rule: 'has the root path when the path equals the base path',
      more: { path: '/k8s' },
      basePath: '/k8s',
      url: '/',
    },
    {
      rule: 'keeps a path that only starts with the same characters as the base path',
      more: { path: '/k8sx' },
      basePath: '/k8s',
      url: '/k8sx',
    },
    { rule: 'encodes again what API Gateway decoded in the path', more: { path: '/a?b#c d' }, url: '/a%3Fb%23c%20d' },
    {
      rule: 'does not turn a double slash into another host',
      more: { path: '//evil.example/api' },
      url: '//evil.example/api',
    },
    {
      rule: 'keeps every value of its query parameters',
      more: query({ a: ['1', '2'], b: ['x=y&z'] }),
      url: '/api/v1/secrets?a=1&a=2&b=x%3Dy%26z',
    },
    {
      rule: 'limits the timeout of a watch',
      more: query({ watch: ['1'] }),
      url: '/api/v1/secrets?watch=1&timeoutSeconds=20',
    },
    {
      rule: 'keeps a shorter timeout of a watch',
      more: query({ watch: ['true'], timeoutSeconds: ['5'] }),
      url: '/api/v1/secrets?watch=true&timeoutSeconds=5',
    },
    {
      rule: 'keeps the timeout of a list',
      more: query({ timeoutSeconds: ['90'] }),
      url: '/api/v1/secrets?timeoutSeconds=90',
    },
    {
      rule: 'leaves the validation of numbers to the server',
      more: query({ watch: ['1'], timeoutSeconds: ['x'] }),
      url: '/api/v1/secrets?watch=1&timeoutSeconds=x',
    },
  ])('$rule', ({ more, basePath, url }) => {
    expect(requestOf(event(more), { ...options, ...(basePath && { basePath }) }).url).toBe(`https://capstan${url}`);
  });

  it.each([
    { rule: 'base64', body: Buffer.from([0, 255, 7]).toString('base64'), isBase64Encoded: true, bytes: [0, 255, 7] },
    { rule: 'text', body: 'ä', isBase64Encoded: false, bytes: [0xc3, 0xa4] },
  ])('has the bytes of its body when the event contains $rule', async ({ body, isBase64Encoded, bytes }) => {
    const request = requestOf(event({ httpMethod: 'PUT', body, isBase64Encoded }), options);
    expect([...new Uint8Array(await request.arrayBuffer())]).toEqual(bytes);
  });

  it('has every header, from single-value and multi-value headers', () => {
    const one = requestOf(event({ headers: { Accept: 'a/b' } }), options);
    const many = requestOf(event({ multiValueHeaders: { Accept: ['a/b', 'c/d'] } }), options);
    expect([one.headers.get('accept'), many.headers.get('accept')]).toEqual(['a/b', 'a/b, c/d']);
  });
});

describe('a response', () => {
  const zipped = new Request('https://capstan/', { headers: { 'accept-encoding': 'gzip' } });
  const plain = new Request('https://capstan/');
  const json = (body: string) => new Response(body, { headers: { 'content-type': 'application/json' } });

  it('stays text when it is text', async () => {
    expect(await answerOf(plain, async () => json('{}'))).toEqual({
      statusCode: 200,
      multiValueHeaders: { 'content-type': ['application/json'] },
      body: '{}',
      isBase64Encoded: false,
    });
  });

  it('is base64 when it is protobuf', async () => {
    const type = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    const answer = await answerOf(
      plain,
      async () => new Response(new Uint8Array([107, 56, 115, 0]), { headers: type }),
    );
    expect([answer.body, answer.isBase64Encoded]).toEqual(['azhzAA==', true]);
  });

  it('is compressed for a client that accepts gzip', async () => {
    const answer = await answerOf(zipped, async () => json('x'.repeat(5000)));
    expect(answer.multiValueHeaders).toMatchObject({ 'content-encoding': ['gzip'], vary: ['Accept-Encoding'] });
    expect(gunzipSync(Buffer.from(answer.body, 'base64')).toString()).toBe('x'.repeat(5000));
  });

  it('keeps warnings as separate headers', async () => {
    const warning = '299 - "one, two", 299 - "three"';
    const answer = await answerOf(plain, async () => new Response('', { headers: { warning } }));
    expect(answer.multiValueHeaders.warning).toEqual(['299 - "one, two"', '299 - "three"']);
  });

  it.each([
    { rule: 'that is too large for Lambda becomes a Status', body: 'x'.repeat(7_000_000), code: 413 },
    { rule: 'counts the bytes that JSON escaping adds', body: '"'.repeat(3_500_000), code: 413 },
    { rule: 'below the limit is sent', body: 'x'.repeat(6_000_000), code: 200 },
  ])('$rule', async ({ body, code }) => {
    const answer = await answerOf(plain, async () => json(body));
    expect(answer.statusCode).toBe(code);
    if (code === 413)
      expect(JSON.parse(answer.body)).toMatchObject({ kind: 'Status', reason: 'RequestEntityTooLarge', code });
  });

  it.each([
    { rule: 'has the requested length when the response fits', query: 'limit=500', size: 10_000, asked: [500] },
    { rule: 'is shortened until the response fits', query: 'limit=500', size: 30_000, asked: [500, 186] },
    {
      rule: 'is shortened by the size of its items, not by the requested limit',
      query: 'limit=1000000000',
      size: 30_000,
      asked: [1e9, 186],
    },
    {
      rule: 'is shortened when its first items are large',
      query: 'limit=500',
      size: 10_000,
      large: 50,
      asked: [500, 294, 221, 184, 162],
    },
    { rule: 'is shortened in a Table', query: 'limit=500', size: 30_000, as: 'rows', asked: [500, 186] },
    { rule: 'is shortened in YAML', query: 'limit=500', size: 30_000, type: 'application/yaml', asked: [500, 140] },
    { rule: 'fails when one item is too large', query: 'limit=3', size: 7_000_000, asked: [3, 1], code: 413 },
    { rule: 'fails without a limit above zero', query: 'limit=0', size: 10_000, asked: [0], code: 413 },
    { rule: 'fails when the client did not ask for pages', query: '', size: 10_000, asked: [0], code: 413 },
  ])('a page $rule', async ({ query, size, asked, as = 'items', large = 0, type = 'application/json', code = 200 }) => {
    const limits: number[] = [];
    const all = Array.from({ length: 1000 }, (_, index) => 'x'.repeat(index < large ? 10 * size : size));
    const serve = async ({ url, headers }: Request) => {
      expect(headers.get('authorization')).toBe('Bearer token');
      const { searchParams } = new URL(url);
      expect(searchParams.get('labelSelector')).toBe('a=b');
      const limit = Number(searchParams.get('limit'));
      limits.push(limit);
      return new Response(JSON.stringify({ [as]: limit > 0 ? all.slice(0, limit) : all }), {
        headers: { 'content-type': type },
      });
    };
    const request = new Request(`https://capstan/api/v1/configmaps?labelSelector=a%3Db&${query}`, {
      headers: { authorization: 'Bearer token' },
    });
    expect((await answerOf(request, serve)).statusCode).toBe(code);
    expect(limits).toEqual(asked);
  });

  it('of a deleted collection is not requested again', async () => {
    let times = 0;
    const request = new Request('https://capstan/api/v1/configmaps?limit=9', { method: 'DELETE' });
    const serve = async () => {
      times++;
      return json('x'.repeat(7_000_000));
    };
    expect((await answerOf(request, serve)).statusCode).toBe(413);
    expect(times).toBe(1);
  });
});

describe('a stream', () => {
  const watching = new Request('https://capstan/api?watch=1', { headers: { 'accept-encoding': 'gzip' } });
  const open = () => {
    const stream = new PassThrough();
    const heads: Head[] = [];
    const from: WithHead = (out, head) => {
      heads.push(head);
      return out;
    };
    return { stream, heads, from };
  };

  it('sends lines as they arrive, uncompressed', async () => {
    const { stream, heads, from } = open();
    const lines = new TransformStream<Uint8Array, Uint8Array>();
    const writer = lines.writable.getWriter();
    const sending = streamAnswer(stream, watching, new Response(lines.readable), from);
    await writer.write(Buffer.from('{"type":"ADDED"}\n'));
    const [first] = (await stream.iterator({ destroyOnReturn: false }).next()).value.toString().split('\n');
    expect([heads[0]!.statusCode, first]).toEqual([200, '{"type":"ADDED"}']);
    await writer.close();
    stream.resume();
    await sending;
    expect(stream.writableEnded).toBe(true);
  });

  it.each([
    { rule: 'compressed for a client that accepts gzip', accepts: 'gzip', encoding: 'gzip' },
    { rule: 'uncompressed for any other client', accepts: 'identity', encoding: undefined },
  ])('sends a long response while it is produced, $rule', async ({ accepts, encoding }) => {
    const { stream, heads, from } = open();
    const request = new Request('https://capstan/api', { headers: { 'accept-encoding': accepts } });
    const pieces = ['{"items":[', '1', ',2', ']}\n'];
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(Buffer.from(piece));
      },
    });
    const sending = streamAnswer(stream, request, new Response(body), from);
    const sent = Buffer.from((await stream.toArray()).reduce((all, one) => Buffer.concat([all, one]), Buffer.alloc(0)));
    await sending;
    expect(heads[0]!.headers['content-encoding']).toBe(encoding);
    expect((encoding ? gunzipSync(sent) : sent).toString()).toBe('{"items":[1,2]}\n');
  });

  it('breaks the connection when the rest of a response fails', async () => {
    const { stream, from } = open();
    const pieces = ['{"items":[', '1'];
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const piece = pieces.shift();
        if (piece === undefined) controller.error(new Error('the table is away'));
        else controller.enqueue(Buffer.from(piece));
      },
    });
    stream.on('error', () => undefined);
    stream.resume();
    const request = new Request('https://capstan/api');
    await expect(streamAnswer(stream, request, new Response(body), from)).rejects.toThrow('the table is away');
    expect(stream.writableFinished).toBe(false);
  });

  it('sends an error as one response', async () => {
    const { stream, heads, from } = open();
    await streamAnswer(stream, watching, new Response('{"code":410}', { status: 410 }), from);
    expect([heads[0]!.statusCode, stream.read().toString()]).toEqual([410, '{"code":410}']);
  });

  it('ends the watch when its client disconnects', async () => {
    const { stream, from } = open();
    const gone = goneSignal(stream);
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      cancel: () => {
        isCancelled = true;
      },
    });
    const sending = streamAnswer(stream, watching, new Response(body), from);
    await new Promise((resolve) => setImmediate(resolve));
    stream.destroy();
    await sending;
    expect([gone.aborted, isCancelled]).toEqual([true, true]);
  });
});
