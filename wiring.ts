// Written by `npm run registry`.

import type { ControllerWiring } from './machinery/api/wiring.ts';

/**
 * The whole system: which controllers exist, which worker runs each, and what wakes it. Data only;
 * the dispatcher and the deployment read it. machinery/api/wiring.ts explains the fields.
 */
export const controllers = {
  addon: {
    for: 'Addon',
    worker: 'workload',
    watches: [
      { kind: 'Cluster', to: 'members', level: 'count' },
      { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
      { kind: 'ConfigMap', to: 'referrers' },
      { kind: 'Secret', to: 'referrers' },
      { kind: 'ClusterResourceSet', to: 'namespace' },
    ],
  },
  alarms: {
    for: 'ScalingPlan',
    worker: 'aws',
    level: 'gate',
    watches: [{ kind: 'MachineDeployment', to: 'members', level: 'gate' }],
  },
  autoscaler: {
    for: 'ScalingPlan',
    worker: 'workload',
    level: 'gate',
    watches: [
      { kind: 'MachineDeployment', to: 'members', level: 'gate' },
      { kind: 'Machine', to: 'members', level: 'gate' },
      { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
      { kind: 'Cluster', to: 'members' },
    ],
  },
  'aws-cluster': {
    for: 'AWSCluster',
    worker: 'aws',
    swept: true,
    watches: [
      { kind: 'Cluster', to: 'dependents', level: 'gate' },
      { kind: 'AWSClusterControllerIdentity', to: 'namespace' },
      { kind: 'AWSClusterRoleIdentity', to: 'all' },
    ],
  },
  'aws-machine': {
    for: 'AWSMachine',
    worker: 'aws',
    swept: true,
    watches: [
      { kind: 'Machine', to: 'dependents', level: 'gate' },
      { kind: 'AWSCluster', to: 'members', level: 'count' },
      { kind: 'Cluster', to: 'members', level: 'gate' },
      { kind: 'IPAddressClaim', to: 'owner', level: 'note' },
    ],
  },
  'aws-machine-pool': {
    for: 'AWSMachinePool',
    worker: 'aws',
    level: 'count',
    watches: [
      { kind: 'MachinePool', to: 'dependents', level: 'gate' },
      { kind: 'AWSMachine', to: 'owner', level: 'note' },
      { kind: 'AWSCluster', to: 'members', level: 'count' },
      { kind: 'Cluster', to: 'members', level: 'gate' },
      { kind: 'Secret', to: 'members', level: 'note' },
    ],
  },
  'aws-machine-template': {
    for: 'AWSMachineTemplate',
    worker: 'aws',
    watches: [{ kind: 'Cluster', to: 'dependents' }],
  },
  'aws-managed-cluster': {
    for: 'AWSManagedCluster',
    worker: 'aws',
    watches: [
      { kind: 'Cluster', to: 'dependents', level: 'gate' },
      { kind: 'AWSManagedControlPlane', to: 'members' },
    ],
  },
  'aws-managed-control-plane': {
    for: 'AWSManagedControlPlane',
    worker: 'aws',
    watches: [
      { kind: 'Cluster', to: 'dependents', level: 'gate' },
      { kind: 'Secret', to: 'owner', level: 'note' },
    ],
  },
  'aws-managed-machine-pool': {
    for: 'AWSManagedMachinePool',
    worker: 'aws',
    watches: [
      { kind: 'MachinePool', to: 'dependents', level: 'gate' },
      { kind: 'AWSManagedControlPlane', to: 'members', level: 'gate' },
    ],
  },
  cluster: {
    for: 'Cluster',
    worker: 'core',
    watches: [
      { role: 'InfrastructureCluster', to: 'owner', level: 'note' },
      { role: 'InfrastructureCluster', to: 'referrers' },
      { role: 'ControlPlane', to: 'owner', level: 'note' },
      { role: 'ControlPlane', to: 'referrers' },
      { kind: 'MachineDeployment', to: 'cluster', level: 'note' },
      { kind: 'MachineSet', to: 'cluster', level: 'note' },
      { kind: 'Machine', to: 'cluster', level: 'note' },
      { kind: 'MachinePool', to: 'cluster', level: 'note' },
      { role: 'InfrastructureMachine', to: 'cluster', level: 'note' },
      { kind: 'WorkloadSnapshot', to: 'cluster', level: 'gate' },
      { kind: 'ClusterOperation', to: 'owner', level: 'note' },
    ],
  },
  'cluster-class': {
    for: 'ClusterClass',
    worker: 'core',
    watches: [
      { role: 'InfrastructureClusterTemplate', to: 'referrers' },
      { role: 'ControlPlaneTemplate', to: 'referrers' },
      { role: 'InfrastructureMachineTemplate', to: 'referrers' },
      { role: 'BootstrapConfigTemplate', to: 'referrers' },
    ],
  },
  'cluster-operation': {
    for: 'ClusterOperation',
    worker: 'aws',
    watches: [
      { kind: 'Cluster', to: 'members', level: 'note' },
      { role: 'InfrastructureCluster', to: 'members', level: 'note' },
      { kind: 'Machine', to: 'members', level: 'note' },
      { role: 'InfrastructureMachine', to: 'members', level: 'note' },
      { kind: 'MachineSet', to: 'members' },
      { kind: 'EtcdSnapshot', to: 'members', level: 'gate' },
      { kind: 'UpgradeCheck', to: 'members', level: 'gate' },
      { role: 'ControlPlane', to: 'members', level: 'note' },
      { kind: 'MachineDeployment', to: 'members', level: 'count' },
      { kind: 'ClusterResourceSetBinding', to: 'members', level: 'count' },
    ],
  },
  'cluster-resource-set': {
    for: 'ClusterResourceSet',
    worker: 'workload',
    watches: [
      { kind: 'Cluster', to: 'namespace' },
      { kind: 'WorkloadSnapshot', to: 'namespace' },
      { kind: 'ConfigMap', to: 'owner', level: 'note' },
      { kind: 'ConfigMap', to: 'referrers' },
      { kind: 'Secret', to: 'owner', level: 'note' },
      { kind: 'Secret', to: 'referrers' },
      { kind: 'ClusterResourceSetBinding', to: 'owner' },
      { kind: 'ClusterResourceSetBinding', to: 'namespace' },
    ],
  },
  drift: { for: 'Installation', worker: 'aws', sweepAfter: 900, watches: [{ kind: 'AWSCluster', to: 'all' }] },
  'etcd-snapshot': {
    for: 'EtcdSnapshot',
    worker: 'workload',
    level: 'gate',
    watches: [
      { kind: 'Cluster', to: 'members' },
      { kind: 'WorkloadSnapshot', to: 'members' },
    ],
  },
  'extension-authority': {
    for: 'ExtensionConfig',
    worker: 'workload',
    level: 'gate',
    watches: [{ kind: 'Secret', to: 'referrers', level: 'gate' }],
  },
  'extension-config': { for: 'ExtensionConfig', worker: 'core', watches: [] },
  'gitops-target': {
    for: 'GitOpsTarget',
    worker: 'workload',
    watches: [
      { kind: 'Cluster', to: 'namespace', level: 'gate' },
      { kind: 'Secret', to: 'referrers' },
    ],
  },
  'global-in-cluster-ip-pool': {
    for: 'GlobalInClusterIPPool',
    worker: 'core',
    watches: [
      { kind: 'IPAddressClaim', to: 'servers', level: 'gate' },
      { kind: 'IPAddress', to: 'servers' },
    ],
  },
  'in-cluster-ip-pool': {
    for: 'InClusterIPPool',
    worker: 'core',
    watches: [
      { kind: 'IPAddressClaim', to: 'servers', level: 'gate' },
      { kind: 'IPAddress', to: 'servers' },
    ],
  },
  'infrastructure-checks': {
    for: 'Cluster',
    worker: 'aws',
    level: 'gate',
    watches: [
      { kind: 'UpgradeCheck', to: 'members', level: 'gate' },
      { kind: 'ClusterOperation', to: 'owner', level: 'gate' },
    ],
  },
  installation: {
    for: 'Installation',
    worker: 'aws',
    sweepAfter: 600,
    watches: [
      { kind: 'AWSCluster', to: 'all' },
      { kind: 'AWSMachine', to: 'all' },
    ],
  },
  'instance-status': {
    for: 'Cluster',
    worker: 'aws',
    level: 'gate',
    watches: [{ kind: 'MachineHealthCheck', to: 'cluster' }],
  },
  'ip-address-claim': {
    for: 'IPAddressClaim',
    worker: 'core',
    watches: [
      { kind: 'IPAddress', to: 'servers' },
      { kind: 'InClusterIPPool', to: 'referrers', level: 'gate' },
      { kind: 'GlobalInClusterIPPool', to: 'referrers', level: 'gate' },
      { kind: 'Cluster', to: 'members' },
    ],
  },
  'kubeadm-config': {
    for: 'KubeadmConfig',
    worker: 'workload',
    watches: [
      { kind: 'Machine', to: 'dependents', level: 'gate' },
      { kind: 'MachinePool', to: 'dependents', level: 'gate' },
      { kind: 'Cluster', to: 'members', level: 'gate' },
      { kind: 'Secret', to: 'members', level: 'note' },
    ],
  },
  'kubeadm-control-plane': {
    for: 'KubeadmControlPlane',
    worker: 'workload',
    watches: [
      { kind: 'Machine', to: 'owner', level: 'note' },
      { kind: 'Machine', to: 'members' },
      { kind: 'Secret', to: 'owner', level: 'note' },
      { kind: 'Secret', to: 'referrers' },
      { kind: 'Cluster', to: 'members', level: 'gate' },
      { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
      { role: 'InfrastructureMachineTemplate', to: 'referrers' },
      { role: 'BootstrapConfigTemplate', to: 'referrers' },
    ],
  },
  machine: {
    for: 'Machine',
    worker: 'workload',
    watches: [
      { role: 'InfrastructureMachine', to: 'owner', level: 'note' },
      { role: 'BootstrapConfig', to: 'owner', level: 'note' },
      { kind: 'MachineSet', to: 'dependents' },
      { kind: 'MachineDeployment', to: 'members' },
      { role: 'ControlPlane', to: 'members' },
      { kind: 'Cluster', to: 'members', level: 'gate' },
      { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
    ],
  },
  'machine-deployment': {
    for: 'MachineDeployment',
    worker: 'core',
    watches: [
      { kind: 'MachineSet', to: 'owner', level: 'note' },
      { kind: 'MachineSet', to: 'adopters' },
      { kind: 'Cluster', to: 'members', level: 'gate' },
      { kind: 'ScalingPlan', to: 'members' },
      { role: 'InfrastructureMachineTemplate', to: 'referrers' },
      { role: 'BootstrapConfigTemplate', to: 'referrers' },
    ],
  },
  'machine-health-check': {
    for: 'MachineHealthCheck',
    worker: 'workload',
    watches: [
      { kind: 'Machine', to: 'members', level: 'count' },
      { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
      { kind: 'Cluster', to: 'members', level: 'count' },
      { kind: 'MachineHealthCheck', to: 'members' },
    ],
  },
  'machine-pool': {
    for: 'MachinePool',
    worker: 'workload',
    watches: [
      { role: 'InfrastructureMachinePool', to: 'owner', level: 'note' },
      { role: 'InfrastructureMachinePool', to: 'referrers' },
      { role: 'BootstrapConfig', to: 'owner', level: 'note' },
      { role: 'BootstrapConfig', to: 'referrers' },
      { kind: 'Machine', to: 'owner', level: 'note' },
      { kind: 'Cluster', to: 'members', level: 'gate' },
      { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
    ],
  },
  'machine-set': {
    for: 'MachineSet',
    worker: 'core',
    watches: [
      { kind: 'Machine', to: 'owner', level: 'note' },
      { kind: 'Machine', to: 'adopters' },
      { kind: 'MachineDeployment', to: 'dependents', level: 'gate' },
      { role: 'ControlPlane', to: 'members', level: 'count' },
      { kind: 'Cluster', to: 'members' },
      { role: 'InfrastructureMachineTemplate', to: 'referrers' },
      { role: 'BootstrapConfigTemplate', to: 'referrers' },
    ],
  },
  'nodeadm-config': {
    for: 'NodeadmConfig',
    worker: 'workload',
    watches: [
      { kind: 'Machine', to: 'dependents', level: 'gate' },
      { kind: 'MachinePool', to: 'dependents', level: 'gate' },
      { kind: 'Cluster', to: 'members', level: 'gate' },
      { kind: 'AWSManagedControlPlane', to: 'members', level: 'gate' },
    ],
  },
  'operation-starter': {
    for: 'Cluster',
    worker: 'core',
    level: 'gate',
    watches: [
      { role: 'InfrastructureCluster', to: 'cluster' },
      { role: 'InfrastructureCluster', to: 'referrers' },
      { role: 'ControlPlane', to: 'cluster', level: 'count' },
      { role: 'ControlPlane', to: 'referrers' },
      { kind: 'MachineDeployment', to: 'cluster', level: 'count' },
      { kind: 'MachineSet', to: 'cluster' },
      { kind: 'ClusterOperation', to: 'cluster', level: 'gate' },
      { role: 'InfrastructureMachineTemplate', to: 'owner' },
      { role: 'BootstrapConfigTemplate', to: 'owner' },
    ],
  },
  prices: {
    for: 'ScalingPlan',
    worker: 'aws',
    level: 'gate',
    watches: [
      { kind: 'MachineDeployment', to: 'members', level: 'gate' },
      { kind: 'AWSCluster', to: 'members' },
    ],
  },
  'snapshot-list-request': { for: 'SnapshotListRequest', worker: 'workload', watches: [] },
  'snapshot-schedule': {
    for: 'Cluster',
    worker: 'core',
    level: 'gate',
    watches: [
      { kind: 'EtcdSnapshot', to: 'cluster', level: 'count' },
      { kind: 'ClusterOperation', to: 'cluster', level: 'gate' },
      { kind: 'Installation', to: 'all' },
    ],
  },
  topology: {
    for: 'Cluster',
    worker: 'core',
    level: 'count',
    watches: [
      { kind: 'ClusterClass', to: 'referrers', level: 'gate' },
      { role: 'InfrastructureCluster', to: 'referrers' },
      { role: 'ControlPlane', to: 'referrers' },
      { kind: 'MachineDeployment', to: 'cluster' },
      { kind: 'MachinePool', to: 'cluster' },
      { kind: 'MachineHealthCheck', to: 'cluster' },
      { kind: 'MachineSet', to: 'cluster' },
      { kind: 'ClusterOperation', to: 'owner', level: 'gate' },
      { role: 'InfrastructureMachineTemplate', to: 'owner' },
      { role: 'BootstrapConfigTemplate', to: 'owner' },
    ],
  },
  'upgrade-checks': {
    for: 'Cluster',
    worker: 'workload',
    level: 'gate',
    watches: [
      { kind: 'ClusterOperation', to: 'owner', level: 'count' },
      { kind: 'UpgradeCheck', to: 'members', level: 'gate' },
      { kind: 'InfrastructureCheck', to: 'members', level: 'gate' },
    ],
  },
  'workload-prober': {
    for: 'Cluster',
    worker: 'workload',
    level: 'gate',
    watches: [
      { role: 'ControlPlane', to: 'cluster' },
      { kind: 'Machine', to: 'cluster' },
      { kind: 'Secret', to: 'cluster' },
    ],
  },
} as const satisfies Record<string, ControllerWiring>;

export type ControllerName = keyof typeof controllers;
