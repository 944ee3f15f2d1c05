import { describe, expect, it } from 'vitest';
import type { IpPermission } from '../../ports/cloud.ts';
import { difference, type IngressRule, permissionsOf } from './security-rules.ts';

const tcp = (port: number, ...blocks: string[]): IpPermission => ({
  IpProtocol: 'tcp',
  FromPort: port,
  ToPort: port,
  IpRanges: blocks.map((CidrIp) => ({ CidrIp })),
});
const fromGroup = (port: number, GroupId: string, Description?: string): IpPermission => ({
  IpProtocol: 'tcp',
  FromPort: port,
  ToPort: port,
  UserIdGroupPairs: [{ GroupId, ...(Description && { Description }) }],
});

describe('difference', () => {
  it.each([
    {
      rule: 'authorises what is missing',
      wanted: [tcp(22, '1.1.1.1/32')],
      have: [],
      authorize: [tcp(22, '1.1.1.1/32')],
      revoke: [],
    },
    {
      rule: 'revokes what is extra',
      wanted: [],
      have: [tcp(22, '1.1.1.1/32')],
      authorize: [],
      revoke: [tcp(22, '1.1.1.1/32')],
    },
    {
      rule: 'takes sources apart',
      wanted: [tcp(22, 'a/1', 'b/1')],
      have: [tcp(22, 'b/1', 'c/1')],
      authorize: [tcp(22, 'a/1')],
      revoke: [tcp(22, 'c/1')],
    },
    {
      rule: 'does not mind descriptions',
      wanted: [fromGroup(1, 'sg', 'one')],
      have: [fromGroup(1, 'sg')],
      authorize: [],
      revoke: [],
    },
    {
      rule: 'knows that most protocols have no ports',
      wanted: [{ IpProtocol: '4', FromPort: -1, ToPort: 65535, IpRanges: [{ CidrIp: 'a/1' }] }],
      have: [{ IpProtocol: '4', IpRanges: [{ CidrIp: 'a/1' }] }],
      authorize: [],
      revoke: [],
    },
    {
      rule: 'sends the ports of the others as they are given',
      wanted: [{ IpProtocol: '4', FromPort: -1, ToPort: 65535, IpRanges: [{ CidrIp: 'a/1' }] }],
      have: [],
      authorize: [{ IpProtocol: '4', FromPort: -1, ToPort: 65535, IpRanges: [{ CidrIp: 'a/1' }] }],
      revoke: [],
    },
    {
      rule: 'knows protocols by number',
      wanted: [{ ...tcp(22, 'a/1'), IpProtocol: '6' }],
      have: [tcp(22, 'a/1')],
      authorize: [],
      revoke: [],
    },
    {
      rule: 'knows protocols in capitals, which rules of a pod network may have',
      wanted: [{ IpProtocol: 'TCP', FromPort: 179, ToPort: 179, IpRanges: [{ CidrIp: '10.0.0.0/8' }] }],
      have: [{ IpProtocol: 'tcp', FromPort: 179, ToPort: 179, IpRanges: [{ CidrIp: '10.0.0.0/8' }] }],
      authorize: [],
      revoke: [],
    },
    {
      rule: 'asks for the same thing once',
      wanted: [tcp(22, 'a/1'), tcp(22, 'a/1')],
      have: [],
      authorize: [tcp(22, 'a/1')],
      revoke: [],
    },
  ])('$rule', ({ wanted, have, authorize, revoke }) => expect(difference(wanted, have)).toEqual({ authorize, revoke }));
});

describe('permissionsOf', () => {
  const rule: IngressRule = { description: 'd', protocol: 'tcp', fromPort: 1, toPort: 2 };
  it.each([
    {
      rule: 'names groups by role',
      given: { sourceSecurityGroupRoles: ['node' as const] },
      has: { UserIdGroupPairs: [{ GroupId: 'sg-n', Description: 'd' }] },
    },
    {
      rule: 'leaves out roles without a group',
      given: { sourceSecurityGroupRoles: ['bastion' as const] },
      has: { UserIdGroupPairs: [] },
    },
    {
      rule: 'names the addresses of NAT gateways',
      given: { natGatewaysIPsSource: true },
      has: { IpRanges: [{ CidrIp: '9.9.9.9/32', Description: 'd' }] },
    },
    {
      rule: 'names IPv6 sources',
      given: { ipv6CidrBlocks: ['::/0'] },
      has: { Ipv6Ranges: [{ CidrIpv6: '::/0', Description: 'd' }] },
    },
  ])('$rule', ({ given, has }) =>
    expect(permissionsOf({ ...rule, ...given }, { node: 'sg-n' }, ['9.9.9.9'])).toMatchObject(has));
});
