import { describe, expect, it } from 'vitest';
import type { Subnet } from '../../ports/cloud/index.ts';
import type { SubnetSpec } from '../network/fill.ts';
import { type Choice, choosePlace, namedSubnetId, zonesToTry } from './placement.ts';

const subnet = (zone: string, isPublic = false, more: Partial<SubnetSpec> = {}): SubnetSpec => ({
  id: `${isPublic ? 'public' : 'private'}-${zone}`,
  resourceID: `subnet-${isPublic ? 'public' : 'private'}-${zone}`,
  availabilityZone: zone,
  isPublic,
  ...more,
});
const subnets = [subnet('a', true), subnet('a'), subnet('b', true), subnet('b')];
const real = (id: string, zone: string, vpc = 'vpc', isPublic = false): Subnet => ({
  SubnetId: id,
  VpcId: vpc,
  State: 'available',
  CidrBlock: '',
  AvailabilityZone: zone,
  AvailableIpAddressCount: 9,
  MapPublicIpOnLaunch: isPublic,
  PrivateDnsNameOptionsOnLaunch: { HostnameType: 'ip-name' },
  Tags: [],
});
const forPods = (id: string, zone: string): Subnet => ({
  ...real(id, zone),
  Tags: [{ Key: 'sigs.k8s.io/cluster-api-provider-aws/association', Value: 'secondary' }],
});
const choose = (choice: Partial<Choice> = {}) => {
  const place = choosePlace({
    spec: { instanceType: 't' },
    failureDomain: undefined,
    subnets,
    vpcId: 'vpc',
    named: [],
    exhausted: [],
    ...choice,
  });
  return typeof place === 'string' ? place : place.subnetId;
};
const spec = (more: Partial<Choice['spec']>) => ({ instanceType: 't', ...more });

it.each<{ rule: string; of?: Choice['spec']; named?: Subnet[]; is: string[] }>([
  { rule: 'each once', is: ['a', 'b'] },
  {
    rule: 'the VPC of the cluster first',
    of: spec({ subnet: { filters: [] } }),
    named: [real('x', 'd', 'other'), real('y', 'c')],
    is: ['c', 'd'],
  },
  { rule: 'none without a subnet', of: spec({ subnet: { id: 'subnet-x' } }), is: [] },
])('zones are tried in the order of their subnets: $rule', ({ of = spec({}), named = [], is }) =>
  expect(zonesToTry({ spec: of, subnets, vpcId: 'vpc', named })).toEqual(is));

describe('a machine is placed', () => {
  const cases: { rule: string; choice: Partial<Choice>; in: string | RegExp }[] = [
    { rule: 'in the first private subnet', choice: {}, in: 'subnet-private-a' },
    { rule: 'in its failure domain', choice: { failureDomain: 'b' }, in: 'subnet-private-b' },
    { rule: 'nowhere when its failure domain has no subnet', choice: { failureDomain: 'z' }, in: /zone z/ },
    {
      rule: 'in a public subnet when it requests a public address',
      choice: { spec: spec({ publicIP: true }) },
      in: 'subnet-public-a',
    },
    {
      rule: 'elsewhere when a zone has no capacity',
      choice: { exhausted: ['subnet-private-a'] },
      in: 'subnet-private-b',
    },
    {
      rule: 'in an exhausted zone again when all are exhausted',
      choice: { exhausted: ['subnet-private-a', 'subnet-private-b'] },
      in: 'subnet-private-a',
    },
    {
      rule: 'never outside its failure domain',
      choice: { failureDomain: 'a', exhausted: ['subnet-private-a'] },
      in: 'subnet-private-a',
    },
    {
      rule: 'never in an edge zone by default',
      choice: { subnets: [subnet('e', false, { zoneType: 'local-zone' }), subnet('b')] },
      in: 'subnet-private-b',
    },
    {
      rule: 'never in a subnet for pods',
      choice: {
        subnets: [
          subnet('e', false, { tags: { 'sigs.k8s.io/cluster-api-provider-aws/association': 'secondary' } }),
          subnet('b'),
        ],
      },
      in: 'subnet-private-b',
    },
    {
      rule: 'in the subnet that it names',
      choice: { spec: spec({ subnet: { id: 'subnet-x' } }), named: [real('subnet-x', 'c')] },
      in: 'subnet-x',
    },
    {
      rule: 'in the VPC of the cluster rather than another',
      choice: {
        spec: spec({ subnet: { filters: [] } }),
        named: [real('subnet-x', 'a', 'other'), real('subnet-y', 'a')],
      },
      in: 'subnet-y',
    },
    {
      rule: 'in the VPC of the cluster even when that subnet is listed first',
      choice: {
        spec: spec({ subnet: { filters: [] } }),
        named: [real('subnet-y', 'a'), real('subnet-x', 'a', 'other')],
      },
      in: 'subnet-y',
    },
    {
      rule: 'never in a subnet for pods, even if its filters match one',
      choice: { spec: spec({ subnet: { filters: [] } }), named: [forPods('subnet-x', 'a'), real('subnet-y', 'a')] },
      in: 'subnet-y',
    },
    {
      rule: 'nowhere when its subnet is reserved for pods',
      choice: { spec: spec({ subnet: { id: 'subnet-x' } }), named: [forPods('subnet-x', 'a')] },
      in: /^subnet subnet-x is for pods$/,
    },
    {
      rule: 'in an edge zone when it names that subnet',
      choice: {
        subnets: [subnet('e', false, { zoneType: 'local-zone' }), subnet('b')],
        spec: spec({ subnet: { id: 'subnet-private-e' } }),
        named: [real('subnet-private-e', 'e')],
      },
      in: 'subnet-private-e',
    },
    {
      rule: 'nowhere before its subnet exists',
      choice: { subnets: [subnet('a', false, { resourceID: undefined as never })] },
      in: /^no private subnet is available$/,
    },
    {
      rule: 'nowhere before the zone of its subnet is known',
      choice: { subnets: [subnet('a', false, { availabilityZone: undefined as never })] },
      in: /^no private subnet is available$/,
    },
    {
      rule: 'nowhere when its subnet does not exist',
      choice: { spec: spec({ subnet: { id: 'subnet-x' } }) },
      in: /^subnet subnet-x does not exist$/,
    },
    {
      rule: 'nowhere when its filters match no subnet',
      choice: { spec: spec({ subnet: { filters: [{ name: 'tag:of', values: ['me'] }] } }) },
      in: /"tag:of".* does not exist$/,
    },
    {
      rule: 'in its subnet when that assigns public addresses',
      choice: {
        spec: spec({ publicIP: true, subnet: { id: 'subnet-x' } }),
        named: [real('subnet-x', 'a', 'vpc', true)],
      },
      in: 'subnet-x',
    },
    {
      rule: 'in its subnet when the cluster declares that public',
      choice: {
        spec: spec({ publicIP: true, subnet: { id: 'subnet-public-b' } }),
        named: [real('subnet-public-b', 'b')],
      },
      in: 'subnet-public-b',
    },
    {
      rule: 'nowhere when the cluster declares its subnet private',
      choice: {
        spec: spec({ publicIP: true, subnet: { id: 'subnet-private-b' } }),
        named: [real('subnet-private-b', 'b', 'vpc', true)],
      },
      in: /is private/,
    },
    {
      rule: 'nowhere when its subnet is private and it requests a public address',
      choice: { spec: spec({ publicIP: true, subnet: { id: 'subnet-x' } }), named: [real('subnet-x', 'a')] },
      in: /is private/,
    },
    {
      rule: 'nowhere when its subnet is in another failure domain',
      choice: { failureDomain: 'a', spec: spec({ subnet: { id: 'subnet-x' } }), named: [real('subnet-x', 'b')] },
      in: /zone a/,
    },
  ];
  it.each(cases)('$rule', ({ choice, in: where }) =>
    typeof where === 'string' ? expect(choose(choice)).toBe(where) : expect(choose(choice)).toMatch(where));
});

describe('a carrier address', () => {
  const wave = subnet('wlz', true, { zoneType: 'wavelength-zone' });
  it.each([
    { rule: 'is assigned in a Wavelength zone', id: 'subnet-public-wlz', zone: 'wlz', carrier: true },
    { rule: 'is not assigned in another zone', id: 'subnet-public-a', zone: 'a', carrier: undefined },
    {
      rule: 'is not assigned in a subnet that the cluster does not list',
      id: 'subnet-x',
      zone: 'wlz',
      carrier: undefined,
    },
  ])('$rule', ({ id, zone, carrier }) => {
    const place = choosePlace({
      spec: spec({ subnet: { id } }),
      failureDomain: undefined,
      subnets: [...subnets, wave],
      vpcId: 'vpc',
      named: [real(id, zone)],
      exhausted: [],
    });
    expect(place).toEqual({ subnetId: id, zone, ...(carrier && { carrier }) });
  });
});

describe('the subnet of a machine', () => {
  it.each([
    { rule: 'is unset', id: undefined, is: undefined },
    { rule: 'is found by its name in the spec', id: 'private-b', is: 'subnet-private-b' },
    { rule: 'is found by its ID', id: 'subnet-public-a', is: 'subnet-public-a' },
    { rule: 'is otherwise treated as an ID', id: 'subnet-x', is: 'subnet-x' },
  ])('$rule', ({ id, is }) => expect(namedSubnetId(spec({ ...(id && { subnet: { id } }) }), subnets)).toBe(is));
});
