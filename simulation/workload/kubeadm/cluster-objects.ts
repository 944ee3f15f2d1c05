/** The objects that `kubeadm init` creates in a new cluster. */

import { stringify } from 'yaml';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { discoveryKubeconfig, tokenType } from '../cluster-info.ts';
import { addons } from './addons.ts';
import type { ClusterConfig } from './cluster-config.ts';
import type { BootstrapToken } from './config.ts';
import { accessRules } from './rbac.ts';

const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

const configMap = (namespace: string, name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
  data,
});

export const tokenSecret = ({ id, secret, description, expires, usages, groups }: BootstrapToken): KubeObject => {
  const text = {
    'token-id': id,
    'token-secret': secret,
    ...(description && { description }),
    ...(expires !== undefined && { expiration: timestamp(expires) }),
    ...Object.fromEntries(usages.map((usage) => [`usage-bootstrap-${usage}`, 'true'])),
    'auth-extra-groups': groups.join(','),
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'kube-system', name: `bootstrap-token-${id}` },
    type: tokenType,
    data: Object.fromEntries(Object.entries(text).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  };
};

/** What kubeadm stores: the given configuration with defaults, in its original API version. */
const storedConfiguration = (cluster: ClusterConfig): string => {
  const { networking, etcd, ...given } = cluster.document;
  return stringify({
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    kind: 'ClusterConfiguration',
    ...given,
    certificatesDir: cluster.certificatesDir,
    clusterName: cluster.clusterName,
    ...(cluster.controlPlaneEndpoint && { controlPlaneEndpoint: cluster.controlPlaneEndpoint }),
    etcd: etcd ?? { local: { dataDir: '/var/lib/etcd' } },
    imageRepository: cluster.imageRepository,
    kubernetesVersion: cluster.kubernetesVersion,
    networking: {
      dnsDomain: cluster.dnsDomain,
      serviceSubnet: cluster.serviceSubnet,
      ...(networking as object | undefined),
    },
  });
};

const kubeletConfiguration = (cluster: ClusterConfig, dns: string): string =>
  stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${cluster.certificatesDir}/ca.crt` },
    },
    authorization: { mode: 'Webhook' },
    cgroupDriver: 'systemd',
    clusterDNS: [dns],
    clusterDomain: cluster.dnsDomain,
    rotateCertificates: true,
    staticPodPath: '/etc/kubernetes/manifests',
  });

export interface ClusterObjectsRequest {
  cluster: ClusterConfig;
  /** https://host:port of the control plane. */
  server: string;
  caCertificate: string;
  tokens: BootstrapToken[];
}

/** In the order in which they can be created. */
export const clusterObjects = ({ cluster, server, caCertificate, tokens }: ClusterObjectsRequest): KubeObject[] => {
  const [network = '10.96.0.0'] = cluster.serviceSubnet.split(/[/,]/);
  const address = (last: number) => network.replace(/\d+$/, String(last));
  return [
    ...namespaces.map((name): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        namespace: 'default',
        name: 'kubernetes',
        labels: { component: 'apiserver', provider: 'kubernetes' },
      },
      spec: {
        type: 'ClusterIP',
        clusterIP: address(1),
        clusterIPs: [address(1)],
        ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
      },
    },
    ...(
      [
        ['system-cluster-critical', 2_000_000_000],
        ['system-node-critical', 2_000_001_000],
      ] as const
    ).map(
      ([name, value]): KubeObject => ({
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name },
        value,
        preemptionPolicy: 'PreemptLowerPriority',
      }),
    ),
    ...accessRules(),
    configMap('kube-system', 'extension-apiserver-authentication', { 'client-ca-file': caCertificate }),
    configMap('kube-public', 'cluster-info', { kubeconfig: discoveryKubeconfig(server, caCertificate) }),
    ...tokens.map(tokenSecret),
    configMap('kube-system', 'kubelet-config', { kubelet: kubeletConfiguration(cluster, address(10)) }),
    ...addons(cluster, server, address(10)),
    // The control plane counts as initialised once this exists, so it comes last.
    configMap('kube-system', 'kubeadm-config', { ClusterConfiguration: storedConfiguration(cluster) }),
  ];
};
