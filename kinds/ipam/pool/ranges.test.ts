import { describe, expect, it } from 'vitest';
import { allocatable } from './addresses.ts';
import { contains, countOf, lowest, only, rangeOf, textOf, union } from './ranges.ts';
import type { PoolSpec } from './schema.ts';

const shown = (ranges: readonly { family: 'ipv4' | 'ipv6'; from: bigint; to: bigint }[]) =>
  ranges.map(({ family, from, to }) => `${textOf({ family, value: from })}-${textOf({ family, value: to })}`);

describe('a range', () => {
  it.each([
    ['10.0.0.7', '10.0.0.7-10.0.0.7'],
    ['10.0.0.7-10.0.1.2', '10.0.0.7-10.0.1.2'],
    ['10.0.0.70/28', '10.0.0.64-10.0.0.79'],
    ['0.0.0.0/0', '0.0.0.0-255.255.255.255'],
    ['2001:db8::ff00/120', '2001:db8::ff00-2001:db8::ffff'],
    ['::1-::ffff', '::1-::ffff'],
  ])('%s is %s', (text, range) => expect(shown([rangeOf(text)!])).toEqual([range]));

  it.each([
    '',
    '10.0.0',
    '010.0.0.1',
    '10.0.0.1-',
    '10.0.0.9-10.0.0.1',
    '10.0.0.1-10.0.0.2-10.0.0.3',
    '10.0.0.1-::1',
    '10.0.0.0/33',
    '10.0.0.0-10.0.0.0/24',
    'fe80::1%eth0',
    ' 10.0.0.1',
  ])('is not %j', (text) => expect(rangeOf(text)).toBeUndefined());

  it('joins what overlaps or adjoins, of one family', () => {
    const ranges = ['10.0.0.9', '10.0.0.1-10.0.0.4', '10.0.0.5', '10.0.0.3-10.0.0.4', '::a'].map(
      (text) => rangeOf(text)!,
    );
    expect(shown(union(ranges))).toEqual(['10.0.0.1-10.0.0.5', '10.0.0.9-10.0.0.9', '::a-::a']);
  });
});

const spec = (more: Partial<PoolSpec>): PoolSpec => ({ addresses: ['10.0.0.0/29'], prefix: 29, ...more });

describe('a pool may give', () => {
  it.each([
    { rule: 'no network and no broadcast address', of: {}, gives: ['10.0.0.1-10.0.0.6'] },
    { rule: 'both if it is told to', of: { allocateReservedIPAddresses: true }, gives: ['10.0.0.0-10.0.0.7'] },
    {
      rule: 'no gateway, even then',
      of: { allocateReservedIPAddresses: true, gateway: '10.0.0.0' },
      gives: ['10.0.0.1-10.0.0.7'],
    },
    {
      rule: 'nothing that is excluded',
      of: { excludedAddresses: ['10.0.0.2', '10.0.0.4-10.0.0.9'] },
      gives: ['10.0.0.1-10.0.0.1', '10.0.0.3-10.0.0.3'],
    },
    {
      rule: 'the ends of what is no network',
      of: { addresses: ['10.0.0.8-10.0.0.15'], prefix: 24 },
      gives: ['10.0.0.8-10.0.0.15'],
    },
    {
      rule: 'of IPv6 the last address, and not the first of its network',
      of: { addresses: ['2001:db8::/126'], prefix: 126 },
      gives: ['2001:db8::1-2001:db8::3'],
    },
  ])('$rule', ({ of, gives }) => expect(shown(allocatable(spec(of)))).toEqual(gives));

  it('more than anybody counts', () => {
    const pool = allocatable(spec({ addresses: ['2001:db8::/32'], prefix: 32 }));
    expect(countOf(pool)).toBe(Number.MAX_SAFE_INTEGER);
    expect(lowest(pool, 2).map(textOf)).toEqual(['2001:db8::1', '2001:db8::2']);
    expect(contains(pool, { family: 'ipv6', value: only(lowest(pool, 1)[0]!).from })).toBe(true);
  });
});
