import type { ClusterClass, ClusterClassSpec } from './schema.ts';

const core = 'cluster.x-k8s.io/v1beta2';
export const templateRef = (kind: string, name: string) => {
  const groups: Record<string, string> = { Kubeadm: 'bootstrap', AWS: 'infrastructure' };
  const group = kind.startsWith('KubeadmControlPlane')
    ? 'controlplane'
    : groups[kind.startsWith('Kubeadm') ? 'Kubeadm' : 'AWS'];
  return { apiVersion: `${group}.${core}`, kind, name };
};

/** A ClusterClass with one class of workers. */
export const classOf = (spec: Partial<ClusterClassSpec> = {}, name = 'quick-start'): ClusterClass => ({
  apiVersion: core,
  kind: 'ClusterClass',
  metadata: { name, namespace: 'default', generation: 1 },
  spec: {
    infrastructure: { templateRef: templateRef('AWSClusterTemplate', 'cluster') },
    controlPlane: {
      templateRef: templateRef('KubeadmControlPlaneTemplate', 'control-plane'),
      machineInfrastructure: { templateRef: templateRef('AWSMachineTemplate', 'control-plane') },
    },
    workers: {
      machineDeployments: [
        {
          class: 'default-worker',
          bootstrap: { templateRef: templateRef('KubeadmConfigTemplate', 'worker') },
          infrastructure: { templateRef: templateRef('AWSMachineTemplate', 'worker') },
        },
      ],
    },
    ...spec,
  },
});
