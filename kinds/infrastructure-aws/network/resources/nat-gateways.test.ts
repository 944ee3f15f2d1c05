import { expect, it } from 'vitest';
import type { SubnetSpec } from '../fill.ts';
import { gatewaySubnets } from './nat-gateways.ts';

const subnet = (id: string, zone: string, isPublic: boolean, more: Partial<SubnetSpec> = {}): SubnetSpec => ({
  id,
  availabilityZone: zone,
  isPublic,
  ...more,
});
const edge = { zoneType: 'local-zone', parentZoneName: 'b' } as const;

it.each<{ rule: string; subnets: SubnetSpec[]; in: string[] }>([
  { rule: 'are not created without private subnets', subnets: [subnet('out', 'a', true)], in: [] },
  {
    rule: 'are created in each zone with private subnets, and in no other',
    subnets: [subnet('out-a', 'a', true), subnet('in-a', 'a', false), subnet('out-b', 'b', true)],
    in: ['out-a'],
  },
  {
    rule: 'are created once per zone',
    subnets: [
      subnet('out', 'a', true),
      subnet('more', 'a', true),
      subnet('in', 'a', false),
      subnet('also', 'a', false),
    ],
    in: ['out'],
  },
  {
    rule: 'stay in their subnet',
    subnets: [subnet('new', 'a', true), subnet('out', 'a', true, { natGatewayId: 'nat-1' }), subnet('in', 'a', false)],
    in: ['out'],
  },
  {
    rule: 'are created in the parent zone of an edge zone, and never in the edge zone',
    subnets: [subnet('far', 'e', true, edge), subnet('in', 'e', false, edge), subnet('out', 'b', true)],
    in: ['out'],
  },
])('NAT gateways $rule', ({ subnets, in: where }) => {
  expect(gatewaySubnets(subnets).map(({ id }) => id)).toEqual(where);
});
