/** Virtual private clouds and their address blocks. */
import type { CloudInput, Ipv6Association, Vpc } from '../../kinds/ports/cloud/index.ts';
import { type Block, formatBlock, overlaps, parseBlock } from './cidr.ts';
import { amazonBlock, formatBlock6, parseBlock6 } from './cidr6.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { dependencyViolation, invalidParameter, refuse } from './errors.ts';
import type { Fields } from './filters.ts';
import { allocateBlock, allocateBlock6 } from './ipam.ts';
import { idErrorsOf, named, newId, newRecord } from './naming.ts';
import { natGatewayState } from './nat-gateway.ts';
import { networkInterfacesOfVpc } from './network-interface.ts';
import { newMainRouteTable } from './route-table.ts';
import { newDefaultGroup } from './security-group.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';
import { tagList } from './tags.ts';

export interface VpcRecord extends Stored {
  /** The first one is the primary. */
  blocks: { id: string; cidr: string }[];
  ipv6?: { id: string; cidr: string; pool: string; associated: number };
  isDefault: boolean;
  dnsSupport: boolean;
  dnsHostnames: boolean;
  mainRouteTable: string;
  defaultGroup: string;
  /** Created by AWS. */
  provided?: boolean;
}

export const vpcErrors = idErrorsOf('vpc', 'InvalidVpcID', 'vpc ID');

export const vpcs: CollectionOf<VpcRecord> = {
  name: 'vpcs',
  errors: vpcErrors,
  indexes: { default: ({ isDefault, region }) => (isDefault ? [region] : []) },
};

export const primaryBlock = (vpc: VpcRecord): string => vpc.blocks[0]?.cidr ?? '';

/** Its IPv6 block, once subnets can have parts of it. */
export const ipv6BlockOf = ({ ipv6 }: VpcRecord, now: number): string | undefined =>
  ipv6 && now >= ipv6.associated ? ipv6.cidr : undefined;

const viewIpv6 = (ipv6: NonNullable<VpcRecord['ipv6']>, now: number): Ipv6Association => ({
  AssociationId: ipv6.id,
  Ipv6CidrBlock: ipv6.cidr,
  Ipv6CidrBlockState: { State: now >= ipv6.associated ? 'associated' : 'associating' },
  Ipv6Pool: ipv6.pool,
});

const viewOf = ({ account: { accountId }, now }: Call, vpc: VpcRecord): Vpc => ({
  VpcId: vpc.id,
  OwnerId: accountId,
  State: 'available',
  CidrBlock: primaryBlock(vpc),
  CidrBlockAssociationSet: vpc.blocks.map(({ id, cidr }) => ({
    AssociationId: id,
    CidrBlock: cidr,
    CidrBlockState: { State: 'associated' },
  })),
  ...(vpc.ipv6 && { Ipv6CidrBlockAssociationSet: [viewIpv6(vpc.ipv6, now)] }),
  IsDefault: vpc.isDefault,
  Tags: tagList(vpc.tags),
});

const fields: Fields<VpcRecord> = {
  'vpc-id': ({ id }) => [id],
  cidr: (vpc) => [primaryBlock(vpc)],
  'cidr-block-association.cidr-block': ({ blocks }) => blocks.map(({ cidr }) => cidr),
  'is-default': ({ isDefault }) => [String(isDefault)],
  isDefault: ({ isDefault }) => [String(isDefault)],
  state: () => ['available'],
  'owner-id': () => [],
};

const blockFor = (text: string): Block => {
  const block =
    parseBlock(text) ??
    invalidParameter(`Value (${text}) for parameter cidrBlock is invalid. This is not a valid CIDR block.`);
  if (block.prefix < 16 || block.prefix > 28) refuse('InvalidVpc.Range', `The CIDR '${text}' is invalid.`);
  return block;
};

/**
 * Creates the VPC with its default security group and main route table. The VPC is written last, so
 * that a crash leaves no VPC without them.
 */
export const addVpc = (call: Call, base: Stored, cidr: string, facts: Partial<VpcRecord> = {}): VpcRecord => {
  const { account } = call;
  const vpc: VpcRecord = {
    ...base,
    blocks: [{ id: newId(account.random, 'vpc-cidr-assoc'), cidr }],
    isDefault: false,
    dnsSupport: true,
    dnsHostnames: false,
    mainRouteTable: newMainRouteTable(call, base.id, [cidr, ...(facts.ipv6 ? [facts.ipv6.cidr] : [])]).id,
    defaultGroup: newDefaultGroup(call, base.id).id,
    ...facts,
  };
  account.vpcs.put(vpc);
  return vpc;
};

/** The IPv6 block that a request asks for, if any. */
const ipv6For = (call: Call, input: CloudInput<'CreateVpc'>): Pick<VpcRecord, 'ipv6'> => {
  const { account, now } = call;
  const { AmazonProvidedIpv6CidrBlock, Ipv6Pool, Ipv6CidrBlock, Ipv6IpamPoolId, Ipv6NetmaskLength } = input;
  const sources = [AmazonProvidedIpv6CidrBlock, Ipv6Pool, Ipv6IpamPoolId].filter(Boolean);
  if (sources.length > 1)
    refuse('InvalidParameterCombination', 'Specify one source of the IPv6 CIDR block: Amazon, a pool, or an IPAM pool');
  if (sources.length === 0) {
    if (Ipv6CidrBlock) refuse('MissingParameter', 'The request must contain the parameter ipv6Pool');
    return {};
  }
  const block = () => {
    if (Ipv6IpamPoolId) return allocateBlock6(call, Ipv6IpamPoolId, Ipv6NetmaskLength ?? 56);
    if (!Ipv6Pool) return amazonBlock(account.random);
    if (!/^ipv6pool-ec2-/.test(Ipv6Pool)) refuse('InvalidIpv6PoolId.NotFound', `The pool '${Ipv6Pool}' does not exist`);
    const given = parseBlock6(Ipv6CidrBlock ?? '') ?? invalidParameter(`Invalid IPv6 CIDR block: ${Ipv6CidrBlock}`);
    return formatBlock6(given);
  };
  return {
    ipv6: {
      id: newId(account.random, 'vpc-cidr-assoc'),
      cidr: block(),
      pool: Ipv6IpamPoolId ?? Ipv6Pool ?? 'Amazon',
      associated: now + scaled(account, account.behaviour.delays.ipv6Associated),
    },
  };
};

/** The record that a region's default VPC was deleted, so that it is not created again. */
export const defaultVpcKey = (region: string): string => `default-vpc/${region}`;

/** Resources that block its deletion. */
const hasDependents = (account: AccountState, vpc: VpcRecord, now: number): boolean =>
  account.subnets.count('vpc-id', vpc.id) > 0 ||
  account.internetGateways.count('attachment.vpc-id', vpc.id) > 0 ||
  account.securityGroups.by('vpc-id', vpc.id).some(({ id }) => id !== vpc.defaultGroup) ||
  account.routeTables.by('vpc-id', vpc.id).some(({ id }) => id !== vpc.mainRouteTable) ||
  account.vpcEndpoints.count('vpc-id', vpc.id) > 0 ||
  account.carrierGateways.count('vpc-id', vpc.id) > 0 ||
  account.egressOnlyInternetGateways.count('vpc-id', vpc.id) > 0 ||
  account.natGateways
    .by('vpc-id', vpc.id)
    .some((gateway) => !['deleted', 'failed'].includes(natGatewayState(gateway, now))) ||
  networkInterfacesOfVpc(account, vpc.id, now).length > 0;

export const vpcActions = {
  DescribeVpcs: (call, { VpcIds, Filters, MaxResults, NextToken }) => {
    const found = describe(call, call.account.vpcs, vpcErrors, fields, {
      ids: VpcIds,
      filters: Filters,
      MaxResults,
      NextToken,
    });
    return {
      Vpcs: found.items.map((vpc) => viewOf(call, vpc)),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },

  CreateVpc: (call, input) => {
    const { account, region } = call;
    const { CidrBlock, Ipv4IpamPoolId, Ipv4NetmaskLength, TagSpecifications } = input;
    if ((CidrBlock === undefined) === (Ipv4IpamPoolId === undefined))
      refuse('InvalidParameterCombination', 'Specify either cidrBlock or ipv4IpamPoolId');
    const block = blockFor(CidrBlock ?? allocateBlock(call, Ipv4IpamPoolId!, Ipv4NetmaskLength ?? 16));
    const base = newRecord(call, 'vpc', 'vpc', TagSpecifications);
    if (account.vpcs.count('region', region) >= account.behaviour.quotas.vpcs)
      refuse('VpcLimitExceeded', 'The maximum number of VPCs has been reached.');
    return { Vpc: viewOf(call, addVpc(call, base, formatBlock(block), ipv6For(call, input))) };
  },

  ModifyVpcAttribute: (call, { VpcId, EnableDnsSupport, EnableDnsHostnames }) => {
    const vpc = named(call, call.account.vpcs, VpcId, vpcErrors);
    if (EnableDnsSupport && EnableDnsHostnames)
      refuse(
        'InvalidParameterCombination',
        'Fields for multiple attribute types specified: enableDnsSupport, enableDnsHostnames',
      );
    if (EnableDnsSupport) vpc.dnsSupport = EnableDnsSupport.Value;
    if (EnableDnsHostnames) vpc.dnsHostnames = EnableDnsHostnames.Value;
    call.account.vpcs.put(vpc);
    return {};
  },

  DescribeVpcAttribute: (call, { VpcId, Attribute }) => {
    const vpc = named(call, call.account.vpcs, VpcId, vpcErrors);
    return Attribute === 'enableDnsSupport'
      ? { VpcId, EnableDnsSupport: { Value: vpc.dnsSupport } }
      : { VpcId, EnableDnsHostnames: { Value: vpc.dnsHostnames } };
  },

  AssociateVpcCidrBlock: (call, { VpcId, CidrBlock }) => {
    const vpc = named(call, call.account.vpcs, VpcId, vpcErrors);
    const block = blockFor(CidrBlock);
    if (vpc.blocks.some(({ cidr }) => overlaps(parseBlock(cidr)!, block)))
      refuse('InvalidVpc.Range', `The CIDR '${CidrBlock}' conflicts with another CIDR block of the VPC.`);
    if (vpc.blocks.length >= 5)
      refuse('CidrLimitExceeded', `This network '${VpcId}' has met its maximum number of allowed CIDRs: 5`);
    vpc.blocks.push({ id: newId(call.account.random, 'vpc-cidr-assoc'), cidr: formatBlock(block) });
    call.account.vpcs.put(vpc);
    return { VpcId };
  },

  DisassociateVpcCidrBlock: (call, { AssociationId }) => {
    const { account, region } = call;
    const vpc =
      account.vpcs.by('region', region).find(({ blocks }) => blocks.some(({ id }) => id === AssociationId)) ??
      refuse(
        'InvalidVpcCidrBlockAssociationID.NotFound',
        `The vpc CIDR block association ID '${AssociationId}' does not exist`,
      );
    const at = vpc.blocks.findIndex(({ id }) => id === AssociationId);
    if (at === 0)
      refuse(
        'OperationNotPermitted',
        `The vpc CIDR block with association ID ${AssociationId} may not be disassociated. It is the primary IPv4 CIDR block of the VPC`,
      );
    const block = parseBlock(vpc.blocks[at]!.cidr)!;
    if (account.subnets.by('vpc-id', vpc.id).some(({ cidr }) => overlaps(parseBlock(cidr)!, block)))
      dependencyViolation(`The vpc CIDR block '${vpc.blocks[at]!.cidr}' has dependencies and cannot be disassociated.`);
    vpc.blocks.splice(at, 1);
    account.vpcs.put(vpc);
    return { VpcId: vpc.id };
  },

  DeleteVpc: (call, { VpcId }) => {
    const { account, now } = call;
    const vpc = named(call, account.vpcs, VpcId, vpcErrors);
    if (hasDependents(account, vpc, now))
      dependencyViolation(`The vpc '${VpcId}' has dependencies and cannot be deleted.`);
    if (vpc.isDefault) account.removed.put(defaultVpcKey(vpc.region), true);
    account.vpcs.delete(VpcId);
    account.securityGroups.delete(vpc.defaultGroup);
    account.routeTables.delete(vpc.mainRouteTable);
    return {};
  },
} satisfies Handlers;
