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
  { rule: 'itself, without a named owner', annotations: { 'capstan.dev/named-after': 'former' }, says: undefined },
  {
    rule: 'an installation with slashes in its name',
    annotations: { 'capstan.dev/named-after': 'a/b/former' },
    says: { installation: 'a/b', clusterUid: 'former' },
  },
  { rule: 'itself once it is begun, whatever is named', annotations: { ...named, [note]: 'uid/own' }, says: undefined },
  { rule: 'whom it was begun after', annotations: { [note]: 'uid/own/there/former' }, says: there },
  {
    rule: 'not the owner that the original was named after',
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

const reference = (kind: string, apiVersion: string, name: string) => ({ kind, apiVersion, name, uid: `of ${name}` });
const core = 'cluster.x-k8s.io/v1beta2';
it.each([
  {
    rule: 'the Cluster that is its owner',
    references: [
      reference('Cluster', 'example.com/v1', 'another'),
      reference('ClusterClass', core, 'class'),
      reference('Cluster', core, 'mine'),
    ],
    labels: { 'cluster.x-k8s.io/cluster-name': 'labelled' },
    says: { clusterName: 'mine', clusterUid: 'of mine' },
  },
  {
    rule: 'the one that was noted, by its label',
    references: [],
    labels: { 'cluster.x-k8s.io/cluster-name': 'labelled' },
    annotations: { [note]: 'uid/own' },
    says: { clusterName: 'labelled', clusterUid: 'uid' },
  },
  {
    rule: 'the one that was noted, by its own name',
    references: [],
    annotations: { [note]: 'uid/own' },
    says: { clusterName: 'demo', clusterUid: 'uid' },
  },
  { rule: 'none, because it is a copy', references: [], annotations: { [note]: 'uid/original' }, says: undefined },
  { rule: 'none yet', references: [], says: undefined },
])('its infrastructure is of $rule', ({ references, labels, annotations, says }) => {
  const { metadata, ...object } = awsCluster(annotations);
  const owner = ownerOf({ ...object, metadata: { ...metadata, labels, ownerReferences: references } }, 'here');
  if (says) expect(owner).toMatchObject(says);
  else expect(owner).toBeUndefined();
});

it('no user may set the tags that identify and prove resources', () => {
  const additionalTags = {
    'example.com/team': 'a',
    'kubernetes.io/cluster/demo': 'owned',
    'kubernetes.io/role/elb': '1',
    'capstan.dev/purpose': 'bastion',
  };
  const asking = { ...awsCluster(), spec: { additionalTags } };
  expect(ownerOf(asking, 'here')?.additionalTags).toEqual({ 'example.com/team': 'a' });
});
