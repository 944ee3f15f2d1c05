import { describe, expect, it } from 'vitest';
import type { SubnetSpec } from '../aws-cluster/network/fill.ts';
import type { Subnet } from '../ports/cloud.ts';
import { type Choice, choosePlace } from './placement.ts';

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
const choose = (choice: Partial<Choice> = {}) => {
  const place = choosePlace({
    spec: { instanceType: 't' },
    failureDomain: undefined,
    controlPlane: false,
    subnets,
    vpcId: 'vpc',
    named: [],
    exhausted: [],
    ...choice,
  });
  return typeof place === 'string' ? place : place.subnetId;
};
const spec = (more: Partial<Choice['spec']>) => ({ instanceType: 't', ...more });

describe('a machine is placed', () => {
  const situations: { rule: string; choice: Partial<Choice>; in: string | RegExp }[] = [
    { rule: 'in the first private subnet', choice: {}, in: 'subnet-private-a' },
    { rule: 'in its failure domain', choice: { failureDomain: 'b' }, in: 'subnet-private-b' },
    { rule: 'nowhere, when its failure domain has no subnet', choice: { failureDomain: 'z' }, in: /zone z/ },
    {
      rule: 'in a public subnet when it wants a public address',
      choice: { spec: spec({ publicIP: true }) },
      in: 'subnet-public-a',
    },
    { rule: 'elsewhere, when a zone is full', choice: { exhausted: ['subnet-private-a'] }, in: 'subnet-private-b' },
    {
      rule: 'in a full zone again, when all are',
      choice: { exhausted: ['subnet-private-a', 'subnet-private-b'] },
      in: 'subnet-private-a',
    },
    {
      rule: 'never elsewhere than its failure domain',
      choice: { failureDomain: 'a', exhausted: ['subnet-private-a'] },
      in: 'subnet-private-a',
    },
    {
      rule: 'never in an edge zone by itself',
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
      rule: 'where it names',
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
      rule: 'nowhere, when what it names is not there',
      choice: { spec: spec({ subnet: { id: 'subnet-x' } }) },
      in: /does not exist/,
    },
    {
      rule: 'nowhere, when what it names is private and it wants a public address',
      choice: { spec: spec({ publicIP: true, subnet: { id: 'subnet-x' } }), named: [real('subnet-x', 'a')] },
      in: /is private/,
    },
    {
      rule: 'nowhere, when what it names is in another failure domain',
      choice: { failureDomain: 'a', spec: spec({ subnet: { id: 'subnet-x' } }), named: [real('subnet-x', 'b')] },
      in: /zone a/,
    },
  ];
  it.each(situations)('$rule', ({ choice, in: where }) =>
    typeof where === 'string' ? expect(choose(choice)).toBe(where) : expect(choose(choice)).toMatch(where));
});
