import { describe, expect, it } from 'vitest';
import { slash64 } from './blocks.ts';
import type { SubnetSpec } from './fill.ts';
import { withIpv6Blocks } from './ipv6.ts';

describe('the /64 at a position', () => {
  it.each([
    { block: '2001:db8:0:100::/56', index: 0, is: '2001:db8:0:100::/64' },
    { block: '2001:db8:0:100::/56', index: 255, is: '2001:db8:0:1ff::/64' },
    { block: '2001:db8:0:100::/56', index: 256, is: undefined },
    { block: '2001:db8::/44', index: 0x1_0001, is: '2001:db8:1:1::/64' },
    { block: '2001:db8:0:1ff::7/56', index: 1, is: '2001:db8:0:101::/64' },
    { block: '2001:db8::/65', index: 0, is: undefined },
    { block: '10.0.0.0/16', index: 0, is: undefined },
  ])('of $block, $index, is $is', ({ block, index, is }) => expect(slash64(block, index)).toBe(is));
});

describe('subnets with parts of the IPv6 block', () => {
  const six = (ipv6CidrBlock?: string, more: Partial<SubnetSpec> = {}): SubnetSpec => ({
    id: 's',
    isIpv6: true,
    ...(ipv6CidrBlock && { ipv6CidrBlock }),
    ...more,
  });
  it.each<{ rule: string; block: string | undefined; subnets: SubnetSpec[]; get: (string | undefined)[] }>([
    {
      rule: 'are numbered in their order',
      block: '2001:db8::/56',
      subnets: [six(), { id: 'four' }, six()],
      get: ['2001:db8::/64', undefined, '2001:db8:0:1::/64'],
    },
    {
      rule: 'never get what another one has, in whichever form it is written',
      block: '2001:db8::/56',
      subnets: [six(), six(), six('2001:0DB8:0:0::5/64')],
      get: ['2001:db8:0:1::/64', '2001:db8:0:2::/64', '2001:0DB8:0:0::5/64'],
    },
    {
      rule: 'beyond the end of the block get none',
      block: '2001:db8::/63',
      subnets: [six(), six(), six()],
      get: ['2001:db8::/64', '2001:db8:0:1::/64', undefined],
    },
    { rule: 'wait for the block', block: undefined, subnets: [six()], get: [undefined] },
    {
      rule: 'in local zones get none',
      block: '2001:db8::/56',
      subnets: [six(undefined, { zoneType: 'local-zone' }), six()],
      get: [undefined, '2001:db8::/64'],
    },
  ])('$rule', ({ block, subnets, get }) => {
    const filled = withIpv6Blocks(subnets, { ipv6: block ? { cidrBlock: block } : {} });
    expect(filled.map(({ ipv6CidrBlock }) => ipv6CidrBlock)).toEqual(get);
    // What is written is kept.
    expect(withIpv6Blocks(filled, { ipv6: block ? { cidrBlock: block } : {} })).toEqual(filled);
  });
});
