import { describe, expect, it } from 'vitest';
import { planDuplicates } from '../../engine/plan.ts';
import { purposeTag, tagList } from '../../engine/tags.ts';
import type { CloudState } from '../observe-cloud.ts';
import type { Scope } from '../scope.ts';
import { types } from './index.ts';
import { usedGateway } from './internet-gateways.ts';

const gateway = (InternetGatewayId: string, VpcId?: string) => ({
  InternetGatewayId,
  Attachments: VpcId ? [{ VpcId, State: 'available' }] : [],
  Tags: [],
});
const address = (AllocationId: string, purpose: string, AssociationId?: string) => ({
  AllocationId,
  PublicIp: '192.0.2.1',
  ...(AssociationId && { AssociationId }),
  Tags: tagList({ [purposeTag]: purpose }),
});
const nat = (State: 'available' | 'pending' | 'failed', AllocationId: string) => ({
  NatGatewayId: `nat-${AllocationId}`,
  VpcId: 'vpc-1',
  SubnetId: 'subnet-00000001',
  State,
  NatGatewayAddresses: [{ AllocationId }],
  Tags: [],
});
const used = address('eip-1', 'nat-gateway/demo-public', 'assoc-1');
const duplicate = address('eip-2', 'nat-gateway/demo-public');

const planned = ({ unmanaged = false, ...observed }: { unmanaged?: boolean } & Partial<CloudState>) => {
  const part = planDuplicates(
    {
      owner: { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} },
      region: 'r',
      network: {
        subnets: [
          { id: 'demo-public', resourceID: 'subnet-00000001', isPublic: true, availabilityZone: 'a' },
          { id: 'demo-private', resourceID: 'subnet-00000002', isPublic: false, availabilityZone: 'a' },
        ],
      },
      cloudState: {
        vpc: { VpcId: 'vpc-1', unmanaged },
        subnets: [{ SubnetId: 'subnet-00000001', Tags: [] }],
        internetGateways: [],
        natGateways: [],
        addresses: [],
        ...observed,
      },
    } as unknown as Scope,
    types,
  );
  expect(part.settled).toBe(part.steps.length === 0);
  expect(part.conditions).toEqual([]);
  return part.steps.flatMap(({ once, actions }) => {
    expect(once).toBe(true);
    return actions(0).map((action) => (action.do === 'call' ? action.input : action));
  });
};
const evidence = { 'capstan.dev/installation': 'here', 'capstan.dev/cluster-uid': 'uid' };

describe('a duplicate resource', () => {
  it.each<{ rule: string; there: Parameters<typeof planned>[0]; goes: string[] }>([
    {
      rule: 'is released when it is an address that no gateway uses',
      there: { natGateways: [nat('available', 'eip-1')], addresses: [used, duplicate] },
      goes: ['eip-2'],
    },
    {
      rule: 'is deleted when it is an internet gateway beside the one in use',
      there: { internetGateways: [gateway('igw-2'), gateway('igw-1', 'vpc-1')] },
      goes: ['igw-2'],
    },
    {
      rule: 'is kept while its gateway is not available',
      there: { natGateways: [nat('pending', 'eip-1')], addresses: [used, duplicate] },
      goes: [],
    },
    {
      rule: 'is kept while no gateway exists, which will use the first address',
      there: {
        natGateways: [nat('failed', 'eip-1')],
        addresses: [address('eip-1', 'nat-gateway/demo-public'), duplicate],
      },
      goes: [],
    },
    {
      rule: 'is never the address in use, even if it does not show an association yet',
      there: { natGateways: [nat('available', 'eip-2')], addresses: [duplicate] },
      goes: [],
    },
    {
      rule: 'is kept while its gateway shows no address',
      there: {
        natGateways: [{ ...nat('available', 'eip-1'), NatGatewayAddresses: [] }],
        addresses: [address('eip-1', 'nat-gateway/demo-public'), duplicate],
      },
      goes: [],
    },
    {
      rule: 'is never an address in use elsewhere',
      there: {
        natGateways: [nat('available', 'eip-1')],
        addresses: [used, address('eip-2', 'nat-gateway/demo-public', 'assoc-2')],
      },
      goes: [],
    },
    {
      rule: 'is never an address of a machine or of another subnet',
      there: {
        natGateways: [nat('available', 'eip-1')],
        addresses: [used, address('eip-2', 'address'), address('eip-3', 'nat-gateway/demo-other')],
      },
      goes: [],
    },
    {
      rule: 'is never an internet gateway while none is in use',
      there: { internetGateways: [gateway('igw-1'), gateway('igw-2')] },
      goes: [],
    },
    {
      rule: 'is never an internet gateway attached to another network',
      there: { internetGateways: [gateway('igw-1', 'vpc-1'), gateway('igw-2', 'vpc-2')] },
      goes: [],
    },
    {
      rule: 'does not exist in an unmanaged network',
      there: { unmanaged: true, natGateways: [nat('available', 'eip-1')], addresses: [used, duplicate] },
      goes: [],
    },
  ])('$rule', ({ there, goes }) => {
    expect(planned(there)).toEqual(
      goes.map((id) => ({
        region: 'r',
        input: id.startsWith('eip') ? { AllocationId: id } : { InternetGatewayId: id },
        owned: evidence,
      })),
    );
  });
});

describe('of several internet gateways', () => {
  const vpc = { VpcId: 'vpc-1' } as CloudState['vpc'];
  it.each([
    { rule: 'the attached one is used', all: [gateway('igw-2'), gateway('igw-1', 'vpc-1')], is: 'igw-1' },
    {
      rule: 'the first one is used while none is attached',
      all: [gateway('igw-2', 'vpc-2'), gateway('igw-1')],
      is: 'igw-2',
    },
    { rule: 'none is used when none exists', all: [], is: undefined },
  ])('$rule', ({ all, is }) => expect(usedGateway({ vpc, internetGateways: all })?.InternetGatewayId).toBe(is));
});
