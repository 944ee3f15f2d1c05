/** What the KubeadmConfig of a new control plane machine holds. */

import { isAtLeastMinor } from '../kubeadm-config/kubernetes-version.ts';
import type { KubeadmConfigSpec } from '../kubeadm-config/schema.ts';
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

/** Of the machine that initialises the cluster. */
export const initConfig = (spec: KubeadmControlPlaneSpec): KubeadmConfigSpec => {
  const { joinConfiguration: _, ...rest } = withGates(spec);
  return rest;
};

/** Of every later machine. */
export const joinConfig = (spec: KubeadmControlPlaneSpec): KubeadmConfigSpec => {
  const { initConfiguration: _, joinConfiguration, ...rest } = withGates(spec);
  const controlPlane = joinConfiguration?.controlPlane ?? {};
  return { ...rest, joinConfiguration: { ...joinConfiguration, controlPlane } };
};
