import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSClusterSpec } from '../../../../kinds/infrastructure-aws/aws-cluster/schema.ts';
import type { AWSMachine, AWSMachineSpec } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { Image, RunInstancesInput } from '../../../../kinds/ports/cloud/index.ts';
import { equal } from '../../../../machinery/api/merge.ts';
import { publisher } from '../../../../simulation/aws/image.ts';
import type { World } from '../../site.ts';
import { infrastructureOf, madeFor } from '../relations.ts';
import type { Rule } from '../rule.ts';
import { owner, region, role, tagOf } from '../tags.ts';

const defaultFormat = 'capa-ami-{{.BaseOS}}-?{{.K8sVersion}}-*';
const defaultSystem = 'ubuntu-24.04';
const signs: Record<string, string> = { '.': '\\.', '?': '.', '*': '.*' };

export interface MeantImages {
  name: RegExp;
  owner: string;
}

/** The expected image; undefined when the spec names an image id. */
export const imagesOf = (
  machine: AWSMachineSpec,
  cluster: AWSClusterSpec | undefined,
  version = '',
): MeantImages | undefined => {
  if (machine.ami?.id) return undefined;
  const format = machine.imageLookupFormat || cluster?.imageLookupFormat || defaultFormat;
  const name = format
    .replace('{{.BaseOS}}', machine.imageLookupBaseOS || cluster?.imageLookupBaseOS || defaultSystem)
    .replace('{{.K8sVersion}}', version.replace('v', ''))
    .replace(/[.?*]/g, (sign) => signs[sign]!);
  return { name: new RegExp(`^${name}$`), owner: machine.imageLookupOrg || cluster?.imageLookupOrg || publisher };
};

/** The root device of all images. */
const rootDevice = '/dev/sda1';

type Tags = readonly { Key: string; Value: string }[];

const yesOrNo = (is: boolean | undefined) => (is === undefined ? undefined : is ? 'enabled' : 'disabled');

/** The expected launch parameters by name. Those that EC2 decides are undefined. */
const wantedOf = (spec: AWSMachineSpec) => ({
  type: spec.instanceType,
  tenancy: spec.tenancy,
  'instance profile': spec.iamInstanceProfile,
  'access to metadata': spec.instanceMetadataOptions?.httpEndpoint ?? 'enabled',
  'tokens for metadata': spec.instanceMetadataOptions?.httpTokens ?? 'required',
  'hop limit': spec.instanceMetadataOptions?.httpPutResponseHopLimit ?? 1,
  'tags from inside': spec.instanceMetadataOptions?.instanceMetadataTags ?? 'disabled',
  'hostname type': spec.privateDnsName?.hostnameType,
  'resource name A record': yesOrNo(spec.privateDnsName?.enableResourceNameDnsARecord),
  'resource name AAAA record': yesOrNo(spec.privateDnsName?.enableResourceNameDnsAAAARecord),
  'nested virtualization': spec.cpuOptions?.nestedVirtualization,
  'memory encryption': yesOrNo(
    spec.cpuOptions?.confidentialCompute && spec.cpuOptions.confidentialCompute !== 'Disabled',
  ),
  'placement group': spec.placementGroupName,
  partition: spec.placementGroupPartition,
  'key pair': spec.sshKeyName,
  market: spec.spotMarketOptions ? `spot ${spec.spotMarketOptions.maxPrice ?? ''}` : undefined,
  // The address from a pool is associated after the launch.
  'public address': spec.elasticIpPool ? false : spec.publicIP,
  'kind of interface': spec.networkInterfaceType === 'efa' ? 'efa' : undefined,
});
const askedIn = ({
  InstanceType,
  Placement,
  IamInstanceProfile,
  MetadataOptions,
  PrivateDnsNameOptions,
  CpuOptions,
  InstanceMarketOptions,
  KeyName = '',
  NetworkInterfaces,
}: RunInstancesInput): Record<string, unknown> => ({
  type: InstanceType,
  tenancy: Placement?.Tenancy,
  'instance profile': IamInstanceProfile?.Name,
  'access to metadata': MetadataOptions?.HttpEndpoint,
  'tokens for metadata': MetadataOptions?.HttpTokens,
  'hop limit': MetadataOptions?.HttpPutResponseHopLimit,
  'tags from inside': MetadataOptions?.InstanceMetadataTags,
  'hostname type': PrivateDnsNameOptions?.HostnameType,
  'resource name A record': yesOrNo(PrivateDnsNameOptions?.EnableResourceNameDnsARecord),
  'resource name AAAA record': yesOrNo(PrivateDnsNameOptions?.EnableResourceNameDnsAAAARecord),
  'nested virtualization': CpuOptions?.NestedVirtualization,
  'memory encryption': CpuOptions?.AmdSevSnp,
  'placement group': Placement?.GroupName,
  partition: Placement?.PartitionNumber,
  'key pair': KeyName,
  market:
    InstanceMarketOptions?.MarketType === 'spot'
      ? `spot ${InstanceMarketOptions.SpotOptions.MaxPrice ?? ''}`
      : InstanceMarketOptions?.MarketType,
  'public address':
    NetworkInterfaces?.[0]?.AssociatePublicIpAddress ?? NetworkInterfaces?.[0]?.AssociateCarrierIpAddress,
  'kind of interface': NetworkInterfaces?.[0]?.InterfaceType,
});

/**
 * Volumes are encrypted by default and deleted with the instance. The root volume's device and size
 * may come from the image.
 */
const volumesOf = ({ rootVolume, nonRootVolumes = [] }: AWSMachineSpec) =>
  [rootVolume, ...nonRootVolumes].map((volume, index) => {
    const { size, type, iops, throughput, encryptionKey: key } = volume ?? {};
    const deviceName = index > 0 ? volume?.deviceName : rootDevice;
    const encrypted = Boolean(key) || (volume?.encrypted ?? true);
    return { deviceName, ...(volume && { size }), type, iops, throughput, encrypted, key, endsWithIt: true };
  });
const volumesIn = ({ BlockDeviceMappings = [] }: RunInstancesInput, { rootVolume }: AWSMachineSpec) =>
  BlockDeviceMappings.map(({ DeviceName: deviceName, Ebs }, index) => ({
    deviceName,
    ...((index > 0 || rootVolume) && { size: Ebs?.VolumeSize }),
    type: Ebs?.VolumeType,
    iops: Ebs?.Iops,
    throughput: Ebs?.Throughput,
    encrypted: Ebs?.Encrypted,
    key: Ebs?.KmsKeyId,
    endsWithIt: Ebs?.DeleteOnTermination,
  }));

type Owned = Pick<World, 'account' | 'mirror'>;
type Filters = readonly { name: string; values: readonly string[] }[];
/** The ids of resources of this type that match every filter, by tag or by id. */
const foundBy = ({ account }: Owned, type: string, filters: Filters = []): string[] =>
  account
    .list()
    .filter((one) => one.type === type)
    .filter(({ id, tags }) =>
      filters.every(({ name, values }) => values.includes(name.startsWith('tag:') ? (tags[name.slice(4)] ?? '') : id)),
    )
    .map(({ id }) => id);

const infrastructureBy = ({ mirror }: Owned, uid: string) =>
  infrastructureOf(
    mirror,
    mirror.all<Cluster>('Cluster').find(({ metadata }) => metadata.uid === uid),
  );

/**
 * The security groups of a machine: those of its roles in the cluster, unless overridden, and its
 * additional ones.
 */
export const groupsOf = (world: Owned, uid: string, spec: AWSMachineSpec, isControlPlane: boolean): string[] => {
  const ofCluster = (of: string) => {
    const groups = foundBy(world, 'security-group', [
      { name: `tag:${owner}`, values: [uid] },
      { name: `tag:${role}`, values: [of] },
    ]);
    // A restored cluster whose groups were retagged late has two of a role. The status names the
    // one in use.
    const { networkStatus } = infrastructureBy(world, uid)?.status ?? {};
    return groups.length > 1 ? groups.filter((id) => id === networkStatus?.securityGroups?.[of]?.id) : groups;
  };
  const roles = ['node', 'lb', ...(isControlPlane ? ['controlplane'] : [])];
  const own = roles.flatMap((of) => spec.securityGroupOverrides?.[of] ?? ofCluster(of));
  const more = (spec.additionalSecurityGroups ?? []).flatMap(
    ({ id, filters }) => id ?? foundBy(world, 'security-group', filters),
  );
  return [...new Set([...own, ...more])].sort();
};

/**
 * Without a subnet in the spec, public subnets take exactly the machines that ask for a public IP.
 */
const isPlace = (
  world: Owned,
  uid: string,
  { subnet, publicIP = false }: AWSMachineSpec,
  chosen: string | undefined,
) => {
  const subnets = infrastructureBy(world, uid)?.spec?.network?.subnets ?? [];
  const place = subnets.find(({ id, resourceID = id }) => resourceID === chosen);
  return Boolean(subnet) || !place || Boolean(place.isPublic) === publicIP;
};

/** The subnet that the spec names; undefined when it names none. */
const placeOf = (world: Owned, uid: string, { subnet }: AWSMachineSpec): string | undefined => {
  if (!subnet?.id) return subnet?.filters ? foundBy(world, 'subnet', subnet.filters)[0] : undefined;
  const { spec } = infrastructureBy(world, uid) ?? {};
  return spec?.network?.subnets?.find((one) => one.id === subnet.id)?.resourceID ?? subnet.id;
};

export const launch: Rule = ({ world }, broken) => {
  /** By AWSMachine: the image it was launched from, and the expected ones. */
  const startedFrom = new Map<string, { image: string; meant: MeantImages }>();
  const machineOf = (tags: Tags | undefined) => madeFor(world.mirror, tags);
  const expectLaunch = (input: RunInstancesInput, { metadata, spec }: AWSMachine) => {
    const fail = (what: string, wanted: unknown, asked: unknown) => {
      const [one, other] = [JSON.stringify(wanted), JSON.stringify(asked)];
      throw broken(`${what} of ${metadata.name} is ${other}, not ${one}`);
    };
    const asked = askedIn(input);
    for (const [what, wanted] of Object.entries(wantedOf(spec!)))
      if (wanted !== undefined && asked[what] !== wanted) fail(what, wanted, asked[what]);
    const [volumes, made] = [volumesOf(spec!), volumesIn(input, spec!)];
    if (!equal(volumes, made)) fail('volumes', volumes, made);
    const uid = tagOf(input.TagSpecifications?.[0]?.Tags, owner) ?? '';
    const isControlPlane = 'cluster.x-k8s.io/control-plane' in (metadata.labels ?? {});
    const [first] = input.NetworkInterfaces ?? [];
    const groups = [...(input.SecurityGroupIds ?? first?.Groups ?? [])].sort();
    const worn = groupsOf(world, uid, spec!, isControlPlane);
    if (!equal(groups, worn)) fail('groups', worn, groups);
    const place = placeOf(world, uid, spec!);
    const chosen = input.SubnetId ?? first?.SubnetId;
    if (place && chosen !== place) fail('subnet', place, chosen);
    if (!isPlace(world, uid, spec!, chosen)) fail('subnet', spec!.publicIP ? 'public' : 'private', chosen);
    const version = world.mirror.get<Machine>('Machine', metadata.namespace!, metadata.name)?.spec?.version;
    const meant = imagesOf(spec!, infrastructureBy(world, uid)?.spec, version);
    if (meant) startedFrom.set(metadata.name, { image: input.ImageId, meant });
    else if (input.ImageId !== spec!.ami!.id) fail('image', spec!.ami!.id, input.ImageId);
  };
  const expectImage = ({ Name, OwnerId }: Image, by: string, { name, owner }: MeantImages) => {
    if (!name.test(Name) || OwnerId !== owner)
      throw broken(`${by} starts from image ${Name} of ${OwnerId}, not ${name} of ${owner}`);
  };
  const expectStore = (store: string, tags: Tags | undefined) => {
    const machine = machineOf(tags);
    const { secureSecretsBackend = 'secrets-manager', insecureSkipSecretsManager } = machine?.spec?.cloudInit ?? {};
    const meant = insecureSkipSecretsManager ? 'the user data' : secureSecretsBackend;
    if (machine && meant !== store)
      throw broken(`boot data of ${machine.metadata.name} is in ${store}, not in ${meant}`);
  };
  return {
    onCall: ({ action, input }) => {
      if (action === 'CreateSecret') return expectStore('secrets-manager', (input as { Tags?: Tags }).Tags);
      if (action === 'PutParameter') return expectStore('ssm-parameter-store', (input as { Tags?: Tags }).Tags);
      if (action !== 'RunInstances') return;
      const launch = input as unknown as RunInstancesInput;
      const machine = machineOf(launch.TagSpecifications?.[0]?.Tags as Tags | undefined);
      if (machine) expectLaunch(launch, machine);
    },
    atEnd: async () => {
      const { Images } = await world.account.call(region, 'DescribeImages', {});
      for (const [by, { image, meant }] of startedFrom) {
        const own = Images.find(({ ImageId }) => ImageId === image);
        // Images of other regions and deregistered images are not checked.
        if (own) expectImage(own, by, meant);
      }
    },
  };
};
