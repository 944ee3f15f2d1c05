/** The state of an account outlives the emulator's servers, even if they stop in the middle of an operation. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { CreateSubnetCommand, CreateVpcCommand, DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { CreateEventSourceMappingCommand, CreateFunctionCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetResourcesCommand, ResourceGroupsTaggingAPIClient } from '@aws-sdk/client-resource-groups-tagging-api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createGuardian } from '../../../emulator/guardian.ts';
import { startHost } from '../../../emulator/host/index.ts';
import { createMiniStack } from '../../../emulator/ministack.ts';
import { createMoto } from '../../../emulator/moto.ts';
import { freePort } from '../../../emulator/server.ts';
import { lossesIn } from '../../../emulator/unsaved.ts';
import { ensureVenv } from '../../../emulator/venv.ts';
import { zipOf } from './zip.ts';

const region = 'us-east-1';
const account = '000000000000';
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

let folder: string;
const guardian = createGuardian();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-restart-'));
});
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of closing.splice(0).reverse()) await end();
  await rm(folder, { recursive: true, force: true });
});

/** A stored file tells what it holds, however long a save takes. */
const untilSaved = async (file: string, text: string) => {
  for (let tries = 0; tries < 600; tries++) {
    if (existsSync(join(folder, file)) && readFileSync(join(folder, file)).includes(text)) return;
    await delay(200);
  }
  throw new Error(`${file} was never saved with ${text}`);
};

it('moto keeps its account when it stops during a paged read of tagged resources, and reports what a kill lost', async () => {
  const moto = createMoto({
    python: await ensureVenv(),
    port: await freePort(),
    folder,
    account,
    guardian,
    saveEvery: 1,
  });
  closing.push(moto.stop);
  await moto.start();
  const client = { endpoint: moto.endpoint, region, credentials };
  const ec2 = new EC2Client(client);
  const tags = new ResourceGroupsTaggingAPIClient(client);
  closing.push(
    () => ec2.destroy(),
    () => tags.destroy(),
  );
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  const VpcId = Vpc!.VpcId!;
  const addSubnet = (n: number) =>
    ec2.send(
      new CreateSubnetCommand({
        VpcId,
        CidrBlock: `10.0.${n}.0/24`,
        TagSpecifications: [{ ResourceType: 'subnet', Tags: [{ Key: 'of', Value: 'a contract' }] }],
      }),
    );
  for (let n = 0; n < 60; n++) await addSubnet(n);
  const subnets = async () => {
    const Filters = [{ Name: 'vpc-id', Values: [VpcId] }];
    return (await ec2.send(new DescribeSubnetsCommand({ Filters }))).Subnets?.length;
  };
  const { PaginationToken } = await tags.send(new GetResourcesCommand({ TagFilters: [{ Key: 'of' }] }));
  expect(PaginationToken).not.toBe('');

  await moto.stop();
  expect(await lossesIn(folder)).toEqual([]);
  await moto.start();
  expect(await subnets()).toBe(60);

  await addSubnet(60);
  await untilSaved('moto.pickle', '10.0.60.0/24');
  await moto.crash();
  expect(await lossesIn(folder)).toEqual([expect.stringContaining('instances'), expect.stringContaining('--reset')]);
  await moto.start();
  expect(await subnets()).toBe(61);
});

it('MiniStack keeps state older than some seconds when it is killed', async () => {
  const ministack = createMiniStack({
    python: await ensureVenv(),
    port: await freePort(),
    folder,
    region,
    account,
    guardian,
    saveEvery: 1,
    functions: [],
    host: '',
  });
  closing.push(ministack.stop);
  await ministack.start();
  const tables = new DynamoDBClient({ endpoint: ministack.endpoint, region, credentials });
  closing.push(() => tables.destroy());
  await tables.send(
    new CreateTableCommand({
      TableName: 'objects',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
  const put = (id: string) => tables.send(new PutItemCommand({ TableName: 'objects', Item: { id: { S: id } } }));
  const count = async () => (await tables.send(new ScanCommand({ TableName: 'objects' }))).Count;
  for (const id of ['first', 'second']) {
    await put(id);
    await untilSaved('state/dynamodb.json', `"${id}"`);
  }
  await ministack.crash();
  expect(await lossesIn(folder)).toEqual([expect.stringContaining('tables'), expect.stringContaining('--reset')]);
  await ministack.start();
  expect(await count()).toBe(2);
  await ministack.stop();
  expect(await lossesIn(folder)).toEqual([]);
});

it('MiniStack delivers after a restart the stream records that no function has read', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const python = await ensureVenv();
  const functions = ['reader'];
  const ministack = createMiniStack({
    python,
    port: await freePort(),
    folder,
    region,
    account,
    guardian,
    functions,
    host: url,
  });
  closing.push(ministack.stop);
  await ministack.start();
  const client = { endpoint: ministack.endpoint, region, credentials };
  const [tables, lambda] = [new DynamoDBClient(client), new LambdaClient(client)];
  closing.push(
    () => tables.destroy(),
    () => lambda.destroy(),
  );

  const read = new Set<string>();
  let isFailing = false;
  const host = await startHost({
    functions: {
      invoke: async (_: string, event: unknown) => {
        if (isFailing) throw new Error('not now');
        const { Records } = event as { Records: { dynamodb: { Keys: { id: { S: string } } } }[] };
        for (const { dynamodb } of Records) read.add(dynamodb.Keys.id.S);
        return { batchItemFailures: [] };
      },
    } as never,
    queues: undefined as never,
    lambda,
    region,
    port,
    isDuplicating: () => false,
    onError: () => undefined,
  });
  closing.push(host.close);

  const put = (id: string) => tables.send(new PutItemCommand({ TableName: 'objects', Item: { id: { S: id } } }));
  const until = async (id: string) => {
    for (let tries = 0; tries < 600 && !read.has(id); tries++) await delay(200);
    expect([...read]).toContain(id);
  };
  const { TableDescription } = await tables.send(
    new CreateTableCommand({
      TableName: 'objects',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    }),
  );
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName: 'reader',
      Runtime: 'nodejs22.x',
      Handler: 'index.handler',
      Role: `arn:aws:iam::${account}:role/reader`,
      Code: { ZipFile: zipOf('index.mjs', 'export const handler = () => 0;') },
    }),
  );
  await lambda.send(
    new CreateEventSourceMappingCommand({
      FunctionName: 'reader',
      EventSourceArn: TableDescription!.LatestStreamArn!,
      StartingPosition: 'LATEST',
    }),
  );
  for (let n = 0; n < 5; n++) await put(`before ${n}`);
  await until('before 4');
  isFailing = true;
  await put('between');
  await delay(2_000);

  await ministack.stop();
  expect(await lossesIn(folder)).toEqual([]);
  await ministack.start();
  isFailing = false;
  await until('between');
  await put('after');
  await until('after');
});
