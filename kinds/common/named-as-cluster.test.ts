import { describe, expect, it } from 'vitest';
import { fieldMessage } from '../../machinery/api/errors.ts';
import type { Admission } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { validateNameOfCluster, withNameOfCluster } from './named-as-cluster.ts';

const plan = (name: string, clusterName: string): KubeObject => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'ScalingPlan',
  metadata: { name, namespace: 'default' },
  spec: { clusterName },
});
const faultsOf = (object: KubeObject, old?: KubeObject) =>
  validateNameOfCluster(object, (old ? { old } : {}) as Admission).map(
    (fault) => `${fault.field}: ${fieldMessage(fault)}`,
  );

describe('a kind with the name of its cluster', () => {
  it('has the label of its cluster', () =>
    expect(withNameOfCluster(plan('c', 'c')).metadata.labels).toEqual({ 'cluster.x-k8s.io/cluster-name': 'c' }));
  it('has the name of its cluster', () => {
    expect(faultsOf(plan('c', 'c'))).toEqual([]);
    expect(faultsOf(plan('other', 'c'))).toEqual([
      'spec.clusterName: Invalid value: "c": must be the name of the ScalingPlan',
    ]);
  });
  it('stays with its cluster', () =>
    expect(faultsOf(plan('c', 'd'), plan('c', 'c'))).toEqual(['spec.clusterName: Forbidden: field is immutable']));
});
