// Written by `npm run registry`.

/** The controllers of the aws workers, loaded on first use. */
export const controllers = {
  alarms: async () => (await import('../infrastructure-aws/alarms/controller.ts')).alarmsController,
  'aws-cluster': async () => (await import('../infrastructure-aws/aws-cluster/controller.ts')).awsClusterController,
  'aws-machine': async () => (await import('../infrastructure-aws/aws-machine/controller.ts')).awsMachineController,
  'aws-machine-pool': async () =>
    (await import('../infrastructure-aws/aws-machine-pool/controller.ts')).awsMachinePoolController,
  'aws-machine-template': async () =>
    (await import('../infrastructure-aws/aws-machine-template/controller.ts')).awsMachineTemplateController,
  'aws-managed-cluster': async () =>
    (await import('../controlplane-eks/aws-managed-cluster/controller.ts')).awsManagedClusterController,
  'aws-managed-control-plane': async () =>
    (await import('../controlplane-eks/aws-managed-control-plane/controller.ts')).awsManagedControlPlaneController,
  'aws-managed-machine-pool': async () =>
    (await import('../controlplane-eks/aws-managed-machine-pool/controller.ts')).awsManagedMachinePoolController,
  'cluster-operation': async () =>
    (await import('../operations/cluster-operation/controller.ts')).clusterOperationController({
      infrastructures: (await import('../infrastructures.ts')).infrastructures,
      controlPlanes: (await import('../control-planes.ts')).controlPlanes,
    }),
  drift: async () => (await import('../capstan/installation/drift/controller.ts')).driftController,
  'infrastructure-checks': async () =>
    (await import('../operations/infrastructure-check/controller.ts')).infrastructureChecks({
      infrastructures: (await import('../infrastructures.ts')).infrastructures,
    }),
  installation: async () => (await import('../capstan/installation/controller.ts')).installationController,
  'instance-status': async () =>
    (await import('../infrastructure-aws/instance-status/controller.ts')).instanceStatusController,
  prices: async () => (await import('../infrastructure-aws/prices/controller.ts')).pricesController,
};
