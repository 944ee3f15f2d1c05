import { expect, it } from 'vitest';
import { referencesOfControlPlane } from './references.ts';

it.each<{ rule: string; labels: Record<string, string>; names: string[] }>([
  {
    rule: 'its template, and the kubeconfig and the authorities of its cluster',
    labels: { 'cluster.x-k8s.io/cluster-name': 'demo' },
    names: ['demo-cp', 'demo-kubeconfig', 'demo-ca', 'demo-etcd', 'demo-proxy', 'demo-sa'],
  },
  { rule: 'its template only, before it belongs to a cluster', labels: {}, names: ['demo-cp'] },
])('a control plane is woken by $rule', ({ labels, names }) => {
  const infrastructureRef = {
    apiGroup: 'infrastructure.cluster.x-k8s.io',
    kind: 'AWSMachineTemplate',
    name: 'demo-cp',
  };
  const references = referencesOfControlPlane({
    apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmControlPlane',
    metadata: { name: 'demo', namespace: 'default', labels },
    spec: { machineTemplate: { spec: { infrastructureRef } } },
  });
  expect(references.map(({ name }) => name)).toEqual(names);
});
