import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import { groupsOf, imagesOf, type MeantImages } from '../machines/launch.ts';
import { infrastructureOf } from '../relations.ts';
import { expecting, type Rule } from '../rule.ts';
import { association, owner, region, role, sorted, tagOf } from '../tags.ts';

const everywhere = '0.0.0.0/0';

type Tags = { Key?: string; Value?: string }[] | undefined;

export const routes: Rule = ({ world, provided, wanted }, broken) => {
  const { account, mirror } = world;
  const expect = expecting(broken);
  const isOf = (uid: string) => (one: { Tags?: Tags }) => tagOf(one.Tags, owner) === uid;

  const expectGroups = async (uid: string, name: string) => {
    const { SecurityGroups } = await account.call(region, 'DescribeSecurityGroups', {});
    for (const { Tags } of SecurityGroups.filter(isOf(uid))) {
      const of = tagOf(Tags, role);
      // The cloud controller manager adds rules to this group only.
      expect(
        `the cluster tag of group ${of}`,
        tagOf(Tags, `kubernetes.io/cluster/${name}`),
        of === 'lb' ? 'owned' : undefined,
      );
    }
  };

  /**
   * Public subnets route to the internet, private ones to the NAT gateway of their zone. Each
   * carries its load balancer role tag.
   */
  const expectRoutes = async (uid: string, name: string) => {
    const [{ Subnets }, { RouteTables }, { NatGateways }] = await Promise.all([
      account.call(region, 'DescribeSubnets', {}),
      account.call(region, 'DescribeRouteTables', {}),
      account.call(region, 'DescribeNatGateways', {}),
    ]);
    const zoneOf = new Map(Subnets.map(({ SubnetId, AvailabilityZone }) => [SubnetId, AvailabilityZone]));
    for (const { SubnetId, Tags, AvailabilityZone } of Subnets.filter(isOf(uid))) {
      const isPublic = tagOf(Tags, role) === 'public';
      const label = isPublic ? 'kubernetes.io/role/elb' : 'kubernetes.io/role/internal-elb';
      // Subnets for pods take no load balancers.
      const isOfPods = tagOf(Tags, association) === 'secondary';
      expect(`${label} of ${SubnetId}`, tagOf(Tags, label), isOfPods ? undefined : '1');
      expect(`the cluster tag of ${SubnetId}`, tagOf(Tags, `kubernetes.io/cluster/${name}`), 'owned');
      const table = RouteTables.find(({ Associations }) => Associations.some((one) => one.SubnetId === SubnetId));
      const out = table?.Routes.find(({ DestinationCidrBlock }) => DestinationCidrBlock === everywhere);
      if (isPublic) expect(`the default route of ${SubnetId}`, out?.GatewayId?.slice(0, 4), 'igw-');
      else {
        const gateway = NatGateways.find(({ NatGatewayId }) => NatGatewayId === out?.NatGatewayId);
        expect(`the zone of the NAT gateway of ${SubnetId}`, zoneOf.get(gateway?.SubnetId ?? ''), AvailabilityZone);
      }
    }
    return new Map(Subnets.map(({ SubnetId, Tags }) => [SubnetId, tagOf(Tags, role)]));
  };

  /** Of several builds of a version the newest is used. */
  const expectImage = async (id: string, image: string | undefined, { name, owner }: MeantImages) => {
    const { Images } = await account.call(region, 'DescribeImages', { Owners: [owner] });
    const meant = Images.filter(({ Name }) => name.test(Name));
    const own = meant.find(({ ImageId }) => ImageId === image);
    expect(`whether ${id} starts from an image ${name} of ${owner}`, own !== undefined, true);
    const others = meant.filter(({ Architecture }) => Architecture === own?.Architecture);
    const newest = others.map(({ CreationDate }) => CreationDate).sort();
    expect(`the image of ${id}`, own?.CreationDate, newest.at(-1));
  };

  const expectInstances = async (uid: string, name: string, subnets: ReadonlyMap<string, string | undefined>) => {
    const { Reservations } = await account.call(region, 'DescribeInstances', {});
    const cluster = infrastructureOf(mirror, mirror.get('Cluster', 'default', name))?.spec;
    for (const instance of Reservations.flatMap(({ Instances }) => Instances)) {
      if (!isOf(uid)(instance) || instance.State?.Name !== 'running') continue;
      const { InstanceId, Tags, SecurityGroups = [], MetadataOptions, SubnetId = '', IamInstanceProfile } = instance;
      const host = mirror.all<AWSMachine>('AWSMachine').find(({ spec }) => spec?.instanceID === InstanceId);
      const machine = host && mirror.get<Machine>('Machine', host.metadata.namespace!, host.metadata.name);
      if (!machine) continue;
      const isControlPlane = 'cluster.x-k8s.io/control-plane' in (machine.metadata.labels ?? {});
      expect(`the role tag of ${InstanceId}`, tagOf(Tags, role), isControlPlane ? 'control-plane' : 'node');
      expect(`the machine tag of ${InstanceId}`, tagOf(Tags, 'MachineName'), `default/${machine.metadata.name}`);
      expect(`the machine uid tag of ${InstanceId}`, tagOf(Tags, 'capstan.dev/machine-uid'), host.metadata.uid);
      expect(`the cluster tag of ${InstanceId}`, tagOf(Tags, `kubernetes.io/cluster/${name}`), 'owned');
      const groups = SecurityGroups.map(({ GroupId }) => GroupId);
      const worn = groupsOf(world, uid, host.spec!, isControlPlane);
      expect(`groups of ${InstanceId}`, sorted(groups), sorted(worn));
      expect(`whether ${InstanceId} requires metadata tokens`, MetadataOptions?.HttpTokens, 'required');
      const profile = isControlPlane ? 'control-plane.' : 'nodes.';
      expect(
        `the instance profile of ${InstanceId}`,
        IamInstanceProfile?.Arn?.includes(`/${profile}cluster-api-provider-aws`),
        true,
      );
      if (subnets.get(SubnetId)) expect(`the subnet of ${InstanceId}`, subnets.get(SubnetId), 'private');
      expect(`the type of ${InstanceId}`, instance.InstanceType, host.spec?.instanceType);
      const images = imagesOf(host.spec!, cluster, machine.spec?.version);
      if (images) await expectImage(InstanceId, instance.ImageId, images);
      else expect(`the image of ${InstanceId}`, instance.ImageId, host.spec?.ami?.id);
      const zone = instance.Placement?.AvailabilityZone;
      expect(`the providerID of ${InstanceId}`, host.spec?.providerID, `aws:///${zone}/${InstanceId}`);
    }
  };

  return {
    atEnd: async () => {
      for (const { name, network } of wanted()) {
        const uid = mirror.get('Cluster', 'default', name)?.metadata.uid;
        if (!uid) continue;
        await expectGroups(uid, name);
        const subnets = await expectRoutes(uid, name);
        await expectInstances(uid, name, subnets);
        for (const { id, type, tags } of account.list()) {
          if (provided.has(id) || tags[owner] !== uid || tags.Name === 'renamed' || type === 'network-interface')
            continue;
          const isNamed = tags.Name?.startsWith(`${name}-`) || type === 'listener' || type === 'target-group';
          if (!network) expect(`whether ${type} ${id} is named after ${name}`, isNamed, true);
        }
      }
    },
  };
};
