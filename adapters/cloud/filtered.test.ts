import { describe, expect, it } from 'vitest';
import type { CloudAction, CloudInput, CloudOutput } from '../../kinds/ports/cloud/index.ts';
import { filtered } from './filtered.ts';

const ours = [
  { Key: 'capstan.dev/installation', Value: 'here' },
  { Key: 'capstan.dev/cluster-uid', Value: 'one' },
];
const theirs = [ours[0]!, { Key: 'capstan.dev/cluster-uid', Value: 'two' }];
const Filters = ours.map(({ Key, Value }) => ({ Name: `tag:${Key}`, Values: [Value] }));
const TagFilters = ours.map(({ Key, Value }) => ({ Key, Values: [Value] }));

const ask = <A extends CloudAction>(action: A, input: object, output: object) =>
  filtered(action, input as CloudInput<A>, output as CloudOutput<A>);

describe('a list by tag', () => {
  it.each<{ action: CloudAction; list: string; input?: object; tags?: string }>([
    { action: 'DescribeAddresses', list: 'Addresses' },
    { action: 'DescribeCarrierGateways', list: 'CarrierGateways' },
    { action: 'DescribeInternetGateways', list: 'InternetGateways' },
    { action: 'DescribeNatGateways', list: 'NatGateways', input: { Filter: Filters } },
    { action: 'DescribeNetworkInterfaces', list: 'NetworkInterfaces', tags: 'TagSet' },
    { action: 'DescribeRouteTables', list: 'RouteTables' },
    { action: 'DescribeSecurityGroups', list: 'SecurityGroups' },
    { action: 'DescribeSubnets', list: 'Subnets' },
    { action: 'DescribeVolumes', list: 'Volumes' },
    { action: 'DescribeVpcEndpoints', list: 'VpcEndpoints' },
    { action: 'DescribeVpcs', list: 'Vpcs' },
    { action: 'GetResources', list: 'ResourceTagMappingList', input: { TagFilters } },
  ])('from $action contains only resources with those tags', ({ action, list, input = { Filters }, tags = 'Tags' }) => {
    const answered = [
      { id: 1, [tags]: ours },
      { id: 2, [tags]: theirs },
      { id: 3, [tags]: [] },
    ];
    const rest = { NextToken: 'more' };
    expect(ask(action, input, { [list]: answered, ...rest })).toEqual({ [list]: [answered[0]], ...rest });
    expect(ask(action, {}, { [list]: answered })).toEqual({ [list]: answered });
  });

  it('of instances drops reservations that become empty', () => {
    const [one, two] = [
      { InstanceId: 'i-1', Tags: ours },
      { InstanceId: 'i-2', Tags: theirs },
    ];
    const Reservations = [{ Instances: [one, two] }, { Instances: [two] }];
    expect(ask('DescribeInstances', { Filters }, { Reservations })).toEqual({ Reservations: [{ Instances: [one] }] });
  });
});

it('a list by VPC contains the resources of that VPC and those that name no VPC', () => {
  const NatGateways = [{ VpcId: 'vpc-1' }, { VpcId: 'vpc-2' }, {}];
  const Filter = [{ Name: 'vpc-id', Values: ['vpc-1'] }];
  expect(ask('DescribeNatGateways', { Filter }, { NatGateways })).toEqual({ NatGateways: [NatGateways[0], {}] });
});

it('leaves wildcards and other attributes to EC2', () => {
  const Subnets = [{ Tags: theirs }];
  for (const filter of [
    { Name: 'tag:Name', Values: ['a*'] },
    { Name: 'state', Values: ['available'] },
  ])
    expect(ask('DescribeSubnets', { Filters: [filter] }, { Subnets })).toEqual({ Subnets });
});
