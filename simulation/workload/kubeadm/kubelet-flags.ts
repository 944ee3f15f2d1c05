/**
 * Flags that a kubelet refuses: those that its version has removed, and in-tree cloud providers.
 */
import { ConfigError } from './documents.ts';
import type { KubernetesVersion } from './version.ts';

/** The minor version that removed the flag. */
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
/** The minor version that removed the in-tree AWS cloud provider. */
const cloudRemovedIn = 27;

/** Throws kubeadm's error when the kubelet has exited. */
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
