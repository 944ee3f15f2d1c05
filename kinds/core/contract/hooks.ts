/** Prefixes of Machine annotations that block the Machine's deletion, whatever their value. */
export const hooks = {
  preDrain: 'pre-drain.delete.hook.machine.cluster.x-k8s.io',
  preTerminate: 'pre-terminate.delete.hook.machine.cluster.x-k8s.io',
} as const;

/** Annotations of a Machine that skip a step of its deletion, whatever their value. */
export const excludeDrain = 'machine.cluster.x-k8s.io/exclude-node-draining';
export const excludeVolumes = 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach';

/**
 * Set by a control plane that manages etcd: the Machine keeps its host until its etcd member is
 * removed. The value is the reason why it still waits, for users.
 */
export const etcdCleanupHook = `${hooks.preTerminate}/kcp-cleanup`;
