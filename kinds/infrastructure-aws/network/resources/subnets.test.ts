import { expect, it } from 'vitest';
import { planPart } from '../../engine/plan.ts';
import { carries, tagList } from '../../engine/tags.ts';
import { subnetsReady } from '../conditions.ts';
import type { Scope } from '../scope.ts';
import { types } from './index.ts';
import { tagsOfUnmanaged } from './subnets.ts';

const filled = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`team-${n}`, 'x']));
const cluster = 'kubernetes.io/cluster/demo';
const ours = { 'kubernetes.io/cluster/demo': 'shared', 'kubernetes.io/role/internal-elb': '1' };
const given = [
  { id: 'subnet-00000001' },
  { id: 'subnet-00000002' },
  { id: 'subnet-00000003', isPublic: true },
  { id: 'subnet-00000004', zoneType: 'local-zone' },
];
/** The subnet IDs by the tags to set. */
const planWith = (tags: Record<string, object>) => {
  const scope = {
    owner: { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} },
    region: 'eu-west-1',
    network: { subnets: given },
    cloudState: {
      vpc: { VpcId: 'vpc-1', unmanaged: true },
      subnets: given.map(({ id }) => ({ SubnetId: id, Tags: tagList((tags[id] ?? {}) as Record<string, string>) })),
    },
    isRecent: () => false,
  } as unknown as Scope;
  const { things, forgone } = tagsOfUnmanaged(scope);
  const lacking = things.filter(({ there, wanted }) => !carries(there, wanted));
  const puts = lacking.map(({ ids: [id], wanted }) => [id, Object.keys(wanted)]);
  return { part: planPart(scope, subnetsReady, types), puts: Object.fromEntries(puts), forgone };
};

it.each<{ rule: string; tags: Record<string, object>; puts: Record<string, string[]>; forgone?: string[] }>([
  {
    rule: 'get the cloud provider’s tags',
    tags: {},
    puts: {
      'subnet-00000001': [cluster, 'kubernetes.io/role/internal-elb'],
      'subnet-00000002': [cluster, 'kubernetes.io/role/internal-elb'],
      'subnet-00000003': [cluster, 'kubernetes.io/role/elb'],
      'subnet-00000004': [cluster],
    },
  },
  {
    rule: 'are unchanged once they are tagged',
    tags: {
      'subnet-00000001': ours,
      'subnet-00000002': { ...ours, ...filled(48) },
      'subnet-00000003': { 'kubernetes.io/cluster/demo': 'shared', 'kubernetes.io/role/elb': '1' },
      'subnet-00000004': { 'kubernetes.io/cluster/demo': 'shared' },
    },
    puts: {},
  },
  {
    rule: 'are skipped and reported when they have no room for tags',
    tags: { 'subnet-00000001': filled(49), 'subnet-00000002': { 'aws:cloudformation:stack-id': 'x', ...filled(48) } },
    puts: {
      'subnet-00000002': [cluster, 'kubernetes.io/role/internal-elb'],
      'subnet-00000003': [cluster, 'kubernetes.io/role/elb'],
      'subnet-00000004': [cluster],
    },
    forgone: [
      'spec.network.subnets[0]: subnet subnet-00000001 carries 49 of the 50 tags that AWS allows, so kubernetes.io/cluster/demo and kubernetes.io/role/internal-elb cannot be put on it',
    ],
  },
])('unmanaged subnets $rule, without blocking the cluster', ({ tags, puts, forgone = [] }) => {
  const { part, puts: done, forgone: left } = planWith(tags);
  expect(done).toEqual(puts);
  expect(left).toEqual(forgone);
  expect(part).toMatchObject({ steps: [], settled: true, conditions: [{ type: 'SubnetsReady', status: 'True' }] });
});
