import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { accountApi } from '../local/account-api.ts';
import { openWorld } from '../simulation/aws/account.fixture.ts';
import { clientOf } from './client.fixture.ts';
import { openCloud } from './cloud-call.ts';
import { createNetwork, renderNetwork } from './cloud-network.ts';

const region = 'us-east-1';
const open = async () => {
  const world = openWorld();
  const client = clientOf(async (request) => (await accountApi(world.account, request))!);
  return { ...world, call: await openCloud(async () => client, region) };
};
const options = { region, name: 'theirs', cidr: '10.9.0.0/16', zones: 2 };

describe('an unmanaged network', () => {
  it('has public and private subnets in each zone, with routes to the internet', async () => {
    const { call, account } = await open();
    const network = await createNetwork(call, options);
    const types = account.list().map(({ type }) => type);
    expect(types.filter((type) => type === 'subnet')).toHaveLength(4);
    expect(types).toEqual(expect.arrayContaining(['vpc', 'internet-gateway', 'natgateway', 'elastic-ip']));
    expect(parse(renderNetwork(network)).spec.network).toEqual({
      vpc: { id: network.vpc },
      subnets: [...network.publicSubnets, ...network.privateSubnets].map((id) => ({ id })),
    });
    const { RouteTables } = await call<{ RouteTables: { Associations: object[]; Routes: object[] }[] }>(
      'DescribeRouteTables',
      { Filters: [{ Name: 'association.subnet-id', Values: network.privateSubnets }] },
    );
    expect(RouteTables[0]?.Routes).toContainEqual(expect.objectContaining({ NatGatewayId: expect.anything() }));
  });

  it('is created outside Capstan’s call count, and despite injected faults', async () => {
    const { call, account } = await open();
    account.faults.add({ action: '*', code: 'InternalError' });
    await createNetwork(call, options);
    expect(account.calls()).toEqual([]);
  });

  it('waits until EC2 shows what it created', async () => {
    const { call } = await open();
    let refusals = 0;
    const slow: typeof call = async <T>(action: string, input: object) => {
      if (action === 'CreateRoute' && refusals++ < 2) throw new Error('InvalidRouteTableID.NotFound: not there');
      return call<T>(action, input);
    };
    await expect(createNetwork(slow, options)).resolves.toBeDefined();
    expect(refusals).toBeGreaterThan(2);
  });

  it.each(['10.9.0.0/8', '300.1.0.0/16', 'x'])('rejects the CIDR block %s', async (cidr) => {
    const { call } = await open();
    await expect(createNetwork(call, { ...options, cidr })).rejects.toThrow('not of the form');
  });

  it('rejects more zones than the region has', async () => {
    const { call, account } = await open();
    await expect(createNetwork(call, { ...options, zones: 9 })).rejects.toThrow('6 availability zones, not 9');
    expect(account.list()).toEqual([]);
  });
});

it('a deployed control plane leaves the account alone', async () => {
  const deployment = { clusterId: 'c', installation: 'c', account: '1', region };
  const client = { ...clientOf(async () => new Response()), deployment };
  await expect(openCloud(async () => client, region)).rejects.toThrow('whose AWS account is real');
});
