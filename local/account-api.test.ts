import { beforeEach, describe, expect, it } from 'vitest';
import { openWorld } from '../simulation/aws/account.fixture.ts';
import { accountApi } from './account-api.ts';

let world: ReturnType<typeof openWorld>;
beforeEach(() => {
  world = openWorld();
});

const ask = async (method: string, path: string, body?: unknown) => {
  const init = { method, ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }) };
  const response = await accountApi(world.account, new Request(`https://server${path}`, init));
  return response && { status: response.status, body: (await response.json()) as { items: object[]; message: string } };
};
const faults = '/capstan.dev/account/faults';
const vpc = { CidrBlock: '10.0.0.0/16', TagSpecifications: [] };
const busy = { action: 'CreateVpc', code: 'RequestLimitExceeded' };

describe('what launches refer to', () => {
  const base = '/capstan.dev/account';
  it.each([
    {
      what: 'images',
      body: { name: 'mine-v1.36.0', architecture: 'x86_64', region: 'us-east-1' },
      again: /InvalidAMIName.Duplicate/,
    },
    { what: 'key-pairs', body: { name: 'mine', region: 'us-east-1' }, again: /InvalidKeyPair.Duplicate/ },
    { what: 'instance-profiles', body: { name: 'mine' }, again: /EntityAlreadyExists/ },
  ])('is added once: $what', async ({ what, body, again }) => {
    expect((await ask('POST', `${base}/${what}`, body))?.status).toBe(201);
    const repeated = await ask('POST', `${base}/${what}`, body);
    expect(repeated).toMatchObject({ status: 400, body: { message: expect.stringMatching(again) } });
  });

  it.each([
    { what: 'images', body: { name: 'mine', region: 'us-east-1' }, says: 'architecture' },
    { what: 'images', body: { name: 'mine', architecture: 'arm64' }, says: 'region' },
    { what: 'key-pairs', body: { name: 'a b', region: 'us-east-1' }, says: 'its name' },
    { what: 'key-pairs', body: { name: 'mine', region: 'moon-1' }, says: 'moon-1' },
    { what: 'instance-profiles', body: 'x', says: 'its name' },
  ])('is refused with the reason: $says', async ({ what, body, says }) =>
    expect(await ask('POST', `${base}/${what}`, body)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(says) },
    }));

  it('is found by calls of AWS', async () => {
    world = openWorld({ behaviour: { keyPairs: [] } });
    await ask('POST', `${base}/key-pairs`, { name: 'mine', region: 'us-east-1' });
    await ask('POST', `${base}/instance-profiles`, { name: 'mine' });
    expect(await world.call('DescribeKeyPairs', {})).toMatchObject({ KeyPairs: [{ KeyName: 'mine' }] });
    const elsewhere = world.account.uncounted('eu-west-1', 'DescribeKeyPairs', { KeyNames: ['mine'] });
    await expect(elsewhere).rejects.toMatchObject({ code: 'InvalidKeyPair.NotFound' });
    await world.call('GetInstanceProfile', { InstanceProfileName: 'mine' });
    expect((await ask('GET', `${base}/instance-profiles`))?.body.items).toHaveLength(4);
  });
});

describe('faults of the account', () => {
  it('are added, listed and cleared', async () => {
    expect(await ask('POST', faults, busy)).toEqual({ status: 201, body: { ...busy, id: 'fault-1' } });
    const more = {
      action: 'RunInstances',
      code: 'Mine',
      zone: 'us-east-1a',
      type: 't3.large',
      count: 2,
      message: 'no',
    };
    expect((await ask('POST', faults, { ...more, afterEffect: true }))?.status).toBe(201);
    expect((await ask('GET', faults))?.body.items).toEqual([
      { ...busy, id: 'fault-1' },
      { ...more, afterEffect: true, id: 'fault-2' },
    ]);
    expect((await ask('DELETE', `${faults}/fault-1`))?.body.items).toEqual([{ ...busy, id: 'fault-1' }]);
    expect((await ask('DELETE', `${faults}/fault-1`))?.status).toBe(404);
    expect((await ask('DELETE', faults))?.body.items).toHaveLength(1);
    expect((await ask('GET', faults))?.body.items).toEqual([]);
  });

  it('apply before the effect', async () => {
    await ask('POST', faults, { ...busy, count: 1 });
    const create = () => world.call('CreateVpc', vpc);
    await expect(create()).rejects.toMatchObject({ code: 'RequestLimitExceeded', message: 'Request limit exceeded.' });
    await create();
    expect((await ask('GET', faults))?.body.items).toEqual([]);
  });

  it('apply after the effect', async () => {
    await ask('POST', faults, { ...busy, afterEffect: true });
    await expect(world.call('CreateVpc', vpc)).rejects.toMatchObject({ code: busy.code });
    expect(world.account.list()).toMatchObject([{ type: 'vpc' }]);
  });

  it.each([
    { rule: 'an unknown action', fault: { ...busy, action: 'CreateVPCs' }, says: 'did you mean CreateVpc' },
    { rule: 'a word unlike any action', fault: { ...busy, action: 'Zzzzzz' }, says: /^unknown action "Zzzzzz"$/ },
    { rule: 'an unknown market', fault: { ...busy, market: 'spots' }, says: 'did you mean spot?' },
    { rule: 'an unknown zone', fault: { ...busy, zone: 'us-east-1z' }, says: 'did you mean us-east-1a or' },
    { rule: 'no action', fault: { code: 'X' }, says: 'a fault has an action and a code' },
    { rule: 'no code', fault: { action: 'CreateVpc' }, says: 'a fault has an action and a code' },
    { rule: 'an empty code', fault: { ...busy, code: '' }, says: 'code must be a text' },
    { rule: 'a count of zero', fault: { ...busy, count: 0 }, says: 'count must be a whole number above 0' },
    { rule: 'a fractional count', fault: { ...busy, count: 1.5 }, says: 'count must be a whole number above 0' },
    {
      rule: 'a flag that is not Boolean',
      fault: { ...busy, afterEffect: 'yes' },
      says: 'afterEffect must be true or false',
    },
    { rule: 'an unknown field', fault: { ...busy, colour: 'red' }, says: 'a fault has no colour' },
    { rule: 'a list', fault: [busy], says: 'a fault is a JSON object' },
    { rule: 'invalid JSON', fault: '{', says: 'a fault is a JSON object' },
  ])('with $rule are rejected', async ({ fault, says }) => {
    const answer = await ask('POST', faults, fault);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(says) } });
    expect((await ask('GET', faults))?.body.items).toEqual([]);
  });

  it('may apply to every action', async () => {
    expect((await ask('POST', faults, { ...busy, action: '*' }))?.status).toBe(201);
  });
});

it.each([
  ['GET', '/capstan.dev/account/other'],
  ['PUT', faults],
  ['POST', `${faults}/fault-1`],
  ['GET', `${faults}/fault-1`],
])('%s %s is not a path of the account', async (method, path) => expect((await ask(method, path))?.status).toBe(404));

it('leaves other paths to other handlers', async () => expect(await ask('GET', '/api/v1')).toBeUndefined());

describe('trouble of an instance', () => {
  const post = (id: string, body: unknown) => ask('POST', `/capstan.dev/account/instances/${id}/trouble`, body);
  it.each([
    { rule: 'an unknown check', body: { impaired: ['disk'] }, says: 'a status check is one of system' },
    { rule: 'an unknown event', body: { events: [{ Code: 'meteor' }] }, says: 'an event is one of instance-reboot' },
    {
      rule: 'a time that is none',
      body: { events: [{ Code: 'instance-stop', NotBefore: 'soon' }] },
      says: 'NotBefore must be a time',
    },
    { rule: 'lists that are none', body: { impaired: 'system' }, says: 'trouble is a JSON object' },
    { rule: 'text that is no JSON', body: '{', says: 'trouble is a JSON object' },
  ])('is refused with $rule', async ({ body, says }) => {
    const answer = await post('i-0123456789abcdef0', body);
    expect(answer?.status).toBe(400);
    expect(answer?.body.message).toContain(says);
  });
  it('is refused for a missing instance', async () =>
    expect((await post('i-0123456789abcdef0', { impaired: ['system'] }))?.status).toBe(404));
});

describe('alarms of the account', () => {
  const alarm = '/capstan.dev/account/alarms/us-east-1/queue%20deep';
  const states = async () => {
    const { MetricAlarms } = await world.call('DescribeAlarms', { AlarmNames: ['queue deep'] });
    return MetricAlarms.map(({ StateValue }) => StateValue);
  };
  it('are created, changed and deleted', async () => {
    expect(await ask('PUT', alarm, { state: 'OK' })).toMatchObject({ status: 200 });
    expect(await ask('PUT', alarm, { state: 'ALARM' })).toMatchObject({ status: 200 });
    expect(await states()).toEqual(['ALARM']);
    expect(await ask('DELETE', alarm)).toMatchObject({ status: 200 });
    expect(await states()).toEqual([]);
  });
  it.each([
    { rule: 'another state', path: alarm, body: { state: 'Loud' }, status: 400 },
    { rule: 'no state', path: alarm, body: '', status: 400 },
    { rule: 'an unknown region', path: alarm.replace('us-east-1', 'mars'), body: { state: 'OK' }, status: 400 },
  ])('refuse $rule', async ({ path, body, status }) => expect((await ask('PUT', path, body))?.status).toBe(status));
});
