/** The front as a process, with a CloudWatch Logs and an STS that respond when the test lets them, and tables. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clusterId, encoded, parametersAt, urlOf } from '../adapters/aws/identity/identity.fixture.ts';
import type { AuditEvent } from '../machinery/server/index.ts';
import { createDynamo } from './dynamo.fixture.ts';

let aws: Server;
/** The audited requests in the log group, by batch. */
let stored: AuditEvent[][];
/** How often STS was called. */
let identified: number;
let release: () => void;
let held: Promise<void>;
let front: ChildProcess;
let port: number;

const administrator = 'arn:aws:iam::111122223333:user/ann';
/** Whether STS knows the caller. */
let known: boolean;

beforeEach(async () => {
  known = false;
  const dynamo = createDynamo();
  stored = [];
  identified = 0;
  held = new Promise((resolve) => {
    release = resolve;
  });
  aws = createServer(async (asked, answer) => {
    if (asked.method === 'GET') {
      identified++;
      await held;
      if (known) {
        const GetCallerIdentityResult = { Arn: administrator, Account: '111122223333', UserId: 'AIDAEXAMPLE' };
        const GetCallerIdentityResponse = { GetCallerIdentityResult };
        answer
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ GetCallerIdentityResponse }));
        return;
      }
      answer.writeHead(403, { 'content-type': 'application/json' }).end('{"Error":{"Code":"SignatureDoesNotMatch"}}');
      return;
    }
    let body = '';
    for await (const chunk of asked) body += String(chunk);
    const [service, action = ''] = String(asked.headers['x-amz-target']).split('.');
    if (service === 'DynamoDB_20120810') {
      const { status, body: answered } = dynamo(action, JSON.parse(body));
      answer.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answered));
      return;
    }
    await held;
    const { logEvents } = JSON.parse(body) as { logEvents: { message: string }[] };
    stored.push(logEvents.map(({ message }) => JSON.parse(message) as AuditEvent));
    answer.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end('{}');
  });
  await once(aws.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
  const queue = { hot: endpoint, slow: endpoint };
  front = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      PATH: process.env.PATH,
      INSTALLATION: 'here',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL: endpoint,
      AWS_ENDPOINT_URL_STS: endpoint,
      CLUSTER_ID: clusterId,
      OBJECTS_TABLE: 'objects',
      WORK_TABLE: 'work',
      KEY_ID: 'key',
      QUEUES: JSON.stringify({ core: queue, aws: queue, workload: queue, gc: queue }),
      ADMINISTRATORS: JSON.stringify([administrator]),
      AUDIT_LOG_GROUP: 'audit',
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: front.stdout! })) {
    const entry = JSON.parse(line) as { message: string; port: number };
    if (entry.message !== 'The front serves') continue;
    port = entry.port;
    break;
  }
}, 60_000);
afterEach(() => {
  release();
  front.kill('SIGKILL');
  aws.closeAllConnections();
  aws.close();
});

/** A process on a busy machine takes seconds to load its modules. */
const patient = { timeout: 20_000 };

const pathsStored = () =>
  stored
    .flat()
    .map(({ requestURI }) => requestURI)
    .sort();

/** A token that only STS can reject. */
const invented = (number: number) =>
  `Bearer ${encoded(urlOf(parametersAt(Date.now() - number * 1000), undefined, clusterId))}`;

const textOf = async (path: string, headers: Record<string, string>): Promise<{ status: unknown; text: string }> => {
  const asked = request({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false }).end();
  const [answer] = await once(asked, 'response');
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode, text };
};

/** The status of the response, or the error code of the connection. */
const ask = async (path: string, headers: Record<string, string> = {}): Promise<unknown> => {
  const asked = request({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false }).end();
  try {
    const [answer] = await once(asked, 'response');
    answer.resume();
    return answer.statusCode;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

it.each(['SIGTERM', 'SIGINT'] as const)(
  'stores the events of all requests before %s ends the process',
  { timeout: 60_000 },
  async (signal) => {
    expect(await ask('/api/v1/first')).toBe(401);
    expect(await ask('/api/v1/second')).toBe(401);
    const unanswered = ask('/api/v1/unanswered', { authorization: invented(0) });
    await expect.poll(() => identified, patient).toBe(1);
    const ended = once(front, 'exit').then(([code]) => ({ code, stored: pathsStored() }));
    front.kill(signal);
    await expect.poll(() => ask('/api/v1/late'), patient).toBe('ECONNREFUSED');
    expect(await unanswered).toBe('ECONNRESET');
    release();
    expect(await ended).toEqual({ code: 0, stored: ['/api/v1/first', '/api/v1/second', '/api/v1/unanswered'] });
  },
);

it('limits invented tokens by the address of their connection, and records it', { timeout: 60_000 }, async () => {
  release();
  // What a client claims changes neither its limit nor the record.
  const attempt = (n: number) => ask(`/api/v1/${n}`, { authorization: invented(n), 'x-forwarded-for': `192.0.2.${n}` });
  // At once: the limit must not regain what a busy machine takes long to ask.
  const attempts = (from: number, to: number) =>
    Promise.all(Array.from({ length: to - from }, (_, i) => attempt(from + i)));
  expect(new Set(await attempts(0, 25))).toEqual(new Set([401]));
  expect(new Set(await attempts(25, 200))).toContain(429);
  expect(identified).toBeLessThan(200);
  await expect.poll(() => stored.flat().length, patient).toBeGreaterThan(0);
  for (const { sourceIPs } of stored.flat()) expect(sourceIPs).toEqual(['127.0.0.1']);
});

it('serves /metrics to a user who may read it, and to no other', { timeout: 60_000 }, async () => {
  release();
  expect(await ask('/metrics')).toBe(401);
  known = true;
  const { status, text } = await textOf('/metrics', { authorization: invented(1) });
  expect({ status, text }).toMatchObject({
    status: 200,
    text: expect.stringContaining('# TYPE capstan_installation_frozen gauge'),
  });
  for (const name of [
    'capi_cluster_status_phase',
    'capi_machine_status_phase',
    'capstan_clusteroperation_status_phase',
  ])
    expect(text).toContain(`# TYPE ${name} `);
  // The process has stored the Installation itself. What a process counts is of a laptop.
  expect(text).toMatch(/^capstan_installation_frozen 0$/m);
  expect(text).not.toMatch(/^(?:controller_runtime|apiserver|aws_api)_\w+\{/m);
});
