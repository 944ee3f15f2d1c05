/** The hooks of the Runtime SDK. Source: Cluster API, api/runtime/hooks/v1alpha1. */

export const hooksVersion = 'hooks.runtime.cluster.x-k8s.io/v1alpha1';

/** In the order in which a cluster meets them. */
export const lifecycleHooks = [
  'BeforeClusterCreate',
  'AfterControlPlaneInitialized',
  'BeforeClusterUpgrade',
  'BeforeControlPlaneUpgrade',
  'AfterControlPlaneUpgrade',
  'BeforeWorkersUpgrade',
  'AfterWorkersUpgrade',
  'AfterClusterUpgrade',
  'BeforeClusterDelete',
] as const;
export type LifecycleHook = (typeof lifecycleHooks)[number];

export const topologyHooks = ['GeneratePatches', 'ValidateTopology', 'DiscoverVariables'] as const;
export type TopologyHook = (typeof topologyHooks)[number];

/** Known, and never called here. */
const otherHooks = ['GenerateUpgradePlan', 'CanUpdateMachine', 'CanUpdateMachineSet', 'UpdateMachine'];

export const knownHooks: readonly string[] = [...lifecycleHooks, ...topologyHooks, ...otherHooks];
