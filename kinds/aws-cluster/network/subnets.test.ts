import { expect, it } from 'vitest';
import type { Scope } from '../context.ts';
import { tagList } from '../tags.ts';
import { planSubnets } from './subnets.ts';

const filled = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`team-${n}`, 'x']));
const ours = { 'kubernetes.io/cluster/demo': 'shared', 'kubernetes.io/role/internal-elb': '1' };
const given = [
  { id: 'subnet-1' },
  { id: 'subnet-2' },
  { id: 'subnet-3', isPublic: true },
  { id: 'subnet-4', zoneType: 'local-zone' },
];
interface Call {
  input: { input: { Resources: string[] } };
}
/** Ids by what is put on them. */
const planWith = (tags: Record<string, object>) => {
  const part = planSubnets({
    owner: { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} },
    region: 'eu-west-1',
    network: { subnets: given },
    observed: {
      vpc: { VpcId: 'vpc-1', brought: true },
      subnets: given.map(({ id }) => ({ SubnetId: id, Tags: tagList((tags[id] ?? {}) as Record<string, string>) })),
    },
    isRecent: () => false,
  } as unknown as Scope);
  const puts = part.steps.flatMap(({ key, actions }) =>
    actions(0).map((one) => [key, (one as unknown as Call).input.input.Resources]),
  );
  return { part, puts: Object.fromEntries(puts) };
};

it.each<{ rule: string; tags: Record<string, object>; puts: Record<string, string[]>; forgone?: string[] }>([
  {
    rule: 'are tagged for the cloud provider in the cluster, those that are alike at once',
    tags: {},
    puts: {
      'subnet/private/tags': ['subnet-1', 'subnet-2'],
      'subnet/public/tags': ['subnet-3'],
      'subnet/edge/tags': ['subnet-4'],
    },
  },
  {
    rule: 'are left alone once they are',
    tags: {
      'subnet-1': ours,
      'subnet-2': { ...ours, ...filled(48) },
      'subnet-3': { 'kubernetes.io/cluster/demo': 'shared', 'kubernetes.io/role/elb': '1' },
      'subnet-4': { 'kubernetes.io/cluster/demo': 'shared' },
    },
    puts: {},
  },
  {
    rule: 'are gone without where they have no room, which is said',
    tags: { 'subnet-1': filled(49), 'subnet-2': { 'aws:cloudformation:stack-id': 'x', ...filled(48) } },
    puts: {
      'subnet/private/tags': ['subnet-2'],
      'subnet/public/tags': ['subnet-3'],
      'subnet/edge/tags': ['subnet-4'],
    },
    forgone: [
      'spec.network.subnets[0]: subnet subnet-1 carries 49 of the 50 tags that AWS allows, so kubernetes.io/cluster/demo and kubernetes.io/role/internal-elb cannot be put on it',
    ],
  },
])('subnets that somebody brought $rule; nothing waits for it', ({ tags, puts, forgone = [] }) => {
  const { part, puts: done } = planWith(tags);
  expect(done).toEqual(puts);
  expect(part.forgone).toEqual(forgone);
  expect(part).toMatchObject({ settled: true, conditions: [{ type: 'SubnetsReady', status: 'True' }] });
});
