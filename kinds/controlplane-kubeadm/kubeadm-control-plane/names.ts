import { annotations as common } from '../../common/labels.ts';
import { etcdCleanupHook } from '../../core/contract/hooks.ts';

/** Annotations by which a control plane remembers what it is about to do. */
export const annotations = {
  /** On the control plane: the Machine being created, as JSON. */
  creating: common.creating,
  /** On the control plane: the remediation whose replacement was not created yet, as JSON. */
  remediationInProgress: 'controlplane.cluster.x-k8s.io/remediation-in-progress',
  /** On a Machine: the remediation it was created for, as JSON. */
  remediationFor: 'controlplane.cluster.x-k8s.io/remediation-for',
  skipKubeProxy: 'controlplane.cluster.x-k8s.io/skip-kube-proxy',
  skipCoreDns: 'controlplane.cluster.x-k8s.io/skip-coredns',
  certificatesExpiry: 'machine.cluster.x-k8s.io/certificates-expiry',
  /** Holds a deleted Machine until its etcd member is gone. */
  cleanupHook: etcdCleanupHook,
} as const;
