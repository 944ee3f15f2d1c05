import { describe, expect, it } from 'vitest';
import { accountApi } from '../local/account-api.ts';
import { openWorld } from '../simulation/aws/account.fixture.ts';
import { clientOf } from './client.fixture.ts';
import { namingRegion, openCloud } from './cloud-call.ts';
import { createNetwork } from './cloud-network.ts';
import { byRegion, changeTags, tagChangeOf } from './cloud-tags.ts';

const region = 'us-east-1';
const open = async () => {
  const world = openWorld();
  const client = clientOf(async (request) => (await accountApi(world.account, request))!);
  const call = namingRegion(await openCloud(async () => client, region), region);
  const network = await createNetwork(call, { region, name: 'theirs', cidr: '10.9.0.0/16', zones: 1 });
  const tagsOf = (id: string) => world.account.list().find((one) => one.id === id)?.tags;
  return { ...world, call, network, tagsOf };
};

describe('tags', () => {
  it('of EC2 are set and removed, by id and by ARN', async () => {
    const { call, network, tagsOf } = await open();
    const [subnet] = network.publicSubnets;
    const arn = `arn:aws:ec2:${region}:111122223333:subnet/${subnet}`;
    await changeTags(call, tagChangeOf([network.vpc, arn, 'team=a', 'Name-']));
    expect(tagsOf(network.vpc)).toEqual({ team: 'a' });
    expect(tagsOf(subnet!)).toEqual({ team: 'a' });
  });

  it('of load balancers, their target groups and classic ones are set and removed', async () => {
    const { call, network, account, tagsOf } = await open();
    const [subnet = ''] = network.publicSubnets;
    const Tags = [{ Key: 'owner', Value: 'old' }];
    await call('CreateLoadBalancer', { Name: 'n', Type: 'network', Scheme: 'internal', Subnets: [subnet], Tags });
    await call('CreateClassicLoadBalancer', {
      LoadBalancerName: 'c',
      Listeners: [{ Protocol: 'TCP', LoadBalancerPort: 6443, InstanceProtocol: 'TCP', InstancePort: 6443 }],
      Subnets: [subnet],
      SecurityGroups: [],
      Scheme: 'internal',
      Tags,
    });
    const arns = account
      .list()
      .filter(({ type }) => type === 'load-balancer')
      .map(({ id }) => id);
    expect(arns).toHaveLength(2);
    await changeTags(call, tagChangeOf([...arns, network.vpc, 'team=a', 'owner-']));
    for (const arn of arns) expect(tagsOf(arn)).toEqual({ team: 'a' });
  });

  it('keep the text after the first =', () =>
    expect(tagChangeOf(['vpc-1', 'a=b=c']).set).toEqual([{ Key: 'a', Value: 'b=c' }]));

  it.each([
    { args: ['a=b'], says: 'name a resource' },
    { args: ['vpc-1'], says: 'key=value' },
  ])('are refused as $args', ({ args, says }) => expect(() => tagChangeOf(args)).toThrow(says));

  it('of another service are refused', async () => {
    const { call } = await open();
    const change = tagChangeOf(['arn:aws:secretsmanager:us-east-1:1:secret:s', 'a=b']);
    await expect(changeTags(call, change)).rejects.toThrow('of EC2 and of load balancing only');
  });

  it('of a missing resource fail with the message of EC2, and with the region', async () => {
    const { call } = await open();
    await expect(changeTags(call, tagChangeOf(['vpc-0123456789abcdef0', 'a=b']))).rejects.toThrow(
      /InvalidVpcID\.NotFound.*looked in us-east-1; --region names another region/,
    );
  });

  it('are changed in the region that an ARN names', () =>
    expect([
      ...byRegion(['vpc-1', 'arn:aws:ec2:eu-west-1:1:subnet/subnet-1', 'arn:aws:ec2:us-east-1:1:vpc/vpc-2'], region),
    ]).toEqual([
      ['us-east-1', ['vpc-1', 'arn:aws:ec2:us-east-1:1:vpc/vpc-2']],
      ['eu-west-1', ['arn:aws:ec2:eu-west-1:1:subnet/subnet-1']],
    ]));
});
