import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createGuardian } from '../guardian.ts';
import { createFunctions, type Functions, Throttled } from './functions.ts';
import type { Head, Names } from './messages.ts';
import { whenFree } from './throttle.ts';

const source = `
import { connect } from 'node:net';
let ticks = 0;
setInterval(() => { ticks++; }, 10);
const doings = {
  who: () => ({ pid: process.pid, ticks, name: process.env.AWS_LAMBDA_FUNCTION_NAME, given: process.env.GIVEN }),
  fail: () => { throw new TypeError('no such thing'); },
  hang: () => new Promise(() => undefined),
  wait: async ({ ms }) => { await new Promise((resolve) => setTimeout(resolve, ms)); return process.pid; },
  end: () => process.exit(3),
  reach: ({ host, port }) => new Promise((resolve, reject) => {
    const socket = connect({ host, port }, () => { resolve(socket.remotePort); socket.destroy(); });
    socket.on('error', reject);
  }),
};
export const handler = async (event) => doings[event.do](event);
export const stream = awslambda.streamifyResponse(async (event, out) => {
  const body = awslambda.HttpResponseStream.from(out, { statusCode: 201, headers: { 'x-kind': 'test' } });
  body.write('one ');
  body.end('two');
});
`;

let folder: string;
let functions: Functions;
const guardian = createGuardian();
const lines: string[] = [];
const names: Names = {};

/** Milliseconds by function. */
const timeouts: Record<string, number> = { f: 30_000, brief: 500 };

const open = (handler = 'index.handler', atOnce = 2, accountConcurrency?: number) => {
  functions = createFunctions({
    deployed: {
      of: async (name) => {
        if (!(name in timeouts)) throw new Error(`there is no ${name}`);
        const variables = { GIVEN: 'this' };
        return { name, arn: 'arn', revision: '1', folder, handler, timeout: timeouts[name]!, memory: 64, variables };
      },
    },
    guardian,
    variables: {},
    names: () => names,
    concurrency: () => atOnce,
    ...(accountConcurrency !== undefined && { accountConcurrency }),
    onLine: (_, line) => lines.push(line),
  });
  return functions;
};
const pidOf = async (event: object) => ((await functions.invoke('f', event)) as { pid: number }).pid;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host-'));
  await writeFile(join(folder, 'index.mjs'), source);
});
afterEach(() => functions.close());
afterAll(async () => {
  guardian.end();
  await rm(folder, { recursive: true });
});

describe('a function', () => {
  it('receives its environment, keeps state between events, and is suspended in between', async () => {
    open();
    const first = (await functions.invoke('f', { do: 'who' })) as { ticks: number; pid: number };
    expect(first).toMatchObject({ name: 'f', given: 'this' });
    await delay(500);
    const second = (await functions.invoke('f', { do: 'who' })) as { ticks: number; pid: number };
    expect(second.pid).toBe(first.pid);
    expect(second.ticks - first.ticks).toBeLessThan(25);
    expect(functions.counts.all().f).toMatchObject({ invocations: 2, coldStarts: 1, errors: 0 });
  });

  it('is killed during an event as often as requested, and not afterwards', async () => {
    open();
    const disturbance = { functions: (name: string) => name === 'f', chance: 1, within: 1, most: 2, random: () => 0.5 };
    functions.disturb(disturbance);
    const work = () => functions.invoke('f', { do: 'wait', ms: 300 }).then(Boolean, () => false);
    expect([await work(), await work(), await work()]).toEqual([false, false, true]);
    functions.disturb(disturbance);
    functions.disturb(undefined);
    expect(await work()).toBe(true);
    expect(functions.counts.all().f?.killed).toBe(2);
  });

  it.each([
    {
      rule: 'reports the error that it threw',
      event: { do: 'fail' },
      failure: { errorType: 'TypeError', errorMessage: 'no such thing' },
    },
    {
      rule: 'is killed at its timeout',
      of: 'brief',
      event: { do: 'hang' },
      failure: { errorType: 'Sandbox.Timedout' },
    },
    { rule: 'may exit by itself', event: { do: 'end' }, failure: { errorType: 'Runtime.ExitError' } },
  ])('$rule', async ({ of = 'f', event, failure }) => {
    open();
    await expect(functions.invoke(of, event)).rejects.toMatchObject({ failure });
    expect(await pidOf({ do: 'who' })).toBeGreaterThan(0);
  });

  it('handles a bounded number of concurrent events, each in its own process', async () => {
    open();
    const pids = await Promise.all([1, 2, 3, 4].map(() => functions.invoke('f', { do: 'wait', ms: 300 })));
    expect(new Set(pids).size).toBe(2);
  });

  it('is killed in the middle of an event, and the next event gets a new process', async () => {
    open();
    const before = await pidOf({ do: 'who' });
    const lost = functions.invoke('f', { do: 'hang' });
    const refused = expect(lost).rejects.toMatchObject({ failure: { errorType: 'Runtime.ExitError' } });
    await delay(200);
    expect(functions.kill(() => true)).toBe(1);
    await refused;
    expect(await pidOf({ do: 'who' })).not.toBe(before);
  });

  it('reaches a load balancer by name', async () => {
    open();
    const { createServer } = await import('node:net');
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    names['lb-1.eu-central-1.elb.amazonaws.com:6443'] = port;
    const event = { do: 'reach', host: 'lb-1.eu-central-1.elb.amazonaws.com', port: 6443 };
    expect(await functions.invoke('f', event)).toBe(port);
    server.close();
  });

  it('streams its response, headers first', async () => {
    open('index.stream');
    const got: (Head | string)[] = [];
    await functions.invoke(
      'f',
      {},
      {
        head: (head) => got.push(head),
        chunk: (chunk) => got.push(Buffer.from(chunk).toString()),
        end: () => got.push('end'),
      },
    );
    expect(got).toEqual([{ statusCode: 201, headers: { 'x-kind': 'test' } }, 'one ', 'two', 'end']);
  });
});

describe('an account', () => {
  it('throttles an event while all concurrent executions are in use, and accepts it afterwards', async () => {
    open('index.handler', 5, 2);
    const busy = [1, 2].map(() => functions.invoke('f', { do: 'wait', ms: 1_000 }));
    await expect(functions.invoke('f', { do: 'who' })).rejects.toThrow(Throttled);
    expect(functions.counts.all().f).toMatchObject({ invocations: 2, throttles: 1 });
    expect(await whenFree(() => functions.invoke('f', { do: 'who' }), 4_000)).toMatchObject({ name: 'f' });
    await Promise.all(busy);
  });
});
