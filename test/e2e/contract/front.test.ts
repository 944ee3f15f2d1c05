/** The front as a separate process, over tables of the given implementation of the AWS API. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { execCredential, presign } from '../../../cli/token.ts';
import { createUsers, startSts } from '../../../emulator/sts/index.ts';
import { bundleServices } from '../../../tools/bundle.mjs';
import { clientConfig } from './endpoint.ts';

const endpoint = inject('endpoint');
const region = 'us-east-1';
const clusterId = 'front.000000000000.us-east-1';

describe.runIf(endpoint)('the front', () => {
  const code = mkdtempSync(join(tmpdir(), 'capstan-front-'));
  const tables = new DynamoDBClient(clientConfig('DYNAMODB'));
  const names = { objects: `front-objects-${randomUUID()}`, work: `front-work-${randomUUID()}` };
  const users = createUsers('000000000000');
  const me = users.user('me', 'a secret');
  const running = new Set<ChildProcess>();
  let sts: Awaited<ReturnType<typeof startSts>>;
  let keyId = '';
  let token = '';

  beforeAll(async () => {
    await bundleServices(code);
    for (const TableName of Object.values(names)) {
      await tables.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'sk', KeyType: 'RANGE' },
          ],
        }),
      );
      await waitUntilTableExists({ client: tables, maxWaitTime: 60, minDelay: 1, maxDelay: 2 }, { TableName });
    }
    const { KeyMetadata } = await new KMSClient(clientConfig('KMS')).send(new CreateKeyCommand({}));
    keyId = KeyMetadata!.Arn!;
    sts = await startSts({ port: 0, users, account: '000000000000', elsewhere: endpoint! });
    const now = Date.now();
    token = execCredential(await presign(me, { region, clusterId, now }), now).status.token;
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    for (const TableName of Object.values(names)) await tables.send(new DeleteTableCommand({ TableName }));
    await sts.close();
    rmSync(code, { recursive: true, force: true });
  });

  /** A front that serves requests. */
  const startFront = async () => {
    const queue = { hot: `${endpoint}/queue/hot`, slow: `${endpoint}/queue/slow` };
    const child = spawn(process.execPath, [join(code, 'front', 'index.mjs')], {
      env: {
        PATH: process.env.PATH,
        AWS_REGION: region,
        AWS_ENDPOINT_URL: endpoint!,
        AWS_ENDPOINT_URL_STS: sts.endpoint,
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        INSTALLATION: 'front',
        CLUSTER_ID: clusterId,
        OBJECTS_TABLE: names.objects,
        WORK_TABLE: names.work,
        KEY_ID: keyId,
        QUEUES: JSON.stringify({ core: queue, aws: queue, workload: queue, gc: queue }),
        ADMINISTRATORS: JSON.stringify(['arn:aws:iam::000000000000:user/me']),
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.add(child);
    const started: { message: string; port: number } = await new Promise((resolve) =>
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.includes('The front serves')) resolve(JSON.parse(line));
      }),
    );
    const stop = async (signal: NodeJS.Signals) => {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
      running.delete(child);
    };
    return { port: started.port, stop };
  };

  const open = (port: number, method: string, path: string, body?: object, authorization = `Bearer ${token}`) => {
    // The front creates its own certificate, which only the load balancer sees.
    const sent = httpsRequest({ port, host: '127.0.0.1', method, path, rejectUnauthorized: false });
    sent.setHeader('authorization', authorization);
    sent.setHeader('content-type', 'application/json');
    sent.end(body && JSON.stringify(body));
    return sent;
  };
  const ask = async (...given: Parameters<typeof open>) => {
    const [response] = await once(open(...given), 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode as number, body: JSON.parse(text) };
  };
  /** Reads the start of a watch, then disconnects. */
  const firstEvent = async (asked: ReturnType<typeof open>) => {
    const [response] = await once(asked, 'response');
    const lines = createInterface({ input: response });
    // The disconnect breaks the stream.
    for (const one of [asked, response, lines]) one.on('error', () => undefined);
    const [line] = await once(lines, 'line');
    asked.destroy();
    return JSON.parse(line);
  };
  const path = '/api/v1/namespaces/default/configmaps';
  const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  const namesIn = ({ body }: Awaited<ReturnType<typeof ask>>) =>
    body.items.map((item: { metadata: { name: string } }) => item.metadata.name);

  it('admits configured users, and delivers to many watchers what another front wrote', async () => {
    const [one, other] = [await startFront(), await startFront()];
    expect((await ask(one.port, 'GET', path, undefined, 'Bearer nobody')).status).toBe(401);
    const { body } = await ask(one.port, 'GET', path);
    const since = `${path}?watch=true&resourceVersion=${body.metadata.resourceVersion}`;
    const watching = Array.from({ length: 40 }, () => firstEvent(open(one.port, 'GET', since)));
    expect((await ask(other.port, 'POST', path, configMap('a'))).status).toBe(201);
    for (const event of await Promise.all(watching))
      expect(event).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
    await Promise.all([one.stop('SIGTERM'), other.stop('SIGTERM')]);
  });

  it('is stateless: another front continues after a kill', async () => {
    const first = await startFront();
    const { body: list } = await ask(first.port, 'GET', path);
    await ask(first.port, 'POST', path, configMap('b'));
    await first.stop('SIGKILL');
    const second = await startFront();
    expect(namesIn(await ask(second.port, 'GET', path))).toEqual(expect.arrayContaining(['b']));
    const since = `${path}?watch=true&timeoutSeconds=3&resourceVersion=${list.metadata.resourceVersion}`;
    const event = await firstEvent(open(second.port, 'GET', since));
    expect(event).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
    await second.stop('SIGTERM');
  });
});
