/** Subnets: blocks of a VPC, each in one zone. */
import type { HostnameType, Subnet } from '../../kinds/ports/cloud/index.ts';
import { contains, formatBlock, overlaps, parseBlock } from './cidr.ts';
import { contains6, formatBlock6, overlaps6, parseBlock6 } from './cidr6.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { dependencyViolation, invalidParameter, refuse } from './errors.ts';
import type { Fields } from './filters.ts';
import { idErrorsOf, named, newId, newRecord } from './naming.ts';
import { networkInterfacesOfSubnet } from './network-interface.ts';
import { allZonesOf, isWavelength } from './regions.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';
import { tagList } from './tags.ts';
import { ipv6BlockOf, type VpcRecord, vpcErrors } from './vpc.ts';

export interface SubnetRecord extends Stored {
  vpcId: string;
  cidr: string;
  zone: string;
  mapPublicIp: boolean;
  ipv6?: { id: string; cidr: string; associated: number };
  assignIpv6?: boolean;
  dns64?: boolean;
  /** The default hostname type of launches; absent = ip-name. */
  hostnameType?: HostnameType;
  provided?: boolean;
}

export const subnetErrors = idErrorsOf('subnet', 'InvalidSubnetID', 'subnet ID');

export const subnets: CollectionOf<SubnetRecord> = {
  name: 'subnets',
  errors: subnetErrors,
  indexes: { 'vpc-id': ({ vpcId }) => [vpcId] },
};

const view = (account: AccountState, subnet: SubnetRecord, now: number): Subnet => ({
  SubnetId: subnet.id,
  VpcId: subnet.vpcId,
  State: 'available',
  CidrBlock: subnet.cidr,
  AvailabilityZone: subnet.zone,
  AvailableIpAddressCount: account.subnetAddresses.free(subnet),
  MapPublicIpOnLaunch: subnet.mapPublicIp,
  ...(subnet.ipv6 && {
    Ipv6CidrBlockAssociationSet: [
      {
        AssociationId: subnet.ipv6.id,
        Ipv6CidrBlock: subnet.ipv6.cidr,
        Ipv6CidrBlockState: { State: now >= subnet.ipv6.associated ? 'associated' : 'associating' },
      },
    ],
  }),
  AssignIpv6AddressOnCreation: subnet.assignIpv6 ?? false,
  EnableDns64: subnet.dns64 ?? false,
  PrivateDnsNameOptionsOnLaunch: { HostnameType: subnet.hostnameType ?? 'ip-name' },
  Tags: tagList(subnet.tags),
});

const fields: Fields<SubnetRecord> = {
  'subnet-id': ({ id }) => [id],
  'vpc-id': ({ vpcId }) => [vpcId],
  'availability-zone': ({ zone }) => [zone],
  availabilityZone: ({ zone }) => [zone],
  'cidr-block': ({ cidr }) => [cidr],
  cidr: ({ cidr }) => [cidr],
  'map-public-ip-on-launch': ({ mapPublicIp }) => [String(mapPublicIp)],
  'default-for-az': ({ provided }) => [String(provided === true)],
  state: () => ['available'],
};

const ipv6For = (
  { account, now }: Call,
  vpc: VpcRecord,
  siblings: readonly SubnetRecord[],
  text: string,
): SubnetRecord['ipv6'] => {
  const block = parseBlock6(text) ?? invalidParameter(`Value (${text}) for parameter ipv6CidrBlock is invalid.`);
  const whole = parseBlock6(ipv6BlockOf(vpc, now) ?? '');
  if (block.prefix < 44 || block.prefix > 64 || block.prefix % 4 !== 0 || !whole || !contains6(whole, block))
    refuse('InvalidSubnet.Range', `The CIDR '${text}' is invalid.`);
  if (siblings.some(({ ipv6 }) => ipv6 && overlaps6(parseBlock6(ipv6.cidr)!, block)))
    refuse('InvalidSubnet.Conflict', `The CIDR '${text}' conflicts with another subnet`);
  return {
    id: newId(account.random, 'subnet-cidr-assoc'),
    cidr: formatBlock6(block),
    associated: now + scaled(account, account.behaviour.delays.ipv6Associated),
  };
};

export const subnetActions = {
  DescribeSubnets: (call, { SubnetIds, Filters, MaxResults, NextToken }) => {
    const question = { ids: SubnetIds, filters: Filters, MaxResults, NextToken };
    const found = describe(call, call.account.subnets, subnetErrors, fields, question);
    return {
      Subnets: found.items.map((subnet) => view(call.account, subnet, call.now)),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },

  CreateSubnet: (call, { VpcId, CidrBlock, Ipv6CidrBlock, AvailabilityZone, TagSpecifications }) => {
    const { account, region } = call;
    const vpc = named(call, account.vpcs, VpcId, vpcErrors);
    const block =
      parseBlock(CidrBlock) ??
      invalidParameter(`Value (${CidrBlock}) for parameter cidrBlock is invalid. This is not a valid CIDR block.`);
    if (block.prefix < 16 || block.prefix > 28 || !vpc.blocks.some(({ cidr }) => contains(parseBlock(cidr)!, block)))
      refuse('InvalidSubnet.Range', `The CIDR '${CidrBlock}' is invalid.`);
    if (!allZonesOf(region).includes(AvailabilityZone))
      invalidParameter(
        `Value (${AvailabilityZone}) for parameter availabilityZone is invalid. Subnets can currently only be created in the following availability zones: ${allZonesOf(region).join(', ')}.`,
      );
    const siblings = account.subnets.by('vpc-id', VpcId);
    if (siblings.some(({ cidr }) => overlaps(parseBlock(cidr)!, block)))
      refuse('InvalidSubnet.Conflict', `The CIDR '${CidrBlock}' conflicts with another subnet`);
    const ipv6 = Ipv6CidrBlock ? ipv6For(call, vpc, siblings, Ipv6CidrBlock) : undefined;
    const base = newRecord(call, 'subnet', 'subnet', TagSpecifications);
    if (siblings.length >= account.behaviour.quotas.subnetsPerVpc)
      refuse('SubnetLimitExceeded', 'The maximum number of subnets has been reached.');
    const subnet: SubnetRecord = {
      ...base,
      vpcId: VpcId,
      cidr: formatBlock(block),
      zone: AvailabilityZone,
      mapPublicIp: false,
      ...(ipv6 && { ipv6 }),
    };
    account.subnets.put(subnet);
    return { Subnet: view(account, subnet, call.now) };
  },

  ModifySubnetAttribute: (call, { SubnetId, ...attributes }) => {
    const { MapPublicIpOnLaunch, PrivateDnsHostnameTypeOnLaunch, AssignIpv6AddressOnCreation, EnableDns64 } =
      attributes;
    const subnet = named(call, call.account.subnets, SubnetId, subnetErrors);
    if (MapPublicIpOnLaunch?.Value && isWavelength(subnet.region, subnet.zone))
      refuse('InvalidParameterValue', 'Public IP addresses cannot be assigned in a Wavelength Zone');
    if (Object.values(attributes).filter(Boolean).length > 1)
      refuse('InvalidParameterCombination', 'Fields for multiple attribute types specified');
    if (AssignIpv6AddressOnCreation?.Value && !subnet.ipv6)
      invalidParameter(`Subnet ${SubnetId} has no IPv6 CIDR block`);
    if (AssignIpv6AddressOnCreation) subnet.assignIpv6 = AssignIpv6AddressOnCreation.Value;
    if (EnableDns64) subnet.dns64 = EnableDns64.Value;
    if (PrivateDnsHostnameTypeOnLaunch) subnet.hostnameType = PrivateDnsHostnameTypeOnLaunch;
    if (MapPublicIpOnLaunch) subnet.mapPublicIp = MapPublicIpOnLaunch.Value;
    call.account.subnets.put(subnet);
    return {};
  },

  DeleteSubnet: (call, { SubnetId }) => {
    const { account, now } = call;
    const subnet = named(call, account.subnets, SubnetId, subnetErrors);
    if (networkInterfacesOfSubnet(account, SubnetId, now).length > 0)
      dependencyViolation(`The subnet '${SubnetId}' has dependencies and cannot be deleted.`);
    for (const table of account.routeTables.by('association.subnet-id', subnet.id)) {
      table.associations = table.associations.filter(({ subnetId }) => subnetId !== subnet.id);
      account.routeTables.put(table);
    }
    account.subnets.delete(SubnetId);
    return {};
  },
} satisfies Handlers;

/** The subnet that a request names. */
export const subnetNamed = (call: Call, id: string): SubnetRecord =>
  named(call, call.account.subnets, id, subnetErrors);
