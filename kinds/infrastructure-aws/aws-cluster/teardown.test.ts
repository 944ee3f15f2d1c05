import { describe, expect, it } from 'vitest';
import type { Remains } from './observe-remains.ts';
import { clusterUidTag, installationTag } from './tags.ts';
import { planTeardown } from './teardown.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} };
const ours = [
  { Key: installationTag, Value: 'here' },
  { Key: clusterUidTag, Value: 'uid' },
];
const nothing = {
  subnets: [],
  carrierGateways: [],
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

describe('of a cluster that goes', () => {
  it.each([
    { rule: 'nothing is deleted when nothing is there', there: {}, steps: [] },
    {
      rule: 'load balancers and target groups of others stay',
      there: {
        loadBalancers: [balancer('theirs', []), balancer('half', ours.slice(1))],
        targetGroups: [targets('theirs', ours.slice(0, 1))],
      },
      steps: [],
    },
    {
      rule: 'target groups go after their load balancer, subnets as well',
      there: {
        loadBalancers: [balancer('lb', ours)],
        targetGroups: [targets('tg', ours, ['lb'])],
        subnets: [{ SubnetId: 'subnet-1' }],
      },
      steps: ['delete/lb'],
    },
    {
      rule: 'a target group that another load balancer uses stays',
      there: { targetGroups: [targets('tg', ours, ['theirs'])] },
      steps: [],
    },
    {
      rule: 'security groups go when none names another any more',
      there: { securityGroups: [group('sg-1', [{ UserIdGroupPairs: [{ GroupId: 'sg-2' }] }]), group('sg-2')] },
      steps: ['delete/sg-1/rules'],
    },
    {
      rule: 'security groups go together',
      there: { securityGroups: [group('sg-1'), group('sg-2')] },
      steps: ['delete/sg-1', 'delete/sg-2'],
    },
    {
      rule: 'an address stays while a gateway has it',
      there: { natGateways: [nat('available')], addresses: [address('eipassoc-1')] },
      steps: ['delete/nat-1'],
    },
    {
      rule: 'an address stays while its gateway is on its way out',
      there: { natGateways: [nat('deleting')], addresses: [address('eipassoc-1')] },
      steps: [],
    },
    {
      rule: 'an address goes when its gateway is gone, although it still says otherwise',
      there: { natGateways: [nat('deleted')], addresses: [address('eipassoc-1')] },
      steps: ['delete/eip-1'],
    },
    {
      rule: 'an address in use by another owner stays',
      there: { addresses: [address('eipassoc-9')] },
      steps: [],
    },
  ])('$rule', ({ there, steps }) => {
    const plan = planTeardown(owner, 'eu-central-1', {
      found: { ...nothing, ...there },
      isWhole: true,
    } as unknown as Remains);
    expect(plan.steps.map(({ key }) => key)).toEqual(steps);
  });
});
