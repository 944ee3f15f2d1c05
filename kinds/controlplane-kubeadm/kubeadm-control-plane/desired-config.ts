/** What the KubeadmConfig of a new control plane machine holds. */

import type { KubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import { isAtLeastMinor } from '../../common/kubernetes-version.ts';
import type { KubeadmControlPlaneSpec } from './schema.ts';

// Between these minors a kubelet must talk to the API server of its own node while another version is being rolled out,
// and kubeadm does so only with this gate. From 1.36 on it is always so, and naming the gate is an error.
const localModeGate = 'ControlPlaneKubeletLocalMode';
const needsLocalModeGate = (version: string) => isAtLeastMinor(version, 31) && !isAtLeastMinor(version, 36);

/** With what machines of its version need to know of their cluster. */
export const withGates = ({ kubeadmConfigSpec = {}, version }: KubeadmControlPlaneSpec): KubeadmConfigSpec => {
  if (!needsLocalModeGate(version)) return kubeadmConfigSpec;
  const { clusterConfiguration = {} } = kubeadmConfigSpec;
  const featureGates = { [localModeGate]: true, ...clusterConfiguration.featureGates };
  return { ...kubeadmConfigSpec, clusterConfiguration: { ...clusterConfiguration, featureGates } };
};

/**
 * The config that the control plane would have given an existing Machine. A Machine that a user or an
 * older release created without the gate never needs it: it joined a cluster of its own version, and
 * a Machine of another version replaces it.
 */
export const gatesAsIn = (spec: KubeadmControlPlaneSpec, current: KubeadmConfigSpec): KubeadmConfigSpec =>
  current.clusterConfiguration?.featureGates?.[localModeGate] === undefined
    ? (spec.kubeadmConfigSpec ?? {})
    : withGates(spec);

/** Of the machine that initialises the cluster. */
export const initConfig = (spec: KubeadmControlPlaneSpec, config = withGates(spec)): KubeadmConfigSpec => {
  const { joinConfiguration: _, ...rest } = config;
  return rest;
};

/** Of every later machine. */
export const joinConfig = (spec: KubeadmControlPlaneSpec, config = withGates(spec)): KubeadmConfigSpec => {
  const { initConfiguration: _, joinConfiguration, ...rest } = config;
  const controlPlane = joinConfiguration?.controlPlane ?? {};
  return { ...rest, joinConfiguration: { ...joinConfiguration, controlPlane } };
};
