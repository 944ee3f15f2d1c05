import { eksControlPlanes } from './controlplane-eks/control-plane-provider.ts';
import { kubeadmControlPlanes } from './controlplane-kubeadm/kubeadm-control-plane/provider.ts';
import type { ControlPlaneProvider } from './core/contract/control-plane.ts';

/** The control plane providers that are served. */
export const controlPlanes: readonly ControlPlaneProvider[] = [kubeadmControlPlanes, eksControlPlanes];
