import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { faultCommand } from '../cli/faults.ts';
import { type FaultProxy, startFaults } from './faults.ts';

let behind: Server;
let asked: string[];
let proxy: FaultProxy;
let client: EC2Client;
beforeEach(async () => {
  asked = [];
  behind = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const action = new URLSearchParams(body).get('Action') ?? '';
    asked.push(action);
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end(
      action === 'DescribeSubnets'
        ? '<DescribeSubnetsResponse><subnetSet><item><availabilityZone>eu-central-1b</availabilityZone></item></subnetSet></DescribeSubnetsResponse>'
        : '<RunInstancesResponse><reservationId>r-1</reservationId></RunInstancesResponse>',
    );
  });
  await new Promise<void>((resolve) => behind.listen(0, '127.0.0.1', resolve));
  proxy = await startFaults(`http://127.0.0.1:${(behind.address() as AddressInfo).port}`);
  client = new EC2Client({
    endpoint: proxy.endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  process.env.CAPSTAN_EMULATOR_FAULTS = `${proxy.endpoint}/faults`;
});
afterEach(async () => {
  delete process.env.CAPSTAN_EMULATOR_FAULTS;
  client.destroy();
  await proxy.close();
  behind.closeAllConnections();
  await new Promise((resolve) => behind.close(resolve));
});

const fault = async (...args: string[]) => {
  const printed: string[] = [];
  const connect = () => Promise.reject(new Error('no control plane is asked'));
  await faultCommand(connect, (text) => printed.push(text)).parseAsync(args, { from: 'user' });
  return printed.join('\n');
};
const launch = (SubnetId = 'subnet-1') =>
  client.send(
    new RunInstancesCommand({ ImageId: 'ami-1', InstanceType: 't3.large', MinCount: 1, MaxCount: 1, SubnetId }),
  );
const capacity = ['add', '--action', 'RunInstances', '--code', 'InsufficientInstanceCapacity'];

it('passes every call on without a fault', async () => {
  expect((await launch()).ReservationId).toBe('r-1');
  expect(asked).toEqual(['RunInstances']);
});

it('answers with the error of EC2 as often as requested, without an effect', async () => {
  await fault(...capacity, '--count', '1');
  await expect(launch()).rejects.toMatchObject({
    name: 'InsufficientInstanceCapacity',
    message: expect.stringContaining('sufficient t3.large capacity'),
  });
  expect(asked).not.toContain('RunInstances');
  await expect(launch()).resolves.toBeDefined();
  expect(await fault('list')).toBe('No resources found.');
});

it('answers with the error after the effect', async () => {
  await fault('add', '--action', 'RunInstances', '--code', 'InternalError', '--after-effect');
  await expect(launch()).rejects.toMatchObject({ name: 'InternalError' });
  expect(asked).toContain('RunInstances');
  expect(await fault('clear')).toBe('1 fault cleared');
  await expect(launch()).resolves.toBeDefined();
});

it('finds the zone of a launch by its subnet', async () => {
  await fault(...capacity, '--zone', 'eu-central-1a');
  await expect(launch()).resolves.toBeDefined();
  await fault(...capacity, '--zone', 'eu-central-1b');
  await expect(launch()).rejects.toMatchObject({ name: 'InsufficientInstanceCapacity' });
});

it('rejects a malformed fault', async () => {
  await expect(fault('add', '--action', 'RunInstance', '--code', 'X')).rejects.toThrow('did you mean RunInstances');
});
