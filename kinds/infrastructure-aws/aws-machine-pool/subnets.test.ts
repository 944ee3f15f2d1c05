import { describe, expect, it } from 'vitest';
import type { Subnet } from '../../ports/cloud/index.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { placesOf } from './subnets.ts';

const subnet = (id: string, availabilityZone: string, isPublic: boolean) => ({
  id: `own-${id}`,
  resourceID: `subnet-${id}`,
  availabilityZone,
  isPublic,
});
const awsCluster: AWSCluster = {
  apiVersion: 'v1',
  kind: 'AWSCluster',
  metadata: { name: 'a' },
  spec: { network: { subnets: [subnet('1', 'a', false), subnet('2', 'b', false), subnet('3', 'a', true)] } },
};

describe('the subnets of a pool', () => {
  it.each([
    { rule: 'are the private ones', choice: {}, ids: ['subnet-1', 'subnet-2'] },
    { rule: 'are public ones', choice: { availabilityZoneSubnetType: 'public' as const }, ids: ['subnet-3'] },
    {
      rule: 'are all',
      choice: { availabilityZoneSubnetType: 'all' as const },
      ids: ['subnet-1', 'subnet-2', 'subnet-3'],
    },
    { rule: 'are those of zones', choice: { availabilityZones: ['b'] }, ids: ['subnet-2'] },
    { rule: 'are those of the failure domains', choice: {}, domains: ['a'], ids: ['subnet-1'] },
    { rule: 'are named by the name in the cluster', choice: { subnets: [{ id: 'own-3' }] }, ids: ['subnet-3'] },
    { rule: 'are named by id', choice: { subnets: [{ id: 'subnet-9' }] }, ids: ['subnet-9'] },
    {
      rule: 'are found by filters',
      choice: { subnets: [{ filters: [{ name: 'tag:a', values: ['b'] }] }] },
      filtered: [[{ SubnetId: 'subnet-7' }, { SubnetId: 'subnet-8' }] as Subnet[]],
      ids: ['subnet-7', 'subnet-8'],
    },
  ])('$rule', ({ choice, domains = [], filtered = [], ids }) =>
    expect(placesOf(choice, awsCluster, domains, filtered)).toMatchObject({ ids }));

  it.each([
    { choice: { availabilityZones: ['c'] }, says: 'the cluster has no private subnet in c: name others' },
    {
      choice: { subnets: [{ filters: [{ name: 'tag:a', values: ['b'] }] }] },
      says: 'no subnet matches [{"name":"tag:a"',
    },
  ])('says what is missing: $says', ({ choice, says }) =>
    expect(placesOf(choice, awsCluster, [], [[]])).toContain(says));
});
