import { describe, expect, it } from 'vitest';
import type { AvailabilityZone } from '../../ports/cloud/index.ts';
import { splitBlock } from './blocks.ts';
import { filledNetwork, type Network, needsZones } from './fill.ts';

const zone = (name: string, more: Partial<AvailabilityZone> = {}): AvailabilityZone => ({
  ZoneName: name,
  ZoneId: name,
  ZoneType: 'availability-zone',
  State: 'available',
  RegionName: 'r',
  ...more,
});
const zones = ['c', 'a', 'd', 'b'].map((name) => zone(name));
const first = <T>(from: readonly T[]) => from[0]!;
const last = <T>(from: readonly T[]) => from.at(-1)!;
const fill = (network: Network = {}, { managed = true, pick = first, all = zones } = {}) =>
  filledNetwork('demo', network, managed, all, pick);
const blocks = (network: Network) =>
  Object.fromEntries(
    (network.subnets ?? []).map((one) => [
      `${one.isPublic ? 'public' : 'private'} ${one.availabilityZone}`,
      one.cidrBlock,
    ]),
  );

describe('splitBlock', () => {
  it.each([
    { block: '10.0.0.0/16', count: 1, parts: ['10.0.0.0/16'] },
    { block: '10.0.0.0/16', count: 2, parts: ['10.0.0.0/17', '10.0.128.0/17'] },
    {
      block: '192.168.8.0/22',
      count: 3,
      parts: ['192.168.8.0/24', '192.168.9.0/24', '192.168.10.0/24', '192.168.11.0/24'],
    },
  ])('splits $block into at least $count', ({ block, count, parts }) =>
    expect(splitBlock(block, count)).toEqual(parts));
});

describe('a network without a given layout', () => {
  it('gets no block and no subnets until an IPAM pool has assigned the block', () => {
    const vpc = { ipamPool: { id: 'ipam-pool-1' } };
    expect(fill({ vpc })).toEqual({
      vpc: {
        availabilityZoneSelection: 'Ordered',
        availabilityZoneUsageLimit: 3,
        subnetSchema: 'PreferPrivate',
        ...vpc,
      },
    });
    const given = fill({ vpc: { ...vpc, cidrBlock: '10.7.0.0/16', availabilityZoneUsageLimit: 1 } });
    expect(blocks(given)).toEqual({ 'public a': '10.7.0.0/17', 'private a': '10.7.128.0/17' });
  });

  it('gets private subnets of a quarter and public subnets of a sixteenth, in the first three zones by name', () => {
    expect(blocks(fill())).toEqual({
      'public a': '10.0.0.0/20',
      'public b': '10.0.16.0/20',
      'public c': '10.0.32.0/20',
      'private a': '10.0.64.0/18',
      'private b': '10.0.128.0/18',
      'private c': '10.0.192.0/18',
    });
  });

  it.each([
    {
      rule: 'uses fewer zones on request',
      network: { vpc: { availabilityZoneUsageLimit: 1 } },
      subnets: ['public a', 'private a'],
    },
    {
      rule: 'gives the larger blocks to public subnets on request',
      network: { vpc: { subnetSchema: 'PreferPublic' as const, availabilityZoneUsageLimit: 1 } },
      subnets: ['public a', 'private a'],
      block: ['public a', '10.0.128.0/17'],
    },
    {
      rule: 'stays within another block',
      network: { vpc: { cidrBlock: '172.20.0.0/20', availabilityZoneUsageLimit: 1 } },
      subnets: ['public a', 'private a'],
      block: ['private a', '172.20.8.0/21'],
    },
    {
      rule: 'chooses random zones on request',
      network: { vpc: { availabilityZoneSelection: 'Random' as const, availabilityZoneUsageLimit: 1 } },
      pick: last,
      subnets: ['public d', 'private d'],
    },
  ])('$rule', ({ network, subnets, block, pick = first }) => {
    const filled = blocks(fill(network, { pick }));
    expect(Object.keys(filled)).toEqual(subnets);
    if (block) expect(filled[block[0]!]).toBe(block[1]);
  });

  it('gets a subnet per zone in each secondary block', () => {
    const { subnets } = fill({ vpc: { secondaryCidrBlocks: [{ ipv4CidrBlock: '100.64.0.0/16' }] } });
    const secondary = subnets!.filter(
      ({ tags }) => tags?.['sigs.k8s.io/cluster-api-provider-aws/association'] === 'secondary',
    );
    expect(secondary.map(({ cidrBlock }) => cidrBlock)).toEqual(['100.64.0.0/18', '100.64.64.0/18', '100.64.128.0/18']);
  });

  it('skips zones of other types', () => {
    const edge = zone('a-edge', { ZoneType: 'local-zone', ParentZoneName: 'a' });
    expect(Object.keys(blocks(fill({}, { all: [edge, zone('b')] })))).toEqual(['public b', 'private b']);
  });
});

describe('a network with a given layout', () => {
  it.each([
    { rule: 'keeps its subnets', managed: true },
    { rule: 'stays unchanged when it is unmanaged', managed: false },
  ])('$rule', ({ managed }) => {
    const subnets = [{ id: 'mine', availabilityZone: 'a', cidrBlock: '10.9.0.0/24', isPublic: true }];
    expect(fill({ subnets }, { managed }).subnets).toEqual([{ ...subnets[0], zoneType: 'availability-zone' }]);
  });
  it('gets the type and parent of edge zones', () => {
    const edge = zone('a-edge', { ZoneType: 'local-zone', ParentZoneName: 'a' });
    const { subnets } = fill({ subnets: [{ id: 'mine', availabilityZone: 'a-edge' }] }, { all: [edge] });
    expect(subnets).toEqual([{ id: 'mine', availabilityZone: 'a-edge', zoneType: 'local-zone', parentZoneName: 'a' }]);
  });
  it.each([
    { network: undefined, needs: true },
    { network: { subnets: [{ id: 'x', availabilityZone: 'a' }] }, needs: true },
    {
      network: { subnets: [{ id: 'x', availabilityZone: 'a', zoneType: 'availability-zone' as const }] },
      needs: false,
    },
    { network: { subnets: [{ id: 'subnet-1' }] }, needs: false },
  ])('describes zones only when one is unknown', ({ network, needs }) => expect(needsZones(network)).toBe(needs));
});
