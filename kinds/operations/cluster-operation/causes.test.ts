/** What `capstan why` says of a ClusterOperation, above all in its deletion. */
import { describe, expect, it } from 'vitest';
import { causesOf, graphOf } from '../../common/causes/index.ts';
import { clusterOperationCauses } from './causes.ts';
import { at, clusterOf, operationOf } from './operation.fixture.ts';
import type { OperationStatus } from './schema.ts';

const cluster = clusterOf();
const kept = [
  { type: 'Deleting', status: 'True' as const, reason: 'Kept', message: 'It stays', lastTransitionTime: at(9) },
];
const causes = (status: OperationStatus, isDeleting: boolean) => {
  const operation = operationOf(status, isDeleting ? { metadata: { deletionTimestamp: at(9) } } : {});
  return causesOf(operation, graphOf({ objects: [cluster, operation], rules: [clusterOperationCauses] }));
};
const ways = ['capstan retry cluster demo -n default', 'kubectl delete cluster demo -n default'];

describe('a ClusterOperation', () => {
  it('that succeeded has no complaint', () =>
    expect(causes({ phase: 'Succeeded', message: 'Done.' }, false)).toEqual([]));

  it.each<{ rule: string; status: OperationStatus; isDeleting?: boolean; says: RegExp; next: RegExp; run: string[] }>([
    {
      rule: 'that was cancelled says how it is repeated',
      status: { phase: 'Cancelled', message: 'Cancelled: why.' },
      says: /^is Cancelled: Cancelled: why$/,
      next: /^It has ended$/,
      run: ways.slice(0, 1),
    },
    {
      rule: 'that is kept says until when',
      status: { phase: 'Cancelled', message: 'Cancelled: why.', conditions: kept },
      isDeleting: true,
      says: /^is Cancelled: Cancelled: why$/,
      next: /^It stays until the Cluster is deleted or another operation takes its place: /,
      run: ways,
    },
    {
      rule: 'that succeeded and is kept says until when, too',
      status: { phase: 'Succeeded', message: 'Done.', conditions: kept },
      isDeleting: true,
      says: /^is kept although it is deleted: Done$/,
      next: /^It stays until the Cluster is deleted/,
      run: ways,
    },
    {
      rule: 'that runs in its deletion says that it ends first',
      status: { phase: 'Running', step: 'TearDown', message: 'waiting for a VPC' },
      isDeleting: true,
      says: /waiting for a VPC/,
      next: /It is gone when it has ended$/,
      run: [],
    },
  ])('$rule', ({ status, isDeleting = false, says, next, run }) => {
    const [first, ...more] = causes(status, isDeleting);
    expect(more).toEqual([]);
    expect(first?.message).toMatch(says);
    expect(first?.next).toMatch(next);
    expect(first?.commands).toEqual(run);
  });
});
