import { describe, expect, it } from 'vitest';
import { types } from '../network/resources/index.ts';
import { clusterUidTag, installationTag } from './tags.ts';
import type { Remains } from './teardown.ts';
import { planTeardown } from './teardown.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} };
const ours = [
  { Key: installationTag, Value: 'here' },
  { Key: clusterUidTag, Value: 'uid' },
];
const nothing = {
  subnets: [],
  carrierGateways: [],
  egressOnlyInternetGateways: [],
  natGateways: [],
  addresses: [],
  routeTables: [],
  securityGroups: [],
  loadBalancers: [],
  targetGroups: [],
  vpcs: [],
  internetGateways: [],
  bastions: [],
};
const nat = (State: string) => ({ NatGatewayId: 'nat-1', State, NatGatewayAddresses: [{ AllocationId: 'eip-1' }] });
const address = (AssociationId?: string) => ({ AllocationId: 'eip-1', ...(AssociationId && { AssociationId }) });
const group = (GroupId: string, IpPermissions: object[] = []) => ({ GroupId, IpPermissions });
const balancer = (LoadBalancerArn: string, tags: object[]) => ({ LoadBalancerArn, tags, State: { Code: 'active' } });
const targets = (TargetGroupArn: string, tags: object[], LoadBalancerArns: string[] = []) => ({
  TargetGroupArn,
  tags,
  LoadBalancerArns,
});

describe('the teardown of a cluster', () => {
  it.each([
    { rule: 'deletes nothing when nothing exists', there: {}, steps: [] },
    {
      rule: 'keeps load balancers and target groups of other owners',
      there: {
        loadBalancers: [balancer('theirs', []), balancer('half', ours.slice(1))],
        targetGroups: [targets('theirs', ours.slice(0, 1))],
      },
      steps: [],
    },
    {
      rule: 'deletes target groups and subnets after their load balancer',
      there: {
        loadBalancers: [balancer('lb', ours)],
        targetGroups: [targets('tg', ours, ['lb'])],
        subnets: [{ SubnetId: 'subnet-1' }],
      },
      steps: ['delete/lb'],
    },
    {
      rule: 'keeps a target group that another load balancer uses',
      there: { targetGroups: [targets('tg', ours, ['theirs'])] },
      steps: [],
    },
    {
      rule: 'deletes a security group when no other group refers to it',
      there: { securityGroups: [group('sg-1', [{ UserIdGroupPairs: [{ GroupId: 'sg-2' }] }]), group('sg-2')] },
      steps: ['delete/sg-1/rules'],
    },
    {
      rule: 'deletes unrelated security groups together',
      there: { securityGroups: [group('sg-1'), group('sg-2')] },
      steps: ['delete/sg-1', 'delete/sg-2'],
    },
    {
      rule: 'keeps an address while a gateway uses it',
      there: { natGateways: [nat('available')], addresses: [address('eipassoc-1')] },
      steps: ['delete/nat-1'],
    },
    {
      rule: 'keeps an address while its gateway is in deletion',
      there: { natGateways: [nat('deleting')], addresses: [address('eipassoc-1')] },
      steps: [],
    },
    {
      rule: 'releases an address when its gateway is gone, even if it still shows an association',
      there: { natGateways: [nat('deleted')], addresses: [address('eipassoc-1')] },
      steps: ['delete/eip-1'],
    },
    {
      rule: 'keeps an address in use by another owner',
      there: { addresses: [address('eipassoc-9')] },
      steps: [],
    },
  ])('$rule', ({ there, steps }) => {
    const plan = planTeardown(
      owner,
      'eu-central-1',
      {
        found: { ...nothing, ...there },
        isWhole: true,
      } as unknown as Remains,
      types,
    );
    expect(plan.steps.map(({ key }) => key)).toEqual(steps);
  });
});
