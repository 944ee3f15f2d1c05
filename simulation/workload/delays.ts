/** How long things take inside instances, in milliseconds of simulated time. */
export const delays = {
  /** From running to cloud-init reading its user data. */
  cloudInit: 8_000,
  kubeadmInit: 25_000,
  kubeadmJoin: 15_000,
  /** Between two tries of something that does not answer. */
  kubeadmRetry: 5_000,
  /** From registration until a kubelet reports itself ready. */
  nodeReady: 10_000,
  /** Of silence until a node counts as lost. */
  nodeLost: 50_000,
  podStart: 3_000,
  podStop: 2_000,
  /** What a pod of a Job runs for. */
  jobRun: 5_000,
  /** Until a new etcd member has caught up and votes. */
  etcdCatchUp: 3_000,
  /** Between a change and the controllers' look at it. */
  settle: 10,
  /** Until controllers that undo each other's work are run again. */
  unsettled: 60_000,
  /** Between two looks for pods whose node is gone. */
  podCollection: 20_000,
} as const;
