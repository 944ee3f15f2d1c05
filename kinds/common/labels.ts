/**
 * Labels, annotations and finalizers that several kinds use. They are protocol: Cluster API tools
 * read them.
 */

export const labels = {
  cluster: 'cluster.x-k8s.io/cluster-name',
  controlPlane: 'cluster.x-k8s.io/control-plane',
  controlPlaneName: 'cluster.x-k8s.io/control-plane-name',
  deployment: 'cluster.x-k8s.io/deployment-name',
  set: 'cluster.x-k8s.io/set-name',
  pool: 'cluster.x-k8s.io/pool-name',
  templateHash: 'machine-template-hash',
  interruptible: 'cluster.x-k8s.io/interruptible',
} as const;

export const annotations = {
  clonedFromName: 'cluster.x-k8s.io/cloned-from-name',
  clonedFromGroupKind: 'cluster.x-k8s.io/cloned-from-groupkind',
  deleteMachine: 'cluster.x-k8s.io/delete-machine',
  remediateMachine: 'cluster.x-k8s.io/remediate-machine',
  disableMachineCreate: 'cluster.x-k8s.io/disable-machine-create',
  skipPreflight: 'machineset.cluster.x-k8s.io/skip-preflight-checks',
  autoscalerMin: 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size',
  autoscalerMax: 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size',
  revision: 'machinedeployment.clusters.x-k8s.io/revision',
  revisionHistory: 'machinedeployment.clusters.x-k8s.io/revision-history',
  desiredReplicas: 'machinedeployment.clusters.x-k8s.io/desired-replicas',
  maxReplicas: 'machinedeployment.clusters.x-k8s.io/max-replicas',
  /** Names of objects that a controller is about to create, as JSON. Reserved for controllers. */
  creating: 'capstan.dev/creating',
  replicasSetBy: 'capstan.dev/replicas-set-by',
  lastApplied: 'kubectl.kubernetes.io/last-applied-configuration',
} as const;
