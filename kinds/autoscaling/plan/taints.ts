/** Taints and tolerations, and the taints that only a starting node has. Pure. */
import type { Pool, Taint, Toleration } from './types.ts';

const tolerates = (taint: Taint, { key, operator, value = '', effect }: Toleration): boolean => {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  switch (operator || 'Equal') {
    // An empty key with Exists tolerates every taint.
    case 'Exists':
      return true;
    case 'Equal':
      return Boolean(key) && value === (taint.value ?? '');
    default:
      return false;
  }
};

const repels = ({ effect }: Taint): boolean => effect === 'NoSchedule' || effect === 'NoExecute';

/** The first taint that keeps the pod away. */
export const untolerated = (
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined =>
  taints?.find((taint) => repels(taint) && !tolerations?.some((toleration) => tolerates(taint, toleration)));

/** Tolerations that the DaemonSet controller adds to its pods. */
export const daemonTolerations: readonly Toleration[] = [
  'not-ready',
  'unreachable',
  'disk-pressure',
  'memory-pressure',
  'pid-pressure',
  'unschedulable',
  'network-unavailable',
].map((name) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists' }));

/** Kubernetes' own, and those of CNI and CSI plugins, whose agents remove them. */
const startupKeys = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/network-unavailable',
  'node.cloudprovider.kubernetes.io/uninitialized',
  'node.cluster.x-k8s.io/uninitialized',
  'node.cilium.io/agent-not-ready',
  'cni.istio.io/not-ready',
  'ebs.csi.aws.com/agent-not-ready',
  'efs.csi.aws.com/agent-not-ready',
  'fsx.csi.aws.com/agent-not-ready',
  'karpenter.sh/unregistered',
]);
const startupPrefixes = [
  'startup-taint.cluster-autoscaler.kubernetes.io/',
  'ignore-taint.cluster-autoscaler.kubernetes.io/',
];

/** A taint that a component removes once the node has started; users name those of their own. */
export const isStartupTaint = ({ key }: Taint, { startupTaints = [] }: Pick<Pool, 'startupTaints'> = {}): boolean =>
  startupKeys.has(key) || startupTaints.includes(key) || startupPrefixes.some((prefix) => key.startsWith(prefix));

/** The taint of cluster-autoscaler, which controllers of load balancers know, too. */
export const ownRemovalTaint = {
  key: 'ToBeDeletedByClusterAutoscaler',
  value: 'capstan',
  effect: 'NoSchedule',
} as const satisfies Taint;
export const isOwnRemovalTaint = ({ key, value }: Taint): boolean =>
  key === ownRemovalTaint.key && value === ownRemovalTaint.value;

/** Taints by which an autoscaler marks a node that it deletes. */
export const isRemovalTaint = ({ key }: Taint): boolean =>
  key === ownRemovalTaint.key || key === 'karpenter.sh/disrupted';
