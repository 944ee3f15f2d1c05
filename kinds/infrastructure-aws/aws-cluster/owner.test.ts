import { expect, it } from 'vitest';
import type { Owner } from '../engine/tags.ts';
import { isBegun, ownerNote, ownerOf } from './owner.ts';
import type { AWSCluster } from './schema.ts';

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
  { rule: 'the owner that the user names', annotations: named, says: there },
  { rule: 'itself, when no owner is named', annotations: { 'capstan.dev/named-after': 'former' }, says: undefined },
  {
    rule: 'an installation with slashes in its name',
    annotations: { 'capstan.dev/named-after': 'a/b/former' },
    says: { installation: 'a/b', clusterUid: 'former' },
  },
  {
    rule: 'itself once it has begun, whatever the user names',
    annotations: { ...named, [note]: 'uid/own' },
    says: undefined,
  },
  { rule: 'the owner that it began with', annotations: { [note]: 'uid/own/there/former' }, says: there },
  {
    rule: 'not the owner that the original was named after',
    annotations: { [note]: 'uid/original/there/former' },
    says: undefined,
  },
])('its load balancers are named after $rule', ({ annotations, says }) =>
  expect(ownerOf(awsCluster(annotations), 'here')?.namedAfter).toEqual(says));

it.each<Record<string, string>>([{}, named])('a recorded owner is parsed again: %j', (annotations) => {
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
    rule: 'the owning Cluster',
    references: [
      reference('Cluster', 'example.com/v1', 'another'),
      reference('ClusterClass', core, 'class'),
      reference('Cluster', core, 'mine'),
    ],
    labels: { 'cluster.x-k8s.io/cluster-name': 'labelled' },
    says: { clusterName: 'mine', clusterUid: 'of mine' },
  },
  {
    rule: 'the recorded Cluster, by its label',
    references: [],
    labels: { 'cluster.x-k8s.io/cluster-name': 'labelled' },
    annotations: { [note]: 'uid/own' },
    says: { clusterName: 'labelled', clusterUid: 'uid' },
  },
  {
    rule: 'the recorded Cluster, by its own name',
    references: [],
    annotations: { [note]: 'uid/own' },
    says: { clusterName: 'demo', clusterUid: 'uid' },
  },
  {
    rule: 'no Cluster, because the object is a copy',
    references: [],
    annotations: { [note]: 'uid/original' },
    says: undefined,
  },
  { rule: 'no Cluster yet', references: [], says: undefined },
])('its infrastructure belongs to $rule', ({ references, labels, annotations, says }) => {
  const { metadata, ...object } = awsCluster(annotations);
  const owner = ownerOf({ ...object, metadata: { ...metadata, labels, ownerReferences: references } }, 'here');
  if (says) expect(owner).toMatchObject(says);
  else expect(owner).toBeUndefined();
});

it('rejects user tags that identify resources or prove ownership', () => {
  const additionalTags = {
    'example.com/team': 'a',
    'kubernetes.io/cluster/demo': 'owned',
    'kubernetes.io/role/elb': '1',
    'capstan.dev/purpose': 'bastion',
  };
  const asking = { ...awsCluster(), spec: { additionalTags } };
  expect(ownerOf(asking, 'here')?.additionalTags).toEqual({ 'example.com/team': 'a' });
});
