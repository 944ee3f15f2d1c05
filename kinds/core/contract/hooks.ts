/** Prefixes of Machine annotations that block the Machine's deletion, whatever their value. */
export const hooks = {
  preDrain: 'pre-drain.delete.hook.machine.cluster.x-k8s.io',
  preTerminate: 'pre-terminate.delete.hook.machine.cluster.x-k8s.io',
} as const;

/**
 * Set by a control plane that manages etcd: the Machine keeps its host until its etcd member is
 * removed.
 */
export const etcdCleanupHook = `${hooks.preTerminate}/kcp-cleanup`;
