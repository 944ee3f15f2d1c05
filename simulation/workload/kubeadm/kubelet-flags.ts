/** Flags that a kubelet does not start with: those that its version no longer has, and clouds that are no part of it. */
import { ConfigError } from './documents.ts';
import type { KubernetesVersion } from './version.ts';

/** The minor version that came without it. */
const removedIn: Record<string, number> = {
  'cni-bin-dir': 24,
  'cni-cache-dir': 24,
  'cni-conf-dir': 24,
  'dynamic-config-dir': 24,
  'image-pull-progress-deadline': 24,
  'network-plugin': 24,
  'network-plugin-mtu': 24,
  'container-runtime': 27,
  'master-service-namespace': 27,
  'pod-infra-container-image': 35,
};
/** Of the cloud provider for AWS that was part of Kubernetes. */
const cloudRemovedIn = 27;

/** Throws what kubeadm ends with when the kubelet that it started has ended. */
export const startKubelet = (args: Readonly<Record<string, string>>, { minor }: KubernetesVersion): void => {
  const removed = Object.keys(args).find((flag) => minor >= (removedIn[flag] ?? Number.POSITIVE_INFINITY));
  const cloud = args['cloud-provider'] ?? '';
  const hasCloud = cloud === '' || cloud === 'external' || (cloud === 'aws' && minor < cloudRemovedIn);
  if (!removed && hasCloud) return;
  const why = removed
    ? `failed to parse kubelet flag: unknown flag: --${removed}`
    : `could not init cloud provider "${cloud}": unknown cloud provider "${cloud}"`;
  throw new ConfigError(
    `error execution phase kubelet-start: the kubelet is not running: "command failed" err="${why}"`,
  );
};
