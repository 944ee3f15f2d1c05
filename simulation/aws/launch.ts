/** RunInstances: EC2's checks in their order, and client tokens. */
import type { CloudInput, CloudOutput, Instance } from '../../kinds/ports/cloud/index.ts';
import { newPublicIp } from './address.ts';
import { addressIn6 } from './cidr6.ts';
import { invalidParameter, missingParameter, refuse, tokenMismatch } from './errors.ts';
import type { Market } from './faults.ts';
import { fingerprint } from './fingerprint.ts';
import { hasKeyPair, hasProfile, noSuchKeyPair } from './identity.ts';
import { type ImageRecord, imageErrors, isAvailable, rootDeviceOf } from './image.ts';
import { type InstanceInterface, type InstanceRecord, isGone, observedState, viewInstance } from './instance.ts';
import { featuresOf, hasEfa, type InstanceType, instanceType, isOffered } from './instance-type.ts';
import { countVcpus, followInstance, tokenKey, vcpusInUse } from './lifecycle.ts';
import { checkMetadata } from './metadata.ts';
import { newId, newRecord } from './naming.ts';
import { allZonesOf, isWavelength, privateDomain, zonesOf } from './regions.ts';
import { takenReservation } from './reservation.ts';
import { checkGroups } from './security-group.ts';
import { checkMaxPrice } from './spot.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';
import { type SubnetRecord, subnetNamed } from './subnet.ts';
import { checkShownTags, tagsFor } from './tags.ts';
import { volumesFor } from './volume.ts';

type Launch = CloudInput<'RunInstances'>;

const madeAlong = ['instance', 'volume', 'network-interface', 'spot-instances-request'];
const maxUserData = 16_384;

const checkSyntax = (input: Launch): void => {
  if (!input.ClientToken) missingParameter('ClientToken');
  if (!/^[\x21-\x7e]{1,64}$/.test(input.ClientToken))
    invalidParameter('The client token must be at most 64 printable ASCII characters.');
  const { MinCount, MaxCount } = input;
  if (!(MinCount >= 1 && MaxCount >= MinCount)) invalidParameter('The counts of instances are invalid.');
  const addresses = [input.PrivateIpAddress, ...(input.NetworkInterfaces ?? []).map((one) => one.PrivateIpAddress)];
  if (MaxCount > 1 && addresses.some((address) => address !== undefined))
    refuse(
      'InvalidParameterCombination',
      'The parameter PrivateIpAddress cannot be specified when launching multiple instances',
    );
  if (MinCount !== MaxCount) invalidParameter('Only launches of all instances or none are supported here.');
  const userData = input.UserData ?? '';
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(userData) || userData.length % 4 !== 0)
    refuse('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data');
  if (Buffer.from(userData, 'base64').length > maxUserData)
    invalidParameter(`User data is limited to ${maxUserData} bytes`);
  if (input.NetworkInterfaces?.length) {
    if (input.PrivateIpAddress)
      refuse(
        'InvalidParameterCombination',
        'Network interfaces and an instance-level private IP address may not be specified on the same request',
      );
    if (input.SubnetId)
      refuse(
        'InvalidParameterCombination',
        'Network interfaces and an instance-level subnet ID may not be specified on the same request',
      );
    if (input.SecurityGroupIds?.length)
      refuse(
        'InvalidParameterCombination',
        'Network interfaces and an instance-level security groups may not be specified on the same request',
      );
    const makesOne = input.NetworkInterfaces.some(({ NetworkInterfaceId }) => !NetworkInterfaceId);
    if (!makesOne && input.TagSpecifications.some(({ ResourceType }) => ResourceType === 'network-interface'))
      invalidParameter(
        'You cannot specify tags for network interfaces if there are no network interfaces being created by the request.',
      );
  }
};

interface WantedInterface {
  subnet: SubnetRecord;
  groups: string[];
  publicIp: boolean;
  address?: string;
  ipv6?: boolean;
  primaryIpv6?: boolean;
}

/** Whether the interface gets an address of IPv6: by the request, or by the subnet's attribute. */
const ipv6Of = (
  { id, ipv6, assignIpv6 = false }: SubnetRecord,
  count: number | undefined,
  primary: boolean | undefined,
): Pick<WantedInterface, 'ipv6' | 'primaryIpv6'> => {
  const isWanted = count === undefined ? assignIpv6 : count > 0;
  if (count && count > 1) invalidParameter('Only one IPv6 address of an interface is supported here.');
  if (isWanted && !ipv6)
    invalidParameter(`IPv6 addresses are not available in subnet ${id}: it has no IPv6 CIDR block`);
  if (primary && !isWanted)
    refuse('InvalidParameterCombination', 'A primary IPv6 address needs an IPv6 address on the network interface.');
  return { ...(isWanted && { ipv6: true }), ...(primary && { primaryIpv6: true }) };
};

/** The default subnet of the zone, for launches that name none. */
const defaultSubnet = ({ account, region }: Call, zone: string | undefined): SubnetRecord =>
  account.subnets.by('region', region).find((subnet) => subnet.provided && (!zone || subnet.zone === zone)) ??
  refuse('VPCIdNotSpecified', 'No default VPC for this user');

const wantedInterfaces = (call: Call, input: Launch): WantedInterface[] => {
  if (!input.NetworkInterfaces?.length) {
    const subnet = input.SubnetId
      ? subnetNamed(call, input.SubnetId)
      : defaultSubnet(call, input.Placement?.AvailabilityZone);
    return [
      {
        subnet,
        groups: input.SecurityGroupIds ?? [],
        publicIp: subnet.mapPublicIp,
        ...ipv6Of(subnet, input.Ipv6AddressCount, input.EnablePrimaryIpv6),
        ...(input.PrivateIpAddress && { address: input.PrivateIpAddress }),
      },
    ];
  }
  return [...input.NetworkInterfaces]
    .sort((a, b) => a.DeviceIndex - b.DeviceIndex)
    .map((wanted) => {
      const { NetworkInterfaceId, SubnetId, Groups, PrivateIpAddress } = wanted;
      const { AssociatePublicIpAddress, AssociateCarrierIpAddress } = wanted;
      if (NetworkInterfaceId)
        refuse('InvalidNetworkInterfaceID.NotFound', `The networkInterface ID '${NetworkInterfaceId}' does not exist`);
      const subnet = SubnetId ? subnetNamed(call, SubnetId) : defaultSubnet(call, undefined);
      const atEdge = isWavelength(call.region, subnet.zone);
      if (atEdge ? AssociatePublicIpAddress : AssociateCarrierIpAddress)
        refuse(
          'InvalidParameterCombination',
          `A ${atEdge ? 'public' : 'carrier'} IP address cannot be assigned in zone ${subnet.zone}`,
        );
      const publicIp = AssociatePublicIpAddress ?? AssociateCarrierIpAddress ?? subnet.mapPublicIp;
      return {
        subnet,
        groups: Groups ?? [],
        publicIp,
        ...ipv6Of(subnet, wanted.Ipv6AddressCount, wanted.PrimaryIpv6),
        ...(PrivateIpAddress && { address: PrivateIpAddress }),
      };
    });
};

/** Zonal when the request names a zone or a subnet, regional otherwise. */
const tokenScope = (input: Launch, zone: string): string =>
  input.Placement?.AvailabilityZone || input.SubnetId || input.NetworkInterfaces?.length ? zone : '';

/**
 * The outcome of an earlier request with the same token, if any: the same instances, or one of EC2's
 * refusals.
 */
const repeated = (call: Call, input: Launch, parameters: string, tokenZone: string): InstanceRecord[] => {
  const { account, region, now } = call;
  const earlier = account.instances
    .by('client-token', input.ClientToken)
    .filter((instance) => instance.region === region && instance.tokenZone === tokenZone)
    .sort((a, b) => (a.launchIndex ?? 0) - (b.launchIndex ?? 0));
  const token = account.launchTokens.get(tokenKey({ region, tokenZone, token: input.ClientToken }));
  const known = earlier[0]?.parameters ?? token?.parameters;
  if (known !== undefined && known !== parameters) return tokenMismatch();
  if (token?.spent || earlier.some((one) => isGone(one, now)))
    return refuse(
      'IdempotentInstanceTerminated',
      'The client token you have provided is associated with a terminated instance. Please use a different client token.',
    );
  return earlier;
};

const imageFor = ({ account, region }: Call, id: string, type: InstanceType): ImageRecord => {
  if (!/^ami-([0-9a-f]{8}|[0-9a-f]{17})$/.test(id))
    refuse(imageErrors.malformed, `Invalid id: "${id}" (expecting "ami-...")`);
  const image = account.images.get(id);
  if (!image || image.region !== region || !isAvailable(account, image))
    return refuse(imageErrors.notFound, imageErrors.message(id));
  if (image.architecture !== type.architecture)
    invalidParameter(
      `The architecture '${type.architecture}' of the specified instance type does not match the architecture '${image.architecture}' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again. You can use 'describe-instance-types' or 'describe-images' to discover the architecture of the instance type or AMI.`,
    );
  return image;
};

const metadataFor = (
  { account }: Call,
  { MetadataOptions }: Launch,
  tags: Record<string, string>,
): Instance['MetadataOptions'] => {
  checkMetadata(MetadataOptions ?? {});
  const hops = MetadataOptions?.HttpPutResponseHopLimit ?? 1;
  if (hops < 1 || hops > 64)
    invalidParameter(`Value (${hops}) for parameter HttpPutResponseHopLimit is invalid. Valid values are 1 to 64.`);
  const shown = MetadataOptions?.InstanceMetadataTags ?? account.behaviour.instanceMetadataTags;
  if (shown === 'enabled') checkShownTags(tags);
  return {
    HttpTokens: MetadataOptions?.HttpTokens ?? 'optional',
    HttpEndpoint: MetadataOptions?.HttpEndpoint ?? 'enabled',
    HttpPutResponseHopLimit: hops,
    InstanceMetadataTags: shown,
    ...(MetadataOptions?.HttpProtocolIpv6 && { HttpProtocolIpv6: MetadataOptions.HttpProtocolIpv6 }),
  };
};

const checkAddress = ({ account }: Call, { subnet, address }: WantedInterface): void => {
  if (address === undefined) return;
  const fault = account.subnetAddresses.fault(subnet, address);
  if (fault === 'outside') invalidParameter(`Address ${address} does not fall within the subnet's address range`);
  if (fault === 'reserved') invalidParameter(`Address ${address} is in subnet's reserved address range`);
  if (fault === 'in use') refuse('InvalidIPAddress.InUse', `Address ${address} is in use.`);
};

const checkReferences = (call: Call, input: Launch, wanted: WantedInterface[]): void => {
  const { account, region } = call;
  const [primary] = wanted;
  for (const { subnet, groups } of wanted) {
    if (subnet.vpcId !== primary!.subnet.vpcId || subnet.zone !== primary!.subnet.zone)
      invalidParameter('All network interfaces of an instance must be in one VPC and one Availability Zone.');
    checkGroups(call, subnet.vpcId, groups, subnet.id);
  }
  for (const one of wanted) checkAddress(call, one);
  const zone = input.Placement?.AvailabilityZone;
  if (zone && !allZonesOf(region).includes(zone)) invalidParameter(`Invalid availability zone: [${zone}]`);
  if (zone && zone !== primary!.subnet.zone)
    invalidParameter(
      `The availability zone '${zone}' does not match the zone of subnet '${primary!.subnet.id}' (${primary!.subnet.zone}).`,
    );
  if (input.Placement?.GroupName && !account.behaviour.placementGroups.includes(input.Placement.GroupName))
    refuse('InvalidPlacementGroup.Unknown', `The Placement Group '${input.Placement.GroupName}' is unknown.`);
  if (input.KeyName && !hasKeyPair(account, region, input.KeyName)) noSuchKeyPair(input.KeyName);
  if (input.IamInstanceProfile && !hasProfile(account, input.IamInstanceProfile.Name))
    invalidParameter(
      `Value (${input.IamInstanceProfile.Name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name`,
    );
};

/** Options that exclude each other, or that the instance type does not have. */
const checkOptions = ({ Placement, CpuOptions, NetworkInterfaces }: Launch, { name }: InstanceType): void => {
  const unfit = (message: string) => refuse('InvalidParameterCombination', message);
  if (Placement?.PartitionNumber !== undefined && !Placement.GroupName)
    unfit('The parameter PartitionNumber may only be specified together with the name of a placement group.');
  if (NetworkInterfaces?.some(({ InterfaceType }) => InterfaceType === 'efa') && !hasEfa(name))
    unfit(`EFA interfaces are not supported on ${name}.`);
  const features = featuresOf(name);
  if (CpuOptions?.AmdSevSnp === 'enabled' && !features.includes('amd-sev-snp'))
    unfit(`AmdSevSnp is not supported on ${name}.`);
  if (CpuOptions?.NestedVirtualization === 'enabled' && !features.includes('nested-virtualization'))
    unfit(`NestedVirtualization is not supported on ${name}.`);
};

const marketOf = (options: Launch['InstanceMarketOptions']): Market =>
  options?.MarketType === 'spot' ? 'spot' : 'on-demand';

/** EC2's last check. A refusal here leaves the token bound to the request's parameters. */
const checkCapacity = (
  { account, region }: Call,
  type: InstanceType,
  wanted: WantedInterface[],
  { InstanceMarketOptions: market, MaxCount }: Launch,
): void => {
  const zone = wanted[0]!.subnet.zone;
  const subject = { action: 'RunInstances', region, zone, type: type.name, market: marketOf(market) };
  const fault = account.faults.strike(subject, 'capacity');
  if (fault) throw fault;
  if (!isOffered(type.name, zone)) {
    const others = zonesOf(region).filter((other) => isOffered(type.name, other));
    refuse(
      'Unsupported',
      `Your requested instance type (${type.name}) is not supported in your requested Availability Zone (${zone}). Please retry your request by not specifying an Availability Zone or choosing ${others.join(', ')}.`,
    );
  }
  const spot = market?.MarketType === 'spot' ? market.SpotOptions : undefined;
  if (spot) checkMaxPrice(account, type, zone, spot.MaxPrice);
  const { vcpus, spotVcpus } = account.behaviour.quotas;
  if (spot && vcpusInUse(account, { region, market: 'spot' }) + MaxCount * type.vcpus > spotVcpus)
    refuse('MaxSpotInstanceCountExceeded', 'Max spot instance count exceeded');
  if (!spot && vcpusInUse(account, { region }) + MaxCount * type.vcpus > vcpus)
    refuse(
      'VcpuLimitExceeded',
      `You have requested more vCPU capacity than your current vCPU limit of ${vcpus} allows for the instance bucket that the specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to this limit.`,
    );
  const needed = Map.groupBy(wanted, ({ subnet }) => subnet);
  for (const [subnet, uses] of needed)
    if (account.subnetAddresses.free(subnet) < MaxCount * uses.length)
      refuse(
        'InsufficientFreeAddressesInSubnet',
        `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
      );
};

export const newInterface = (
  account: AccountState,
  { subnet, groups, publicIp, address, ipv6, primaryIpv6 }: WantedInterface,
  tags: Record<string, string>,
): InstanceInterface => {
  const { defaultGroup } = account.vpcs.get(subnet.vpcId)!;
  if (address) account.subnetAddresses.claim(subnet.id, address);
  return {
    id: newId(account.random, 'eni'),
    subnetId: subnet.id,
    privateIp: address ?? account.subnetAddresses.take(subnet, account.random)!,
    ...(publicIp && { publicIp: newPublicIp(account) }),
    ...(ipv6 && { ipv6: addressIn6(subnet.ipv6!.cidr, account.random) }),
    ...(primaryIpv6 && { primaryIpv6 }),
    groups: groups.length > 0 ? [...groups] : [defaultGroup],
    tags: { ...tags },
  };
};

const dnsName = (id: string, input: Launch, { region, hostnameType }: SubnetRecord, privateIp: string): string => {
  const type = input.PrivateDnsNameOptions?.HostnameType ?? hostnameType;
  return `${type === 'resource-name' ? id : `ip-${privateIp.replaceAll('.', '-')}`}.${privateDomain(region)}`;
};

/** How an accepted launch can fail afterwards. */
const asyncFailure = ({ account, region }: Call, zone: string, type: string, starts: number) => {
  const fault = account.faults.strike({ action: 'RunInstances', region, zone, type }, 'later');
  return fault
    ? {
        ended: {
          requested: starts,
          done: starts,
          code: fault.code,
          message: `${fault.code}: ${fault.message}`,
          transition: fault.code,
        },
      }
    : {};
};

/** `reserved`: tags that only AWS sets, for launches by one of its services. */
export const runInstances = (
  call: Call,
  input: Launch,
  reserved: Record<string, string> = {},
): CloudOutput<'RunInstances'> => {
  const { account, region, now } = call;
  checkSyntax(input);
  const type =
    instanceType(account, input.InstanceType) ??
    invalidParameter(`Invalid value '${input.InstanceType}' for InstanceType.`);
  const wanted = wantedInterfaces(call, input);
  const { subnet } = wanted[0]!;
  const parameters = fingerprint({ ...input, ClientToken: undefined });
  const tokenZone = tokenScope(input, subnet.zone);
  const earlier = repeated(call, input, parameters, tokenZone);
  if (earlier.length > 0) return { Instances: earlier.map((one) => viewInstance(call, one, observedState(call, one))) };

  const image = imageFor(call, input.ImageId, type);
  checkOptions(input, type);
  checkReferences(call, input, wanted);
  const tags = (resource: string) => tagsFor(resource, input.TagSpecifications, madeAlong);
  const metadata = metadataFor(call, input, tags('instance'));
  const parts = () => ({
    volumes: volumesFor(account, image, input.BlockDeviceMappings ?? [], tags('volume')),
    base: newRecord(call, 'i', 'instance', input.TagSpecifications, madeAlong),
  });
  const first = parts();
  let reservation: string | undefined;
  try {
    reservation = takenReservation(call, type, subnet.zone, input);
    checkCapacity(call, type, wanted, input);
  } catch (refusal) {
    account.launchTokens.put(tokenKey({ region, tokenZone, token: input.ClientToken }), { parameters, spent: false });
    throw refusal;
  }
  const launch = (launchIndex: number): Instance => {
    const { base, volumes } = launchIndex === 0 ? first : parts();
    const interfaces = wanted.map((one) => newInterface(account, one, tags('network-interface')));
    const starts = now + scaled(account, account.behaviour.delays.instanceRunning);
    const instance: InstanceRecord = {
      ...base,
      tags: { ...base.tags, ...reserved },
      vpcId: subnet.vpcId,
      zone: subnet.zone,
      imageId: image.id,
      imageName: image.name,
      architecture: image.architecture,
      rootDevice: rootDeviceOf(image),
      type: type.name,
      vcpus: type.vcpus,
      interfaces,
      volumes,
      privateDnsName: dnsName(base.id, input, subnet, interfaces[0]!.privateIp),
      publicDnsNames: account.vpcs.get(subnet.vpcId)!.dnsHostnames,
      ...(input.IamInstanceProfile && { profile: input.IamInstanceProfile.Name }),
      ...(input.KeyName && { keyName: input.KeyName }),
      userData: input.UserData ?? '',
      metadata: { ...metadata },
      ...(marketOf(input.InstanceMarketOptions) === 'spot' && { market: 'spot' as const }),
      ...(reservation && { reservation }),
      tenancy: input.Placement?.Tenancy ?? 'default',
      token: input.ClientToken,
      ...(launchIndex > 0 && { launchIndex }),
      tokenZone,
      parameters,
      starts,
      ...asyncFailure(call, subnet.zone, type.name, starts),
    };
    countVcpus(account, instance, 1);
    followInstance(account, instance);
    return viewInstance(call, instance, 'pending');
  };
  return { Instances: Array.from({ length: input.MaxCount }, (_, index) => launch(index)) };
};

export const launchActions = {
  RunInstances: (call, input) => runInstances(call, input),
} satisfies Handlers;
