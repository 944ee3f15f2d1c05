import { annotations as common } from '../../common/labels.ts';
import { etcdCleanupHook } from '../../core/contract/hooks.ts';

/** Annotations in which a control plane records its next steps. */
export const annotations = {
  /** On the control plane: the Machine being created, as JSON. */
  creating: common.creating,
  /** On the control plane: the remediation whose replacement was not created yet, as JSON. */
  remediationInProgress: 'controlplane.cluster.x-k8s.io/remediation-in-progress',
  /** On a Machine: the remediation that it was created for, as JSON. */
  remediationFor: 'controlplane.cluster.x-k8s.io/remediation-for',
  /** On the control plane: kubeadm's ConfigMap before a rollout changed it, as JSON. */
  kubeadmConfigBefore: 'capstan.dev/kubeadm-config-before',
  skipKubeProxy: 'controlplane.cluster.x-k8s.io/skip-kube-proxy',
  skipCoreDns: 'controlplane.cluster.x-k8s.io/skip-coredns',
  certificatesExpiry: 'machine.cluster.x-k8s.io/certificates-expiry',
  /** Holds a deleted Machine until its etcd member is gone. */
  cleanupHook: etcdCleanupHook,
} as const;
