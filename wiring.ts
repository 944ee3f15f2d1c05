/**
 * The system on one page: which controllers exist and what wakes each. Data only; the dispatcher, the local runtime and
 * the deployment all read it, and a test proves that each of them covers all of it.
 */

/** How a changed object finds the objects to reconcile. */
export type Route =
  /** Those of the controller's kind among its owner references. */
  | 'owner'
  /** Those of the controller's kind that it owns. */
  | 'dependents'
  /** The Cluster it belongs to. */
  | 'cluster'
  /** All of the controller's kind in its cluster (itself, when it is a Cluster). */
  | 'members'
  /** All of the controller's kind in its namespace. */
  | 'namespace'
  /** All of the controller's kind. */
  | 'all';

/** Which changes count; absent = all of them. */
export type Part = 'created' | 'deleted' | 'deleting' | 'metadata' | 'labels' | 'spec' | 'status';

export interface Watch {
  kind: string;
  to: Route;
  on?: Part[];
}

export interface ControllerWiring {
  for: string;
  /** The function that runs it on AWS, by what it needs to reach. */
  worker: 'core' | 'aws' | 'workload' | 'gc';
  watches: Watch[];
}

const templates: Watch[] = [
  { kind: 'AWSMachineTemplate', to: 'namespace', on: ['created'] },
  { kind: 'KubeadmConfigTemplate', to: 'namespace', on: ['created'] },
];

export const controllers = {
  cluster: {
    for: 'Cluster',
    worker: 'core',
    watches: [
      { kind: 'AWSCluster', to: 'owner' },
      { kind: 'AWSCluster', to: 'namespace', on: ['created'] },
      { kind: 'KubeadmControlPlane', to: 'owner' },
      { kind: 'KubeadmControlPlane', to: 'namespace', on: ['created'] },
      { kind: 'MachineDeployment', to: 'cluster' },
      { kind: 'MachineSet', to: 'cluster' },
      { kind: 'Machine', to: 'cluster' },
      { kind: 'WorkloadSnapshot', to: 'cluster' },
      { kind: 'ClusterOperation', to: 'owner', on: ['created', 'status', 'deleted'] },
    ],
  },
  'operation-starter': {
    for: 'Cluster',
    worker: 'core',
    watches: [
      { kind: 'AWSCluster', to: 'cluster', on: ['created', 'spec'] },
      { kind: 'AWSCluster', to: 'namespace', on: ['created'] },
      { kind: 'KubeadmControlPlane', to: 'cluster', on: ['created', 'spec'] },
      { kind: 'KubeadmControlPlane', to: 'namespace', on: ['created'] },
      { kind: 'MachineDeployment', to: 'cluster', on: ['created', 'spec', 'deleting', 'deleted'] },
      { kind: 'MachineSet', to: 'cluster', on: ['created', 'spec', 'deleting', 'deleted'] },
      { kind: 'ClusterOperation', to: 'cluster' },
      ...templates,
    ],
  },
  'workload-prober': {
    for: 'Cluster',
    worker: 'workload',
    watches: [
      { kind: 'KubeadmControlPlane', to: 'cluster', on: ['created', 'spec', 'deleting'] },
      { kind: 'Machine', to: 'cluster', on: ['created', 'spec', 'deleting', 'deleted'] },
      { kind: 'Secret', to: 'cluster', on: ['created'] },
    ],
  },
  'machine-deployment': {
    for: 'MachineDeployment',
    worker: 'core',
    watches: [
      { kind: 'MachineSet', to: 'owner' },
      { kind: 'MachineSet', to: 'members', on: ['created'] },
      { kind: 'Cluster', to: 'members', on: ['created', 'spec', 'metadata', 'deleting'] },
      ...templates,
    ],
  },
  'machine-set': {
    for: 'MachineSet',
    worker: 'core',
    watches: [
      { kind: 'Machine', to: 'owner' },
      { kind: 'Machine', to: 'members', on: ['created'] },
      { kind: 'MachineDeployment', to: 'dependents' },
      { kind: 'KubeadmControlPlane', to: 'members' },
      { kind: 'Cluster', to: 'members', on: ['created', 'spec', 'metadata', 'deleting'] },
      ...templates,
    ],
  },
  machine: {
    for: 'Machine',
    worker: 'workload',
    watches: [
      { kind: 'AWSMachine', to: 'owner' },
      { kind: 'KubeadmConfig', to: 'owner' },
      { kind: 'MachineSet', to: 'dependents' },
      { kind: 'MachineDeployment', to: 'members', on: ['spec', 'metadata'] },
      { kind: 'KubeadmControlPlane', to: 'members' },
      { kind: 'Cluster', to: 'members' },
      { kind: 'WorkloadSnapshot', to: 'members' },
    ],
  },
  'kubeadm-config': {
    for: 'KubeadmConfig',
    worker: 'workload',
    watches: [
      { kind: 'Machine', to: 'dependents' },
      { kind: 'Cluster', to: 'members' },
      { kind: 'WorkloadSnapshot', to: 'members' },
      { kind: 'Secret', to: 'members', on: ['created'] },
    ],
  },
  'kubeadm-control-plane': {
    for: 'KubeadmControlPlane',
    worker: 'workload',
    watches: [
      { kind: 'Machine', to: 'owner' },
      { kind: 'Machine', to: 'members', on: ['created', 'deleted'] },
      { kind: 'Secret', to: 'owner' },
      { kind: 'Cluster', to: 'members' },
      { kind: 'WorkloadSnapshot', to: 'members' },
      ...templates,
    ],
  },
  'cluster-resource-set': {
    for: 'ClusterResourceSet',
    worker: 'workload',
    watches: [
      { kind: 'Cluster', to: 'namespace', on: ['created', 'labels', 'metadata', 'status', 'deleting'] },
      { kind: 'WorkloadSnapshot', to: 'namespace', on: ['created', 'spec'] },
      { kind: 'ConfigMap', to: 'owner' },
      { kind: 'ConfigMap', to: 'namespace', on: ['created'] },
      { kind: 'Secret', to: 'owner' },
      { kind: 'Secret', to: 'namespace', on: ['created'] },
    ],
  },
  'aws-cluster': {
    for: 'AWSCluster',
    worker: 'aws',
    watches: [
      { kind: 'Cluster', to: 'dependents' },
      { kind: 'AWSMachine', to: 'members', on: ['deleted'] },
      { kind: 'AWSClusterControllerIdentity', to: 'namespace', on: ['created', 'spec'] },
    ],
  },
  'aws-machine': {
    for: 'AWSMachine',
    worker: 'aws',
    watches: [
      { kind: 'Machine', to: 'dependents' },
      { kind: 'AWSCluster', to: 'members' },
      { kind: 'Cluster', to: 'members', on: ['spec', 'metadata', 'status', 'deleting'] },
    ],
  },
  'aws-machine-template': {
    for: 'AWSMachineTemplate',
    worker: 'aws',
    watches: [{ kind: 'Cluster', to: 'dependents' }],
  },
  'cluster-operation': {
    for: 'ClusterOperation',
    worker: 'aws',
    watches: [
      { kind: 'Cluster', to: 'members' },
      { kind: 'AWSCluster', to: 'members' },
      { kind: 'Machine', to: 'members', on: ['deleted'] },
      { kind: 'AWSMachine', to: 'members', on: ['deleted'] },
      { kind: 'MachineSet', to: 'members', on: ['deleted'] },
    ],
  },
  // Rests while there is nothing to sweep; whatever is made in the account begins with one of these.
  installation: {
    for: 'Installation',
    worker: 'aws',
    watches: [{ kind: 'AWSCluster', to: 'all', on: ['created'] }],
  },
} as const satisfies Record<string, ControllerWiring>;

export type ControllerName = keyof typeof controllers;
