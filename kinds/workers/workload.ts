// Written by `npm run registry`.

/** The controllers of the workload workers, loaded on first use. */
export const controllers = {
  addon: async () => (await import('../addons/addon/controller.ts')).addonController,
  autoscaler: async () =>
    (await import('../autoscaling/scaling-plan/controller.ts')).autoscaler({
      machineProviders: (await import('../machine-providers.ts')).machineProviders,
    }),
  'cluster-resource-set': async () =>
    (await import('../addons/cluster-resource-set/controller.ts')).clusterResourceSetController,
  'etcd-snapshot': async () =>
    (await import('../capstan/etcd-snapshot/controller.ts')).etcdSnapshots({
      controlPlanes: (await import('../control-planes.ts')).controlPlanes,
    }),
  'extension-authority': async () => (await import('../extensions/authority/controller.ts')).extensionAuthority,
  'gitops-target': async () => (await import('../addons/gitops-target/controller.ts')).gitOpsTargetController,
  'kubeadm-config': async () =>
    (await import('../bootstrap-kubeadm/kubeadm-config/controller.ts')).kubeadmConfigController,
  'kubeadm-control-plane': async () =>
    (await import('../controlplane-kubeadm/kubeadm-control-plane/controller.ts')).kubeadmControlPlaneController,
  machine: async () =>
    (await import('../core/machine/controller.ts')).machineController({
      controlPlanes: (await import('../control-planes.ts')).controlPlanes,
    }),
  'machine-health-check': async () =>
    (await import('../core/machine-health-check/controller.ts')).machineHealthCheckController,
  'machine-pool': async () => (await import('../core/machine-pool/controller.ts')).machinePoolController,
  'nodeadm-config': async () =>
    (await import('../controlplane-eks/nodeadm-config/controller.ts')).nodeadmConfigController,
  'snapshot-list-request': async () =>
    (await import('../capstan/snapshot-list-request/controller.ts')).snapshotListRequestController,
  'upgrade-checks': async () =>
    (await import('../operations/upgrade-check/controller.ts')).upgradeChecks({
      controlPlanes: (await import('../control-planes.ts')).controlPlanes,
    }),
  'workload-prober': async () => (await import('../core/workload-snapshot/controller.ts')).workloadProber,
};
