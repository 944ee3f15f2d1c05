import { describe, expect, it } from 'vitest';
import { clusterOf, objectOf } from './operation.fixture.ts';
import { claimOf, clusterReference, isOperationOf } from './owner.ts';
import type { ClusterOperation } from './schema.ts';

const cluster = clusterOf({ metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } });
const reference = clusterReference(cluster);
const operation = (metadata: object) =>
  objectOf('ClusterOperation', 'demo-create-1', {
    metadata: { creationTimestamp: '2026-01-01T00:00:05Z', ownerReferences: [reference], ...metadata },
    spec: { clusterName: 'demo' },
  }) as ClusterOperation;
const before = '2025-12-31T00:00:00Z';

describe('an operation', () => {
  it.each<{ rule: string; metadata: object; is: boolean }>([
    { rule: 'belongs to its owner', metadata: {}, is: true },
    {
      rule: 'does not belong to a Cluster with another UID',
      metadata: { ownerReferences: [{ ...reference, uid: 'x' }] },
      is: false,
    },
    {
      rule: 'without an owner belongs to the Cluster that existed when it was created',
      metadata: { ownerReferences: null },
      is: true,
    },
    {
      rule: 'created in the same second belongs to the Cluster',
      metadata: { ownerReferences: null, creationTimestamp: '2026-01-01T00:00:00Z' },
      is: true,
    },
    {
      rule: 'older than the Cluster belongs to a former one',
      metadata: { ownerReferences: null, creationTimestamp: before },
      is: false,
    },
    { rule: 'older than its restored owner belongs to it', metadata: { creationTimestamp: before }, is: true },
  ])('$rule', ({ metadata, is }) => expect(isOperationOf(operation(metadata), cluster)).toBe(is));

  const label = { 'cluster.x-k8s.io/cluster-name': 'demo' };
  it.each<{ rule: string; metadata: object; is: object | undefined }>([
    { rule: 'with owner and label is unchanged', metadata: {}, is: undefined },
    { rule: 'gets a lost label back', metadata: { labels: null }, is: { labels: label } },
    {
      rule: 'gets a lost owner back',
      metadata: { ownerReferences: null },
      is: { labels: label, ownerReferences: [reference] },
    },
    {
      rule: 'gets the current apiVersion of its owner',
      metadata: { ownerReferences: [{ ...reference, apiVersion: 'cluster.x-k8s.io/v1beta1' }] },
      is: { labels: label, ownerReferences: [reference] },
    },
  ])('$rule', ({ metadata, is }) => expect(claimOf(operation(metadata), cluster)).toEqual(is && { metadata: is }));
});
