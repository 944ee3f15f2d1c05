import { expect, it } from 'vitest';
import type { Read } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { admittedTarget } from './target.ts';

const cluster = (annotations: Record<string, string>, uid = 'mine'): Read<Cluster> => ({
  state: 'found',
  value: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: { name: 'demo', uid, annotations } },
});
const nothing = { 'capstan.dev/target': 'Nothing' };

it.each([
  { rule: 'what its Cluster says', read: cluster(nothing), target: 'Nothing' },
  { rule: 'to wait for one that says nothing', read: cluster({}), target: 'Wait' },
  { rule: 'what its Cluster says while it has no tags', read: cluster(nothing), uid: undefined, target: 'Nothing' },
  { rule: 'nothing that a namesake says', read: cluster(nothing, 'another'), target: 'Hold' },
  { rule: 'nothing when its Cluster is not there', read: { state: 'absent' }, target: 'Hold' },
  { rule: 'nothing when its Cluster cannot be read', read: { state: 'unreadable', reason: '' }, target: 'Hold' },
  { rule: 'nothing yet', read: { state: 'unread' }, target: undefined },
  { rule: 'all without workflows', read: cluster(nothing), workflows: false, target: 'Build' },
] as {
  rule: string;
  read: Read<Cluster>;
  uid?: undefined;
  workflows?: boolean;
  target?: string;
}[])('admits $rule', (situation) => {
  const { read, workflows = true, target } = situation;
  expect(admittedTarget(read, 'uid' in situation ? undefined : 'mine', { workflows })).toBe(target);
});
