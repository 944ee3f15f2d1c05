import { describe, expect, it } from 'vitest';
import type { KubeObject, OwnerReference } from '../../../machinery/api/object.ts';
import { controllerReference } from '../../common/owners.ts';
import { flowing } from '../../common/propagation.ts';
import { ownParts } from './external.ts';
import { machine } from './machine.fixture.ts';

const cluster = { 'cluster.x-k8s.io/cluster-name': 'c' };
const flow = flowing({ labels: { ...cluster, tier: 'web' }, annotations: { team: 'a' } });
const one = machine({ metadata: { labels: flow.labels, annotations: flow.annotations } });
const reference = controllerReference(one);

const part = (metadata: Partial<KubeObject['metadata']>): KubeObject => ({
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmConfig',
  metadata: { name: 'm', namespace: 'default', uid: 'config', ...flow, ownerReferences: [reference], ...metadata },
});
const patched = (metadata: Partial<KubeObject['metadata']>, of = one) =>
  ownParts(of, [{ state: 'found', value: part(metadata) }]).map((action) => 'patch' in action && action.patch.metadata);

const cloner: OwnerReference = { apiVersion: 'v1', kind: 'MachineSet', name: 'set', uid: 'set' };
const other: OwnerReference = { apiVersion: 'v1', kind: 'Backup', name: 'b', uid: 'b' };

describe('a part of a Machine', () => {
  it.each<{ rule: string; metadata: Partial<KubeObject['metadata']>; is: object[] }>([
    { rule: 'is unchanged when it is correct', metadata: {}, is: [] },
    {
      rule: 'gets its owner back',
      metadata: { ownerReferences: [] },
      is: [{ ownerReferences: [reference], labels: cluster }],
    },
    {
      rule: 'gets the current apiVersion of its owner',
      metadata: { ownerReferences: [{ ...reference, apiVersion: 'cluster.x-k8s.io/v1beta1' }] },
      is: [{ ownerReferences: [reference], labels: cluster }],
    },
    {
      rule: 'is taken over from its cloner, and from no other owner',
      metadata: { ownerReferences: [cloner, other] },
      is: [{ ownerReferences: [other, reference], labels: cluster }],
    },
    {
      rule: 'is left to another controller',
      metadata: { ownerReferences: [{ ...other, controller: true }], labels: {} },
      is: [],
    },
    {
      rule: 'gets propagated labels back',
      metadata: { labels: { own: 'x' } },
      is: [{ labels: { ...cluster, tier: 'web' } }],
    },
    {
      rule: 'gets propagated annotations back',
      metadata: { annotations: { own: 'x' } },
      is: [{ annotations: flow.annotations, labels: cluster }],
    },
    {
      rule: 'keeps its labels in deletion',
      metadata: { labels: cluster, deletionTimestamp: '2026-01-01T00:00:00Z' },
      is: [],
    },
  ])('$rule', ({ metadata, is }) => expect(patched(metadata)).toEqual(is));

  it('keeps its labels when the Machine loses them', () => {
    const lost = machine({ metadata: { labels: {}, annotations: flow.annotations } });
    expect(patched({}, lost)).toEqual([]);
  });
});
