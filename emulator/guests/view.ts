/** moto's view: instances, and the targets of load balancers. */
import {
  DescribeIamInstanceProfileAssociationsCommand,
  DescribeImagesCommand,
  DescribeInstanceAttributeCommand,
  EC2Client,
  type Instance,
  paginateDescribeInstances,
} from '@aws-sdk/client-ec2';
import {
  ElasticLoadBalancingClient,
  paginateDescribeLoadBalancers as paginateClassic,
} from '@aws-sdk/client-elastic-load-balancing';
import {
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  paginateDescribeListeners,
  paginateDescribeLoadBalancers,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { GuestInstance } from '../../simulation/ports.ts';

export interface Balanced {
  listenerArn: string;
  host: string;
  port: number;
  targets: { id: string; port: number }[];
}

export interface View {
  instances: Instance[];
  listeners: Balanced[];
}

export interface ViewOptions {
  endpoint: string;
  region: string;
}

export const createView = ({ endpoint, region }: ViewOptions) => {
  const config = { endpoint, region, credentials: { accessKeyId: 'emulator', secretAccessKey: 'emulator' } };
  const ec2 = new EC2Client(config);
  const elb = new ElasticLoadBalancingV2Client(config);
  const classic = new ElasticLoadBalancingClient(config);
  const imageNames = new Map<string, string>();

  const imageName = async (id: string): Promise<string> => {
    const known = imageNames.get(id);
    if (known !== undefined) return known;
    const { Images = [] } = await ec2.send(new DescribeImagesCommand({ ImageIds: [id] }));
    const name = Images[0]?.Name ?? id;
    imageNames.set(id, name);
    return name;
  };
  /** moto omits it from the instance. */
  const profileOf = async (InstanceId: string): Promise<string | undefined> => {
    const { IamInstanceProfileAssociations = [] } = await ec2.send(
      new DescribeIamInstanceProfileAssociationsCommand({ Filters: [{ Name: 'instance-id', Values: [InstanceId] }] }),
    );
    return IamInstanceProfileAssociations[0]?.IamInstanceProfile?.Arn;
  };
  const targetsOf = async (TargetGroupArn: string): Promise<Balanced['targets']> => {
    const { TargetHealthDescriptions = [] } = await elb.send(new DescribeTargetHealthCommand({ TargetGroupArn }));
    return TargetHealthDescriptions.flatMap(({ Target, TargetHealth }) =>
      Target?.Id && TargetHealth?.State !== 'draining' ? [{ id: Target.Id, port: Target.Port ?? 0 }] : [],
    );
  };
  const listenersOf = async (LoadBalancerArn: string, host: string): Promise<Balanced[]> => {
    const listeners: Balanced[] = [];
    for await (const { Listeners = [] } of paginateDescribeListeners({ client: elb }, { LoadBalancerArn }))
      for (const { ListenerArn = '', Port = 0, DefaultActions = [] } of Listeners) {
        const group = DefaultActions[0]?.TargetGroupArn;
        listeners.push({ listenerArn: ListenerArn, host, port: Port, targets: group ? await targetsOf(group) : [] });
      }
    return listeners;
  };

  const classicListeners = async (): Promise<Balanced[]> => {
    const listeners: Balanced[] = [];
    for await (const { LoadBalancerDescriptions = [] } of paginateClassic({ client: classic }, {}))
      for (const {
        LoadBalancerName,
        DNSName = '',
        Instances = [],
        ListenerDescriptions = [],
      } of LoadBalancerDescriptions)
        for (const { Listener } of ListenerDescriptions)
          listeners.push({
            listenerArn: `${LoadBalancerName}/${Listener?.LoadBalancerPort}`,
            host: DNSName,
            port: Listener?.LoadBalancerPort ?? 0,
            targets: Instances.map(({ InstanceId = '' }) => ({ id: InstanceId, port: Listener?.InstancePort ?? 0 })),
          });
    return listeners;
  };

  return {
    look: async (): Promise<View> => {
      const view: View = { instances: [], listeners: [] };
      for await (const { Reservations = [] } of paginateDescribeInstances({ client: ec2, pageSize: 500 }, {}))
        view.instances.push(...Reservations.flatMap(({ Instances = [] }) => Instances));
      for await (const { LoadBalancers = [] } of paginateDescribeLoadBalancers({ client: elb }, {}))
        for (const { LoadBalancerArn = '', DNSName = '' } of LoadBalancers)
          view.listeners.push(...(await listenersOf(LoadBalancerArn, DNSName)));
      view.listeners.push(...(await classicListeners()));
      return view;
    },
    /** What the instance metadata service tells the instance. */
    guestOf: async (instance: Instance): Promise<GuestInstance> => {
      const { InstanceId = '', ImageId = '', PrivateIpAddress = '', PrivateDnsName = '' } = instance;
      const { UserData } = await ec2.send(new DescribeInstanceAttributeCommand({ InstanceId, Attribute: 'userData' }));
      const profile = await profileOf(InstanceId);
      return {
        instanceId: InstanceId,
        region,
        zone: instance.Placement?.AvailabilityZone ?? `${region}a`,
        instanceType: instance.InstanceType ?? '',
        architecture: instance.Architecture ?? 'x86_64',
        imageName: await imageName(ImageId),
        userData: Buffer.from(UserData?.Value ?? '', 'base64'),
        ...(instance.AmiLaunchIndex && { launchIndex: instance.AmiLaunchIndex }),
        privateIp: PrivateIpAddress,
        ...(instance.PublicIpAddress && { publicIp: instance.PublicIpAddress }),
        privateDnsName: PrivateDnsName,
        ...(profile !== undefined && { profile }),
        tags: Object.fromEntries((instance.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value])),
      };
    },
    close: () => {
      ec2.destroy();
      elb.destroy();
      classic.destroy();
    },
  };
};
export type AccountView = ReturnType<typeof createView>;
