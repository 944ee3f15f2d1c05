/** Durations inside instances, in milliseconds of simulated time. */
export const delays = {
  /** From running until cloud-init reads its user data. */
  cloudInit: 8_000,
  kubeadmInit: 25_000,
  kubeadmJoin: 15_000,
  /** Between two tries when the server does not respond. */
  kubeadmRetry: 5_000,
  /** How long kubeadm waits for a program that does not run. */
  componentHealthCheck: 240_000,
  /** The same for the kubelet, up to v1.29. */
  olderKubeletCheck: 115_000,
  /** From registration until the kubelet reports ready. */
  nodeReady: 10_000,
  /** Of silence until a node counts as lost. */
  nodeLost: 50_000,
  podStart: 3_000,
  podStop: 2_000,
  /** How long a Job's pod runs. */
  jobRun: 5_000,
  /** Until a new etcd member has caught up and can vote. */
  etcdCatchUp: 3_000,
  /** From a change until the controllers run. */
  settle: 10,
  /** Until controllers that undo each other's work run again. */
  unsettled: 60_000,
  /** Between two checks for pods whose node is gone. */
  podCollection: 20_000,
} as const;
