import { describe, expect, it } from 'vitest';
import type { IpPermission } from '../../ports/cloud/index.ts';
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
      rule: 'authorises missing rules',
      wanted: [tcp(22, '1.1.1.1/32')],
      have: [],
      authorize: [tcp(22, '1.1.1.1/32')],
      revoke: [],
    },
    {
      rule: 'revokes surplus rules',
      wanted: [],
      have: [tcp(22, '1.1.1.1/32')],
      authorize: [],
      revoke: [tcp(22, '1.1.1.1/32')],
    },
    {
      rule: 'splits rules by source',
      wanted: [tcp(22, 'a/1', 'b/1')],
      have: [tcp(22, 'b/1', 'c/1')],
      authorize: [tcp(22, 'a/1')],
      revoke: [tcp(22, 'c/1')],
    },
    {
      rule: 'ignores descriptions',
      wanted: [fromGroup(1, 'sg', 'one')],
      have: [fromGroup(1, 'sg')],
      authorize: [],
      revoke: [],
    },
    {
      rule: 'ignores the ports of protocols without ports',
      wanted: [{ IpProtocol: '4', FromPort: -1, ToPort: 65535, IpRanges: [{ CidrIp: 'a/1' }] }],
      have: [{ IpProtocol: '4', IpRanges: [{ CidrIp: 'a/1' }] }],
      authorize: [],
      revoke: [],
    },
    {
      rule: 'sends the ports of other protocols unchanged',
      wanted: [{ IpProtocol: '4', FromPort: -1, ToPort: 65535, IpRanges: [{ CidrIp: 'a/1' }] }],
      have: [],
      authorize: [{ IpProtocol: '4', FromPort: -1, ToPort: 65535, IpRanges: [{ CidrIp: 'a/1' }] }],
      revoke: [],
    },
    {
      rule: 'recognises protocol numbers',
      wanted: [{ ...tcp(22, 'a/1'), IpProtocol: '6' }],
      have: [tcp(22, 'a/1')],
      authorize: [],
      revoke: [],
    },
    {
      rule: 'recognises protocols in upper case, which pod network rules may use',
      wanted: [{ IpProtocol: 'TCP', FromPort: 179, ToPort: 179, IpRanges: [{ CidrIp: '10.0.0.0/8' }] }],
      have: [{ IpProtocol: 'tcp', FromPort: 179, ToPort: 179, IpRanges: [{ CidrIp: '10.0.0.0/8' }] }],
      authorize: [],
      revoke: [],
    },
    {
      rule: 'requests each rule once',
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
      rule: 'resolves roles to groups',
      given: { sourceSecurityGroupRoles: ['node' as const] },
      has: { UserIdGroupPairs: [{ GroupId: 'sg-n', Description: 'd' }] },
    },
    {
      rule: 'omits roles without a group',
      given: { sourceSecurityGroupRoles: ['bastion' as const] },
      has: { UserIdGroupPairs: [] },
    },
    {
      rule: 'resolves the addresses of NAT gateways',
      given: { natGatewaysIPsSource: true },
      has: { IpRanges: [{ CidrIp: '9.9.9.9/32', Description: 'd' }] },
    },
    {
      rule: 'keeps IPv6 sources',
      given: { ipv6CidrBlocks: ['::/0'] },
      has: { Ipv6Ranges: [{ CidrIpv6: '::/0', Description: 'd' }] },
    },
  ])('$rule', ({ given, has }) =>
    expect(permissionsOf({ ...rule, ...given }, { node: 'sg-n' }, ['9.9.9.9'])).toMatchObject(has));
});
