/** The front as a process, beside a CloudWatch Logs that the test holds up. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AuditEvent } from '../machinery/server/index.ts';

let logs: Server;
/** Paths of the requests whose events the log group has, batch by batch. */
let stored: string[][];
let release: () => void;
let held: Promise<void>;
let front: ChildProcess;
let port: number;

beforeEach(async () => {
  stored = [];
  held = new Promise((resolve) => {
    release = resolve;
  });
  logs = createServer(async (asked, answer) => {
    let body = '';
    for await (const chunk of asked) body += String(chunk);
    await held;
    const { logEvents } = JSON.parse(body) as { logEvents: { message: string }[] };
    stored.push(logEvents.map(({ message }) => (JSON.parse(message) as AuditEvent).requestURI));
    answer.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end('{}');
  });
  await once(logs.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(logs.address() as AddressInfo).port}`;
  const queue = { hot: endpoint, slow: endpoint };
  front = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      PATH: process.env.PATH,
      INSTALLATION: 'here',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL: endpoint,
      OBJECTS_TABLE: 'objects',
      WORK_TABLE: 'work',
      KEY_ID: 'key',
      QUEUES: JSON.stringify({ core: queue, aws: queue, workload: queue, gc: queue }),
      ADMINISTRATORS: '[]',
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
  logs.closeAllConnections();
  logs.close();
});

/** The status of a request without credentials. */
const ask = async (path: string): Promise<number | undefined> => {
  const [answer] = await once(
    request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }).end(),
    'response',
  );
  answer.resume();
  return answer.statusCode;
};

it.each([
  'SIGTERM',
  'SIGINT',
] as const)('stores the events of every answered request before %s ends it', async (signal) => {
  expect(await ask('/api/v1/first')).toBe(401);
  expect(await ask('/api/v1/second')).toBe(401);
  const ended = once(front, 'exit').then(([code]) => ({ code, stored: stored.flat() }));
  front.kill(signal);
  // The port is free before the events are stored.
  await expect.poll(() => ask('/api/v1/third').catch((error: { code: string }) => error.code)).toBe('ECONNREFUSED');
  release();
  expect(await ended).toEqual({ code: 0, stored: ['/api/v1/first', '/api/v1/second'] });
});
