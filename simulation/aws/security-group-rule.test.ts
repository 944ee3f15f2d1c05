import { describe, expect, it } from 'vitest';
import { CloudError, type IpPermission } from '../../kinds/ports/cloud/index.ts';
import { openWorld, refusal } from './account.fixture.ts';
import { parsePermissions, permissionsOf } from './security-group-rule.ts';

const anywhere = { IpRanges: [{ CidrIp: '0.0.0.0/0' }] };

describe('rules are stored as EC2 stores them', () => {
  it.each<{ rule: string; given: IpPermission; kept: Partial<IpPermission> }>([
    {
      rule: 'a protocol number',
      given: { IpProtocol: '6', FromPort: 1, ToPort: 2, ...anywhere },
      kept: { IpProtocol: 'tcp', FromPort: 1, ToPort: 2 },
    },
    {
      rule: 'a CIDR block with host bits',
      given: { IpProtocol: '-1', IpRanges: [{ CidrIp: '10.1.2.3/8' }] },
      kept: { IpRanges: [{ CidrIp: '10.0.0.0/8' }] },
    },
    {
      rule: 'IPv6',
      given: { IpProtocol: '-1', Ipv6Ranges: [{ CidrIpv6: '::/0' }] },
      kept: { Ipv6Ranges: [{ CidrIpv6: '::/0' }] },
    },
    {
      rule: 'an IPv6 block with host bits',
      given: { IpProtocol: '-1', Ipv6Ranges: [{ CidrIpv6: '2001:DB8:0:0::1/32' }] },
      kept: { Ipv6Ranges: [{ CidrIpv6: '2001:db8::/32' }] },
    },
    {
      rule: 'a description',
      given: { IpProtocol: '-1', IpRanges: [{ CidrIp: '10.0.0.0/8', Description: 'why' }] },
      kept: { IpRanges: [{ CidrIp: '10.0.0.0/8', Description: 'why' }] },
    },
  ])('$rule', ({ given, kept }) => {
    expect(permissionsOf(parsePermissions([given], () => {}))).toMatchObject([kept]);
  });

  it('without ports for a protocol that has none', () => {
    const [kept] = permissionsOf(
      parsePermissions([{ IpProtocol: '4', FromPort: -1, ToPort: 65535, ...anywhere }], () => {}),
    );
    expect(kept).not.toHaveProperty('FromPort');
    expect(kept).not.toHaveProperty('ToPort');
  });
});

describe('refuses a rule with', () => {
  it.each<{ rule: string; given: IpPermission }>([
    { rule: 'tcp without ports', given: { IpProtocol: 'tcp', ...anywhere } },
    { rule: 'a port range in the wrong order', given: { IpProtocol: 'tcp', FromPort: 2, ToPort: 1, ...anywhere } },
    { rule: 'a port beyond 65535', given: { IpProtocol: 'udp', FromPort: 1, ToPort: 65_536, ...anywhere } },
    { rule: 'an unknown protocol', given: { IpProtocol: 'carrier-pigeon', ...anywhere } },
    { rule: 'a malformed CIDR block', given: { IpProtocol: '-1', IpRanges: [{ CidrIp: '10.0.0.0' }] } },
    { rule: 'a malformed IPv6 block', given: { IpProtocol: '-1', Ipv6Ranges: [{ CidrIpv6: '::/129' }] } },
    { rule: 'no source', given: { IpProtocol: '-1' } },
  ])('$rule', ({ given }) => {
    expect(() => parsePermissions([given], () => {})).toThrow(CloudError);
  });

  it('a rule count above the quota', async () => {
    const world = openWorld({ behaviour: { quotas: { rulesPerSecurityGroup: 2 } } });
    const group = await world.make.securityGroup(await world.make.vpc(), 'nodes');
    const authorize = (port: number) =>
      world.call('AuthorizeSecurityGroupIngress', {
        GroupId: group,
        IpPermissions: [{ IpProtocol: 'tcp', FromPort: port, ToPort: port, ...anywhere }],
      });
    await authorize(1);
    await authorize(2);
    expect(await refusal(authorize(3))).toBe('RulesPerSecurityGroupLimitExceeded');
  });
});
