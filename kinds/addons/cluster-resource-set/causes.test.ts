import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { causesOfCluster, graphOf } from '../../common/causes/index.ts';
import { clusterResourceSetCauses } from './causes.ts';

const cluster: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { namespace: 'default', name: 'one', uid: 'one' },
};
const setSaying = (...lines: string[]): KubeObject => ({
  apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
  kind: 'ClusterResourceSet',
  metadata: { namespace: 'default', name: 'shared' },
  status: {
    conditions: [{ type: 'ResourcesApplied', status: 'False', reason: 'NotApplied', message: lines.join('\n') }],
  },
});

it.each([
  { rule: 'another one', lines: ['Cluster two: refused'], says: [] },
  { rule: 'one whose name begins with this one', lines: ['Cluster one-b: refused'], says: [] },
  { rule: 'another one whose API is awaited', lines: ['Waiting for the API of Cluster two'], says: [] },
  { rule: 'this one', lines: ['Cluster one: refused'], says: ['Cluster one: refused'] },
  { rule: 'both', lines: ['Cluster two: refused', 'Cluster one: denied'], says: ['Cluster one: denied'] },
  { rule: 'another one in two lines', lines: ['Cluster two: refused:', 'by a webhook'], says: [] },
  { rule: 'all', lines: ['ConfigMap a has no data', 'Cluster two: refused'], says: ['ConfigMap a has no data'] },
])('a ClusterResourceSet that fails for $rule is a cause only in what it says of its cluster', ({ lines, says }) => {
  const graph = graphOf({ objects: [cluster, setSaying(...lines)], rules: [clusterResourceSetCauses] });
  expect(causesOfCluster(graph).map(({ message }) => message)).toEqual(says);
});

it('is whole where no cluster is asked about', () => {
  const set = setSaying('Cluster two: refused', 'Cluster one: denied');
  const graph = graphOf({ objects: [set], rules: [clusterResourceSetCauses] });
  expect(graph.complaints(set).map(({ message }) => message)).toEqual(['Cluster two: refused; Cluster one: denied']);
});
