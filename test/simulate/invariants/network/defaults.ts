import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { AWSCluster } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Tag } from '../../../../kinds/ports/cloud/index.ts';
import { expecting, type Rule } from '../rule.ts';
import { owner, region, role, sorted, tagOf } from '../tags.ts';

export const safeDefaults: Rule = ({ world, wanted }, broken) => {
  const { account, mirror } = world;
  const expect = expecting(broken);
  const isOf = (uid: string) => (one: { Tags?: Tag[] }) => tagOf(one.Tags, owner) === uid;

  const expectInstances = async (uid: string, key: string | undefined) => {
    const { Reservations } = await account.call(region, 'DescribeInstances', {});
    const own = Reservations.flatMap(({ Instances }) => Instances).filter(isOf(uid));
    for (const { InstanceId, State, MetadataOptions, BlockDeviceMappings = [] } of own) {
      const host = mirror.all<AWSMachine>('AWSMachine').find(({ spec }) => spec?.instanceID === InstanceId);
      if (!host || State.Name !== 'running') continue;
      const { httpPutResponseHopLimit: hops = 1 } = host.spec?.instanceMetadataOptions ?? {};
      expect(`metadata hop limit of ${InstanceId}`, MetadataOptions?.HttpPutResponseHopLimit, hops);
      for (const { DeviceName, Ebs } of BlockDeviceMappings)
        expect(`whether ${DeviceName} is deleted with ${InstanceId}`, Ebs?.DeleteOnTermination, true);
    }
    const { Volumes } = await account.call(region, 'DescribeVolumes', {});
    for (const { VolumeId, Encrypted, Size, Attachments } of Volumes.filter(isOf(uid))) {
      const ids = Attachments.map(({ InstanceId }) => InstanceId);
      const host = mirror.all<AWSMachine>('AWSMachine').find(({ spec }) => ids.includes(spec?.instanceID ?? ''));
      const { rootVolume, nonRootVolumes = [] } = host?.spec ?? {};
      const asked = [...(rootVolume ? [rootVolume] : []), ...nonRootVolumes].find(({ size }) => size === Size);
      expect(`whether ${VolumeId} is encrypted`, Encrypted, asked?.encrypted ?? true);
    }
    for (const { InstanceId, State, KeyName } of own) {
      const { spec } = mirror.all<AWSMachine>('AWSMachine').find((one) => one.spec?.instanceID === InstanceId) ?? {};
      if (!spec || State.Name !== 'running') continue;
      expect(`SSH key of ${InstanceId}`, KeyName, (spec.sshKeyName ?? key) || undefined);
      const asked = [...(spec.rootVolume ? [spec.rootVolume] : []), ...(spec.nonRootVolumes ?? [])];
      const there = Volumes.filter(({ Attachments }) => Attachments.some((one) => one.InstanceId === InstanceId));
      expect(`volumes of ${InstanceId}`, there.length, 1 + (spec.nonRootVolumes?.length ?? 0));
      for (const { size, deviceName = 'the root volume' } of asked)
        expect(
          `whether ${deviceName} of ${InstanceId} has ${size} GiB`,
          there.some((one) => one.Size === size),
          true,
        );
    }
  };

  /** Checks a network that Capstan created. An unmanaged network stays unchanged. */
  const expectNetwork = async (uid: string) => {
    const [{ Vpcs }, { Subnets }, { SecurityGroups }] = await Promise.all([
      account.call(region, 'DescribeVpcs', {}),
      account.call(region, 'DescribeSubnets', {}),
      account.call(region, 'DescribeSecurityGroups', {}),
    ]);
    for (const { VpcId } of Vpcs.filter(isOf(uid))) {
      for (const [Attribute, name] of [
        ['enableDnsSupport', 'EnableDnsSupport'],
        ['enableDnsHostnames', 'EnableDnsHostnames'],
      ] as const) {
        const answer = await account.call(region, 'DescribeVpcAttribute', { VpcId, Attribute });
        expect(`${Attribute} of ${VpcId}`, answer[name]?.Value, true);
      }
      const open = SecurityGroups.find((group) => group.VpcId === VpcId && group.GroupName === 'default');
      const rules = [...(open?.IpPermissions ?? []), ...(open?.IpPermissionsEgress ?? [])];
      expect(`rules of the default security group of ${VpcId}`, rules.length, 0);
    }
    for (const { SubnetId, MapPublicIpOnLaunch = false, Tags } of Subnets.filter(isOf(uid)))
      expect(`whether ${SubnetId} assigns public addresses`, MapPublicIpOnLaunch, tagOf(Tags, role) === 'public');
    return Subnets.filter(isOf(uid));
  };

  /** The autoscaler reads the capacity to scale from zero. */
  const expectOffer = async (template: string, type: string) => {
    const { status } = mirror.get('AWSMachineTemplate', 'default', template) ?? {};
    const { cpu, memory } = (status as { capacity?: Record<string, string> } | undefined)?.capacity ?? {};
    const { InstanceTypes } = await account.call(region, 'DescribeInstanceTypes', { InstanceTypes: [type] as never });
    const [info] = InstanceTypes;
    expect(`cpu in the capacity of ${type}`, cpu, String(info?.VCpuInfo.DefaultVCpus));
    expect(`memory in the capacity of ${type}`, memory, `${info?.MemoryInfo.SizeInMiB}Mi`);
  };

  return {
    atEnd: async () => {
      for (const { name, network, instanceType } of wanted()) {
        const { metadata, spec } = mirror.get<Cluster>('Cluster', 'default', name) ?? {};
        const infrastructure = mirror.get<AWSCluster>('AWSCluster', 'default', spec?.infrastructureRef?.name ?? '');
        const uid = metadata?.uid;
        if (!uid || !infrastructure) continue;
        await expectInstances(uid, infrastructure.spec?.sshKeyName);
        await expectOffer(`${name}-${instanceType}`, instanceType);
        if (network) continue;
        const subnets = await expectNetwork(uid);
        const zonesOf = (which: string) =>
          sorted(new Set(subnets.filter(({ Tags }) => tagOf(Tags, role) === which).map((one) => one.AvailabilityZone)));
        const domains = sorted(Object.keys(infrastructure.status?.failureDomains ?? {}));
        expect(`failure domains of ${name}`, domains, zonesOf('private'));
      }
    },
  };
};
