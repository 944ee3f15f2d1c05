import { expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { validateClusterResourceSetBinding } from './validate.ts';

const binding = (clusterName?: string): KubeObject => ({
  apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
  kind: 'ClusterResourceSetBinding',
  metadata: { name: 'c', namespace: 'default' },
  spec: clusterName === undefined ? {} : { clusterName },
});

it.each([
  { rule: 'accepts a new binding', before: undefined, now: 'c', says: [] },
  { rule: 'accepts an unchanged binding', before: binding('c'), now: 'c', says: [] },
  { rule: 'accepts a cluster name that is set later', before: binding(), now: 'c', says: [] },
  { rule: 'rejects another cluster name', before: binding('c'), now: 'd', says: ['spec.clusterName'] },
])('$rule', ({ before, now, says }) => {
  const admission = { operation: before ? 'update' : 'create', ...(before && { old: before }) } as Admission;
  expect(validateClusterResourceSetBinding(binding(now), admission).map(({ field }) => field)).toEqual(says);
});
