/**
 * What of a cluster's objects belongs to its hosts and certificates, so that another cluster which
 * begins with a copy must not act on it. Keys are those of the API server in etcd. Pure.
 */
import type { Exclusion } from '../../ports/snapshots.ts';

/** A string field of a message in protobuf, as its bytes begin. */
const field = (number: number, text: string): string => `${String.fromCharCode(number * 8 + 2, text.length)}${text}`;

/** A Service of this type in protobuf (spec.type is field 4), and in JSON. */
const balanced = [field(4, 'LoadBalancer'), '"type":"LoadBalancer"', 'service.kubernetes.io/load-balancer-cleanup'];
const tokenType = 'kubernetes.io/service-account-token';

/** What the new cluster's own hosts and control plane make again. */
export const remadeExclusions: readonly Exclusion[] = [
  { what: 'Nodes', keys: ['minions'] },
  { what: 'CSINodes', keys: ['csinodes'] },
  { what: 'Leases', keys: ['leases', 'masterleases'] },
  { what: 'Pods', keys: ['pods'] },
  { what: 'Events', keys: ['events'] },
  {
    what: 'endpoints of the API server',
    keys: ['services/endpoints/default/kubernetes', 'endpointslices/default/kubernetes'],
  },
  { what: 'CertificateSigningRequests', keys: ['certificatesigningrequests'] },
  {
    what: 'ConfigMaps of certificates and of kubeadm',
    keys: [
      'configmaps/kube-public/cluster-info',
      'configmaps/kube-system/kubeadm-config',
      'configmaps/kube-system/kubelet-config',
      'configmaps/kube-system/extension-apiserver-authentication',
    ],
  },
  {
    what: 'join tokens and certificates of kubeadm',
    keys: ['secrets/kube-system/bootstrap-token-*', 'secrets/kube-system/kubeadm-certs'],
  },
];

/** What every cluster leaves behind, whatever its infrastructure. */
export const commonExclusions: readonly Exclusion[] = [
  ...remadeExclusions,
  {
    what: 'Secrets with tokens of ServiceAccounts',
    keys: ['secrets'],
    values: [field(3, tokenType), `"type":"${tokenType}"`],
    // The new cluster's API server refuses them by their signature.
    mayStay: true,
  },
  { what: 'Services of type LoadBalancer', keys: ['services/specs'], values: balanced },
  { what: 'PersistentVolumes', keys: ['persistentvolumes'] },
  { what: 'VolumeAttachments', keys: ['volumeattachments'] },
  { what: 'VolumeSnapshotContents', keys: ['snapshot.storage.k8s.io/volumesnapshotcontents'] },
];

/** `path`: as a user names it, such as `deployments/kube-system/external-dns`. */
export const exclusionOf = (path: string): Exclusion => ({ what: path, keys: [path] });
