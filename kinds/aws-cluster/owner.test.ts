import { expect, it } from 'vitest';
import { isBegun, ownerNote, ownerOf } from './owner.ts';
import type { AWSCluster } from './schema.ts';
import type { Owner } from './tags.ts';

const awsCluster = (annotations: Record<string, string> = {}, uid = 'own'): AWSCluster => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSCluster',
  metadata: {
    name: 'demo',
    uid,
    annotations,
    ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'demo', uid: 'uid' }],
  },
});
const note = 'capstan.dev/cluster-uid';
const named = { 'capstan.dev/named-after': 'there/former' };
const there = { installation: 'there', clusterUid: 'former' };

it.each<{ rule: string; annotations: Record<string, string>; says: Owner['namedAfter'] }>([
  { rule: 'itself', annotations: {}, says: undefined },
  { rule: 'whom its user names', annotations: named, says: there },
  { rule: 'itself, for nobody is named', annotations: { 'capstan.dev/named-after': 'former' }, says: undefined },
  {
    rule: 'an installation with slashes in its name',
    annotations: { 'capstan.dev/named-after': 'a/b/former' },
    says: { installation: 'a/b', clusterUid: 'former' },
  },
  { rule: 'itself once it is begun, whatever is named', annotations: { ...named, [note]: 'uid/own' }, says: undefined },
  { rule: 'whom it was begun after', annotations: { [note]: 'uid/own/there/former' }, says: there },
  {
    rule: 'nobody whom the original was begun after',
    annotations: { [note]: 'uid/original/there/former' },
    says: undefined,
  },
])('its load balancers are named after $rule', ({ annotations, says }) =>
  expect(ownerOf(awsCluster(annotations), 'here')?.namedAfter).toEqual(says));

it.each<Record<string, string>>([{}, named])('what is noted of an owner is read again: %j', (annotations) => {
  const before = awsCluster(annotations);
  const owner = ownerOf(before, 'here')!;
  const begun = awsCluster({ ...annotations, [note]: ownerNote(before, owner) });
  expect([isBegun(before), isBegun(begun)]).toEqual([false, true]);
  expect(ownerOf(begun, 'here')).toEqual(owner);
});
