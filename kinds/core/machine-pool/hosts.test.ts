import { expect, it } from 'vitest';
import { node } from '../machine/machine.fixture.ts';
import { nodesOf, runs } from './hosts.ts';

it.each<{ rule: string; pool: string[]; id: string; is: boolean }>([
  { rule: 'the same id', pool: ['aws:///us-east-1a/i-1'], id: 'aws:///us-east-1a/i-1', is: true },
  { rule: 'another host', pool: ['aws:///us-east-1a/i-1'], id: 'aws:///us-east-1a/i-2', is: false },
  { rule: 'the short form on the Node', pool: ['aws:///us-east-1a/i-1'], id: 'aws:////i-1', is: true },
  { rule: 'the short form in the pool', pool: ['aws:////i-1'], id: 'aws:///us-east-1a/i-1', is: true },
  {
    rule: 'the same number in another group',
    pool: ['azure:///groups/a/machines/0'],
    id: 'azure:///groups/b/machines/0',
    is: false,
  },
  { rule: 'another provider', pool: ['aws:////i-1'], id: 'toy:///i-1', is: false },
  { rule: 'a pool without hosts', pool: [], id: 'aws:////i-1', is: false },
])('matches a Node by provider id: $rule', ({ pool, id, is }) => {
  const snapshot = {
    reachable: true,
    failures: 0,
    initialized: true,
    nodes: [node({ providerID: id })],
    controlPlanePods: [],
  };
  expect(nodesOf(snapshot, pool).length).toBe(is ? 1 : 0);
});

it.each([
  { kubelet: 'v1.35.0', version: 'v1.35.0', is: true },
  { kubelet: 'v1.35.0', version: 'v1.35.1', is: false },
  { kubelet: 'v1.35.0-rc.1', version: 'v1.35.0', is: false },
  { kubelet: 'v1.35.2-eks-113cf36', version: 'v1.35.0', is: true },
  { kubelet: 'v1.34.2-eks-113cf36', version: 'v1.35.0', is: false },
  { kubelet: 'v1.35.2-eks-113cf36', version: 'v1.35.2-eks-0000000', is: false },
  { kubelet: 'v1.35.0+k3s1', version: 'v1.35.0', is: true },
  { kubelet: 'v1.35.1+k3s1', version: 'v1.35.0', is: false },
  { kubelet: 'v1.34.2', version: undefined, is: true },
])('a kubelet of $kubelet runs $version: $is', ({ kubelet, version, is }) => {
  const plain = node();
  expect(runs({ ...plain, nodeInfo: { ...plain.nodeInfo, kubeletVersion: kubelet } }, version)).toBe(is);
});
