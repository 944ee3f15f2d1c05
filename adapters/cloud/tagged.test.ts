import { describe, expect, it } from 'vitest';
import type { Cloud, CloudAction } from '../../kinds/ports/cloud/index.ts';
import { named, taggedResources } from './tagged.ts';

describe('an ARN', () => {
  it.each([
    ['arn:aws:ec2:eu-central-1:123456789012:instance/i-1', 'instance', 'i-1'],
    ['arn:aws-cn:ec2:cn-north-1:123456789012:elastic-ip/eipalloc-1', 'elastic-ip', 'eipalloc-1'],
    ['arn:aws:ssm:eu-central-1:123456789012:parameter/cluster.x-k8s.io/a/0', 'parameter', '/cluster.x-k8s.io/a/0'],
    [
      'arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/net/a/1f',
      'load-balancer',
      'arn:aws:elasticloadbalancing:eu-central-1:123456789012:loadbalancer/net/a/1f',
    ],
    [
      'arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/a/1f',
      'target-group',
      'arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/a/1f',
    ],
    [
      'arn:aws:secretsmanager:eu-central-1:123456789012:secret:aws.cluster.x-k8s.io/a-0-Ab12Cd',
      'secret',
      'arn:aws:secretsmanager:eu-central-1:123456789012:secret:aws.cluster.x-k8s.io/a-0-Ab12Cd',
    ],
  ])('%s is a %s', (arn, type, id) => expect(named(arn)).toEqual({ type, id }));
});

describe('a search by tag', () => {
  const arn = (what: string) => `arn:aws:ec2:eu-central-1:123456789012:${what}`;
  /** Returns pages and records the requests. */
  const cloudOf = (pages: string[][], more: Partial<Record<CloudAction, unknown>>) => {
    const asked: [CloudAction, unknown][] = [];
    const call = async (_: string, action: CloudAction, input: { PaginationToken?: string }) => {
      asked.push([action, input]);
      if (action !== 'GetResources') return more[action];
      const page = Number(input.PaginationToken ?? 0);
      return {
        ResourceTagMappingList: pages[page]!.map((what) => ({
          ResourceARN: arn(what),
          Tags: [{ Key: 'k', Value: 'v' }],
        })),
        // The service marks the last page with an empty token.
        PaginationToken: page + 1 < pages.length ? String(page + 1) : '',
      };
    };
    return { cloud: { call } as Cloud, asked };
  };

  it('asks for resources that carry all the tags', async () => {
    const { cloud, asked } = cloudOf([[]], {});
    await taggedResources(cloud, 'eu-central-1', { k: 'v', l: 'w' });
    const TagFilters = [
      { Key: 'k', Values: ['v'] },
      { Key: 'l', Values: ['w'] },
    ];
    expect(asked).toEqual([['GetResources', { TagFilters }]]);
  });

  it('reads every page and does not query types that it did not find', async () => {
    const { cloud, asked } = cloudOf([['vpc/vpc-1'], ['subnet/subnet-1'], []], {});
    expect(await taggedResources(cloud, 'eu-central-1', { k: 'v' })).toEqual([
      { type: 'vpc', id: 'vpc-1', tags: { k: 'v' } },
      { type: 'subnet', id: 'subnet-1', tags: { k: 'v' } },
    ]);
    const TagFilters = [{ Key: 'k', Values: ['v'] }];
    expect(asked).toEqual([
      ['GetResources', { TagFilters }],
      ['GetResources', { TagFilters, PaginationToken: '1' }],
      ['GetResources', { TagFilters, PaginationToken: '2' }],
    ]);
  });

  it('leaves out resources that are gone or being deleted but still tagged', async () => {
    const states = { 'i-1': 'running', 'i-2': 'shutting-down', 'i-3': 'terminated', 'i-4': 'stopped' };
    const { cloud, asked } = cloudOf(
      [
        [
          'instance/i-1',
          'instance/i-2',
          'instance/i-3',
          'instance/i-4',
          'instance/i-5',
          'natgateway/nat-1',
          'natgateway/nat-2',
        ],
      ],
      {
        DescribeInstances: {
          Reservations: Object.entries(states).map(([InstanceId, Name]) => ({
            Instances: [{ InstanceId, State: { Name } }],
          })),
        },
        DescribeNatGateways: {
          NatGateways: [
            { NatGatewayId: 'nat-1', State: 'deleted' },
            { NatGatewayId: 'nat-2', State: 'failed' },
          ],
        },
      },
    );
    const ids = (await taggedResources(cloud, 'eu-central-1', { k: 'v' })).map(({ id }) => id);
    expect(ids).toEqual(['i-1', 'i-4', 'nat-2']);
    expect(asked.map(([action]) => action)).toEqual(['GetResources', 'DescribeInstances', 'DescribeNatGateways']);
  });

  it('asks Auto Scaling for groups where there is a launch template, and leaves out those being deleted', async () => {
    const group = (AutoScalingGroupName: string, more: object = {}) => ({
      AutoScalingGroupName,
      Tags: [{ Key: 'k', Value: 'v' }],
      ...more,
    });
    const { cloud, asked } = cloudOf([['launch-template/lt-1']], {
      DescribeAutoScalingGroups: {
        AutoScalingGroups: [
          group('kept'),
          group('going', { Status: 'Delete in progress' }),
          group('foreign', { Tags: [{ Key: 'k', Value: 'w' }] }),
        ],
      },
    });
    const ids = (await taggedResources(cloud, 'eu-central-1', { k: 'v' })).map(({ id }) => id);
    expect(ids).toEqual(['lt-1', 'kept']);
    expect(asked[1]).toEqual(['DescribeAutoScalingGroups', { Filters: [{ Name: 'tag:k', Values: ['v'] }] }]);
  });
});
