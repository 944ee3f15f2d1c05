/** Names by which others know what the Machine controller keeps. */

export const machineFinalizer = 'machine.cluster.x-k8s.io';
export const hooks = {
  preDrain: 'pre-drain.delete.hook.machine.cluster.x-k8s.io',
  preTerminate: 'pre-terminate.delete.hook.machine.cluster.x-k8s.io',
} as const;
