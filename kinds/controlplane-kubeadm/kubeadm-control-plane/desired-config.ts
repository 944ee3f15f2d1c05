/** The KubeadmConfig of a new control plane Machine. */

import type { KubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import { isAtLeastMinor } from '../../common/kubernetes-version.ts';
import type { KubeadmControlPlaneSpec } from './schema.ts';

// In these minor versions, a kubelet must use the API server of its own Node during an upgrade, and
// kubeadm configures that only with this gate. From 1.36 on it is the default, and naming the gate
// is an error.
const localModeGate = 'ControlPlaneKubeletLocalMode';
const needsLocalModeGate = (version: string) => isAtLeastMinor(version, 31) && !isAtLeastMinor(version, 36);

/** Adds the feature gates that Machines of this version need. */
export const withGates = ({ kubeadmConfigSpec = {}, version }: KubeadmControlPlaneSpec): KubeadmConfigSpec => {
  if (!needsLocalModeGate(version)) return kubeadmConfigSpec;
  const { clusterConfiguration = {} } = kubeadmConfigSpec;
  const featureGates = { [localModeGate]: true, ...clusterConfiguration.featureGates };
  return { ...kubeadmConfigSpec, clusterConfiguration: { ...clusterConfiguration, featureGates } };
};

/**
 * The config that the control plane would have given an existing Machine. A Machine that a user or
 * an older release created without the gate never needs it: it joined a cluster of its own version,
 * and a Machine of another version replaces it.
 */
export const gatesAsIn = (spec: KubeadmControlPlaneSpec, current: KubeadmConfigSpec): KubeadmConfigSpec =>
  current.clusterConfiguration?.featureGates?.[localModeGate] === undefined
    ? (spec.kubeadmConfigSpec ?? {})
    : withGates(spec);

/** The config of the Machine that initializes the cluster. */
export const initConfig = (spec: KubeadmControlPlaneSpec, config = withGates(spec)): KubeadmConfigSpec => {
  const { joinConfiguration: _, ...rest } = config;
  return rest;
};

/** The config of every later Machine. */
export const joinConfig = (spec: KubeadmControlPlaneSpec, config = withGates(spec)): KubeadmConfigSpec => {
  const { initConfiguration: _, joinConfiguration, ...rest } = config;
  const controlPlane = joinConfiguration?.controlPlane ?? {};
  return { ...rest, joinConfiguration: { ...joinConfiguration, controlPlane } };
};
