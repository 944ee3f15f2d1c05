/** Short helpers that create resources in a cloud under test. Each returns the ID or the ARN. */
import type { Cloud, CloudInput, LaunchTemplateData, TagSpecifications } from '../../kinds/ports/cloud/index.ts';

type Tags = Record<string, string>;

const list = (tags: Tags) => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
const specification = (ResourceType: string, tags: Tags): TagSpecifications =>
  Object.keys(tags).length > 0 ? [{ ResourceType, Tags: list(tags) }] : [];

/** `name` separates the client tokens of two helpers. */
export const inputs = (cloud: Cloud, region: string, name = 'contract') => {
  let made = 0;
  const token = () => `${name}-${++made}`;
  const zone = `${region}a`;

  const vpc = async (tags: Tags = {}): Promise<string> => {
    const input = { CidrBlock: '10.0.0.0/16', TagSpecifications: specification('vpc', tags) };
    return (await cloud.call(region, 'CreateVpc', input)).Vpc.VpcId;
  };
  const subnet = async (
    VpcId: string,
    CidrBlock: string,
    tags: Tags = {},
    AvailabilityZone = zone,
  ): Promise<string> => {
    const input = { VpcId, CidrBlock, AvailabilityZone, TagSpecifications: specification('subnet', tags) };
    return (await cloud.call(region, 'CreateSubnet', input)).Subnet.SubnetId;
  };
  const internetGateway = async (VpcId?: string): Promise<string> => {
    const { InternetGateway } = await cloud.call(region, 'CreateInternetGateway', { TagSpecifications: [] });
    const { InternetGatewayId } = InternetGateway;
    if (VpcId) await cloud.call(region, 'AttachInternetGateway', { InternetGatewayId, VpcId });
    return InternetGatewayId;
  };

  const image = async (): Promise<string> => {
    const Filters = [
      { Name: 'name', Values: ['capa-ami-ubuntu-24.04-?1.35.0-*'] },
      { Name: 'architecture', Values: ['x86_64'] },
    ];
    const { Images } = await cloud.call(region, 'DescribeImages', { Owners: ['819546954734'], Filters });
    return Images[0]?.ImageId ?? '';
  };

  return {
    vpc,
    subnet,
    internetGateway,
    /** A VPC with an internet gateway, one public and one private subnet in one zone. */
    network: async () => {
      const id = await vpc();
      const gateway = await internetGateway(id);
      return {
        vpc: id,
        gateway,
        publicSubnet: await subnet(id, '10.0.0.0/20'),
        privateSubnet: await subnet(id, '10.0.64.0/18'),
      };
    },
    address: async (): Promise<string> =>
      (await cloud.call(region, 'AllocateAddress', { Domain: 'vpc', TagSpecifications: [] })).AllocationId,
    natGateway: async (SubnetId: string, AllocationId: string, ClientToken = token()): Promise<string> => {
      const input = { SubnetId, AllocationId, ClientToken, TagSpecifications: [] };
      return (await cloud.call(region, 'CreateNatGateway', input)).NatGateway.NatGatewayId;
    },
    routeTable: async (VpcId: string): Promise<string> =>
      (await cloud.call(region, 'CreateRouteTable', { VpcId, ClientToken: token(), TagSpecifications: [] })).RouteTable
        .RouteTableId,
    securityGroup: async (VpcId: string, GroupName: string): Promise<string> => {
      const input = { VpcId, GroupName, Description: `for ${GroupName}`, TagSpecifications: [] };
      return (await cloud.call(region, 'CreateSecurityGroup', input)).GroupId;
    },
    instance: async (
      SubnetId: string,
      { tags = {}, ...change }: Partial<CloudInput<'RunInstances'>> & { tags?: Tags } = {},
    ): Promise<string> => {
      const { Instances } = await cloud.call(region, 'RunInstances', {
        ImageId: await image(),
        InstanceType: 't3.large',
        MinCount: 1,
        MaxCount: 1,
        ClientToken: token(),
        UserData: '',
        SubnetId,
        TagSpecifications: specification('instance', tags),
        ...change,
      });
      return Instances[0]!.InstanceId;
    },
    launchTemplate: async (LaunchTemplateName: string, data: LaunchTemplateData = {}): Promise<string> => {
      const LaunchTemplateData = { ImageId: await image(), InstanceType: 't3.large', ...data };
      const input = { LaunchTemplateName, LaunchTemplateData, TagSpecifications: [], ClientToken: token() };
      return (await cloud.call(region, 'CreateLaunchTemplate', input)).LaunchTemplate.LaunchTemplateId;
    },
    autoScalingGroup: async (
      AutoScalingGroupName: string,
      subnets: string[],
      LaunchTemplateId: string,
      { tags = {}, ...change }: Partial<CloudInput<'CreateAutoScalingGroup'>> & { tags?: Tags } = {},
    ): Promise<string> => {
      await cloud.call(region, 'CreateAutoScalingGroup', {
        AutoScalingGroupName,
        ...(!change.MixedInstancesPolicy && { LaunchTemplate: { LaunchTemplateId, Version: '$Latest' } }),
        VPCZoneIdentifier: subnets.join(','),
        MinSize: 0,
        MaxSize: 10,
        Tags: list(tags).map((tag) => ({
          ...tag,
          ResourceId: AutoScalingGroupName,
          ResourceType: 'auto-scaling-group' as const,
          PropagateAtLaunch: true,
        })),
        ...change,
      });
      return AutoScalingGroupName;
    },
    loadBalancer: async (
      Name: string,
      Subnets: string[],
      Scheme: 'internet-facing' | 'internal' = 'internet-facing',
      tags: Tags = {},
    ): Promise<string> => {
      const input = { Name, Type: 'network', Scheme, Subnets, Tags: list(tags) } as const;
      return (await cloud.call(region, 'CreateLoadBalancer', input)).LoadBalancers[0]!.LoadBalancerArn;
    },
    classicLoadBalancer: async (
      LoadBalancerName: string,
      Subnets: string[],
      change: Partial<CloudInput<'CreateClassicLoadBalancer'>> = {},
    ): Promise<string> => {
      await cloud.call(region, 'CreateClassicLoadBalancer', {
        LoadBalancerName,
        Listeners: [{ Protocol: 'TCP', LoadBalancerPort: 6443, InstanceProtocol: 'TCP', InstancePort: 6443 }],
        Scheme: 'internet-facing',
        Subnets,
        SecurityGroups: [],
        Tags: [],
        ...change,
      });
      return LoadBalancerName;
    },
    targetGroup: async (
      Name: string,
      VpcId: string,
      change: Partial<CloudInput<'CreateTargetGroup'>> = {},
    ): Promise<string> => {
      const { TargetGroups } = await cloud.call(region, 'CreateTargetGroup', {
        Name,
        Protocol: 'TCP',
        Port: 6443,
        VpcId,
        TargetType: 'instance',
        HealthCheckProtocol: 'TCP',
        HealthCheckIntervalSeconds: 5,
        HealthCheckTimeoutSeconds: 4,
        HealthyThresholdCount: 2,
        UnhealthyThresholdCount: 6,
        Tags: [],
        ...change,
      });
      return TargetGroups[0]!.TargetGroupArn;
    },
    listener: async (LoadBalancerArn: string, TargetGroupArn: string, Port: number): Promise<string> => {
      const { Listeners } = await cloud.call(region, 'CreateListener', {
        LoadBalancerArn,
        Protocol: 'TCP',
        Port,
        DefaultActions: [{ Type: 'forward', TargetGroupArn }],
        Tags: [],
      });
      return Listeners[0]!.ListenerArn;
    },
  };
};
