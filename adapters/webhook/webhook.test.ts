import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, issue } from '../pki/index.ts';
import { webhookCaller } from './index.ts';

const now = Date.now();
const ca = createAuthority({ subject: { commonName: 'ca' }, days: 1, algorithm: 'ECDSA-P256', now });
const served = issue({
  subject: { commonName: 'webhook' },
  sans: ['127.0.0.1'],
  usages: ['server'],
  ca,
  days: 1,
  algorithm: 'ECDSA-P256',
  now,
});
let server: Server;
let base = '';
beforeAll(async () => {
  server = createServer({ key: served.key, cert: served.certificate }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/slow') return;
      if (request.url === '/moved') return response.writeHead(302, { location: '/' }).end();
      if (request.url === '/text') return response.end('no json');
      if (request.url === '/long') return response.end(Buffer.alloc(2 * 1024 * 1024, ' '));
      response.end(JSON.stringify({ received: JSON.parse(Buffer.concat(chunks).toString()) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const caBundle = Buffer.from(ca.certificate).toString('base64');
const caller = (timeout: number) => webhookCaller({ timeout, longest: 1024 * 1024, allowsLocal: true });
const call = caller(20_000);

describe('a webhook', () => {
  it('is called with the certificates of its user', async () => {
    expect(await call({ url: `${base}/`, caBundle }, { a: 1 })).toEqual({ received: { a: 1 } });
    await expect(call({ url: `${base}/` }, {})).rejects.toThrow(/certificate/);
  });

  it.each([
    { rule: 'answers too late', path: '/slow', says: 'context deadline exceeded' },
    { rule: 'sends clients elsewhere', path: '/moved', says: 'the server responded with the status code 302' },
    { rule: 'answers no JSON', path: '/text', says: 'the answer is no JSON' },
    { rule: 'answers without an end', path: '/long', says: 'the answer is longer than' },
  ])('that $rule fails', async ({ path, says }) => {
    const patient = path === '/slow' ? caller(300) : call;
    await expect(patient({ url: `${base}${path}`, caBundle }, {})).rejects.toThrow(says);
  });

  it.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://169.254.169.254/',
    'https://localhost/',
  ])('at %s is not called from a deployment', async (url) => {
    await expect(webhookCaller()({ url }, {})).rejects.toThrow(/webhooks may not use/);
  });

  it('needs a url', async () => {
    await expect(call({ service: { namespace: 'a', name: 'b' } }, {})).rejects.toThrow('the webhook has no url');
  });
});

describe('a function of AWS Lambda', () => {
  const arn = 'arn:aws:lambda:eu-west-1:111122223333:function:hook';
  const url = `https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/${encodeURIComponent(arn)}/invocations`;
  const invoked: unknown[] = [];
  const answering = (answer: unknown) =>
    webhookCaller({
      invoke: async (name, event, timeout) => {
        invoked.push({ name, event, timeout });
        return JSON.stringify(answer);
      },
    });

  it('gets the event that its own URL would send', async () => {
    expect(await answering({ a: 1 })({ url, path: '/check' }, { b: 2 }, { timeout: 3000 })).toEqual({ a: 1 });
    expect(invoked.at(-1)).toMatchObject({
      name: arn,
      timeout: 3000,
      event: {
        version: '2.0',
        rawPath: '/check',
        rawQueryString: 'timeout=3s',
        requestContext: { http: { method: 'POST' } },
        body: '{"b":2}',
      },
    });
  });

  it('answers with a response or with its body', async () => {
    const body = JSON.stringify({ a: 1 });
    expect(await answering({ statusCode: 200, body })({ url }, {})).toEqual({ a: 1 });
    const packed = { statusCode: 200, body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
    expect(await answering(packed)({ url }, {})).toEqual({ a: 1 });
    await expect(answering({ statusCode: 500, body })({ url }, {})).rejects.toThrow('status code 500');
  });

  it('is called by an installation on AWS alone', async () => {
    await expect(webhookCaller()({ url }, {})).rejects.toThrow('by an installation on AWS alone');
  });
});
