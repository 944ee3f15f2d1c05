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
  { rule: 'may be new', before: undefined, now: 'c', says: [] },
  { rule: 'may stay as it is', before: binding('c'), now: 'c', says: [] },
  { rule: 'may say later which cluster it is of', before: binding(), now: 'c', says: [] },
  { rule: 'stays with its cluster', before: binding('c'), now: 'd', says: ['spec.clusterName'] },
])('$rule', ({ before, now, says }) => {
  const admission = { operation: before ? 'update' : 'create', ...(before && { old: before }) } as Admission;
  expect(validateClusterResourceSetBinding(binding(now), admission).map(({ field }) => field)).toEqual(says);
});
