import { describe, expect, it } from 'vitest';
import {
  type Cloud,
  type CloudAction,
  CloudError,
  type CloudInput,
  type CloudOutput,
  type Tag,
} from '../../kinds/ports/cloud/index.ts';
import { guarded } from './guarded.ts';

const owned = { 'capstan.dev/installation': 'here', 'capstan.dev/cluster-uid': 'uid' };
const mine: Tag[] = Object.entries(owned).map(([Key, Value]) => ({ Key, Value }));

/** A cloud with one security group, one address and one target group, which records mutating calls. */
const cloudWith = (tags: Tag[] | undefined) => {
  const changes: string[] = [];
  const answers: Partial<Record<CloudAction, unknown>> = {
    DescribeSecurityGroups: { SecurityGroups: [{ GroupId: 'sg-1', Tags: tags }] },
    DescribeAddresses: { Addresses: tags ? [{ AllocationId: 'eip', Tags: tags }] : [] },
    DescribeRouteTables: { RouteTables: [{ RouteTableId: 'rtb', Tags: tags }] },
    DescribeClassicLoadBalancerTags: { TagDescriptions: [{ LoadBalancerName: 'elb', Tags: tags }] },
    DescribeLoadBalancerTags: { TagDescriptions: [{ ResourceArn: 'tg', Tags: tags }] },
    DescribeInstances: {
      Reservations: [
        {
          Instances: [
            { InstanceId: 'i-1', Tags: mine, BlockDeviceMappings: [], NetworkInterfaces: [] },
            {
              InstanceId: 'i-2',
              Tags: tags,
              BlockDeviceMappings: [{ Ebs: { VolumeId: 'vol-2' } }],
              NetworkInterfaces: [{ NetworkInterfaceId: 'eni-2' }],
            },
            {
              InstanceId: 'i-3',
              Tags: [...mine, { Key: 'aws:autoscaling:groupName', Value: 'group' }],
              BlockDeviceMappings: [],
              NetworkInterfaces: [],
            },
          ],
        },
      ],
    },
    DescribeAutoScalingGroups: { AutoScalingGroups: [{ AutoScalingGroupName: 'group', Tags: tags }] },
    DescribeLaunchTemplates: { LaunchTemplates: [{ LaunchTemplateId: 'lt-1', Tags: tags }] },
    ListTagsForResource: { TagList: tags },
    DescribeSecret: { ARN: 'arn', Name: 'secret-1', Tags: tags },
  };
  const cloud: Cloud = {
    call: async <A extends CloudAction>(_: string, action: A, __: CloudInput<A>) => {
      if (!/^(Describe|List)/.test(action)) changes.push(action);
      if (tags === undefined && action === 'DescribeSecurityGroups')
        throw new CloudError('InvalidGroup.NotFound', 'no such group');
      if (action === 'DescribeVpcs') throw new CloudError('RequestLimitExceeded', 'slow down');
      return (answers[action] ?? {}) as CloudOutput<A>;
    },
  };
  return { port: guarded(cloud), changes };
};
const call = (input: object, proof: object | undefined = owned) =>
  ({ region: 'r', input, ...(proof && { owned: proof }) }) as never;

describe('a destructive call', () => {
  const cases = [
    { action: 'DeleteSecurityGroup', input: { GroupId: 'sg-1' } },
    { action: 'RevokeSecurityGroupIngress', input: { GroupId: 'sg-1', IpPermissions: [] } },
    { action: 'ReleaseAddress', input: { AllocationId: 'eip' } },
    { action: 'DeregisterTargets', input: { TargetGroupArn: 'tg', Targets: [] } },
    { action: 'DeleteClassicLoadBalancer', input: { LoadBalancerName: 'elb' } },
    { action: 'DeregisterInstancesFromLoadBalancer', input: { LoadBalancerName: 'elb', Instances: [] } },
    { action: 'RemoveClassicLoadBalancerTags', input: { LoadBalancerNames: ['elb'], Tags: [{ Key: 'a' }] } },
    { action: 'TerminateInstances', input: { InstanceIds: ['i-1', 'i-2'] } },
    { action: 'DisassociateRouteTable', input: { AssociationId: 'rtbassoc-1' } },
    { action: 'DeleteTags', input: { Resources: ['i-2', 'vol-2', 'eni-2'], Tags: [{ Key: 'team' }] } },
    { action: 'DeleteTags', input: { Resources: ['sg-1'], Tags: [{ Key: 'team' }] } },
    { action: 'RemoveTags', input: { ResourceArns: ['tg'], TagKeys: ['team'] } },
    { action: 'DeleteSecret', input: { SecretId: 'secret-1' } },
    { action: 'DeleteParameter', input: { Name: '/one' } },
    { action: 'DeleteLaunchTemplate', input: { LaunchTemplateId: 'lt-1' } },
    { action: 'DeleteLaunchTemplateVersions', input: { LaunchTemplateId: 'lt-1', Versions: ['1'] } },
    { action: 'DeleteAutoScalingGroup', input: { AutoScalingGroupName: 'group', ForceDelete: true } },
    { action: 'DeleteLifecycleHook', input: { AutoScalingGroupName: 'group', LifecycleHookName: 'drain' } },
    {
      action: 'DeleteTagsOfGroup',
      input: { Tags: [{ ResourceId: 'group', ResourceType: 'auto-scaling-group', Key: 'team' }] },
    },
    {
      action: 'TerminateInstanceInAutoScalingGroup',
      input: { InstanceId: 'i-3', ShouldDecrementDesiredCapacity: true },
    },
  ];
  const claims = [
    { action: 'CreateTags', input: { Resources: ['sg-1'], Tags: [{ Key: 'team', Value: 'a' }] } },
    { action: 'AddTags', input: { ResourceArns: ['tg'], Tags: [{ Key: 'team', Value: 'a' }] } },
    { action: 'AddClassicLoadBalancerTags', input: { LoadBalancerNames: ['elb'], Tags: [{ Key: 'a', Value: 'b' }] } },
  ];
  it.each(claims)('of another sort that comes with a proof needs it, too: $action', async ({ action, input }) => {
    const there = cloudWith(mine);
    await there.port.call(action, call(input));
    const lacks = cloudWith(mine.slice(1));
    await expect(lacks.port.call(action, call(input))).rejects.toMatchObject({ code: 'NotOwned' });
    expect([there.changes, lacks.changes]).toEqual([[action], []]);
  });
  it.each(cases)('reaches a resource that carries all tags: $action', async ({ action, input }) => {
    const { port, changes } = cloudWith(mine);
    await port.call(action, call(input));
    expect(changes).toEqual([action]);
  });
  it.each(cases)('is refused for a resource that lacks one tag: $action', async ({ action, input }) => {
    const { port, changes } = cloudWith(mine.slice(1));
    await expect(port.call(action, call(input))).rejects.toMatchObject({ code: 'NotOwned' });
    expect(changes).toEqual([]);
  });
  it.each(cases)('is refused for a resource of another owner: $action', async ({ action, input }) => {
    const [first, ...others] = mine;
    const { port, changes } = cloudWith([...others, { ...first!, Value: 'theirs' }]);
    await expect(port.call(action, call(input))).rejects.toMatchObject({ code: 'NotOwned' });
    expect(changes).toEqual([]);
  });
  it('is refused for a volume that is attached to none of the named instances', async () => {
    const { port, changes } = cloudWith(mine);
    const input = { Resources: ['i-2', 'vol-9'], Tags: [{ Key: 'team' }] };
    await expect(port.call('DeleteTags', call(input))).rejects.toMatchObject({ code: 'NotOwned' });
    expect(changes).toEqual([]);
  });
  it.each([
    { rule: 'without proof', action: 'DeleteSecurityGroup', proof: undefined },
    { rule: 'with an empty proof', action: 'DeleteSecurityGroup', proof: {} },
    { rule: 'when ownership cannot be looked up', action: 'DisassociateVpcCidrBlock', proof: owned },
  ])('is refused $rule', async ({ action, proof }) => {
    const { port, changes } = cloudWith(mine);
    const request = { region: 'r', input: { GroupId: 'sg-1' }, ...(proof && { owned: proof }) };
    await expect(port.call(action, request)).rejects.toMatchObject({ code: 'NotOwned' });
    expect(changes).toEqual([]);
  });
  it.each([
    { action: 'DeleteSecurityGroup', input: { GroupId: 'sg-1' } },
    { action: 'ReleaseAddress', input: { AllocationId: 'eip' } },
  ])('succeeds without effect for a resource that is gone: $action', async ({ action, input }) => {
    const { port, changes } = cloudWith(undefined);
    await port.call(action, call(input));
    expect(changes).toEqual([]);
  });
});

describe('a read', () => {
  it('returns undefined for a resource that does not exist', async () =>
    expect(await cloudWith(undefined).port.read('DescribeSecurityGroups', call({}))).toBeUndefined());
  it('reports the code of any other error', async () =>
    expect(cloudWith(mine).port.read('DescribeVpcs', call({}))).rejects.toThrow('RequestLimitExceeded: slow down'));
});
