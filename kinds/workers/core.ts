// Written by `npm run registry`.

/** The controllers of the core workers, loaded on first use. */
export const controllers = {
  cluster: async () =>
    (await import('../core/cluster/controller.ts')).clusterController({
      causeRules: (await import('../cause-rules.ts')).causeRules,
    }),
  'cluster-class': async () => (await import('../core/cluster-class/controller.ts')).clusterClassController,
  'extension-config': async () =>
    (await import('../extensions/extension-config/controller.ts')).extensionConfigController,
  'global-in-cluster-ip-pool': async () =>
    (await import('../ipam/global-in-cluster-ip-pool/controller.ts')).globalInClusterIPPoolController,
  'in-cluster-ip-pool': async () =>
    (await import('../ipam/in-cluster-ip-pool/controller.ts')).inClusterIPPoolController,
  'ip-address-claim': async () => (await import('../ipam/ip-address-claim/controller.ts')).ipAddressClaimController,
  'machine-deployment': async () =>
    (await import('../core/machine-deployment/controller.ts')).machineDeploymentController,
  'machine-set': async () => (await import('../core/machine-set/controller.ts')).machineSetController,
  'operation-starter': async () =>
    (await import('../operations/starter/controller.ts')).operationStarter({
      controlPlanes: (await import('../control-planes.ts')).controlPlanes,
      infrastructureKinds: (await import('../infrastructure-kinds.ts')).infrastructureKinds,
    }),
  'snapshot-schedule': async () =>
    (await import('../capstan/snapshot-schedule/controller.ts')).snapshotSchedule({
      controlPlanes: (await import('../control-planes.ts')).controlPlanes,
    }),
  topology: async () => (await import('../core/topology/controller.ts')).topology,
};
