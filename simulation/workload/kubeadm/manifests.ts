/** The static pod manifests that kubeadm writes, and the images of each Kubernetes release. */
import type { StaticPod } from '../records.ts';
import type { ClusterConfig } from './cluster-config.ts';
import type { LocalEndpoint } from './config.ts';
import { parseVersion } from './version.ts';

/** The etcd version that kubeadm deploys since each minor release, newest last. */
const etcdTags: [number, string][] = [
  [22, '3.5.0-0'],
  [24, '3.5.3-0'],
  [25, '3.5.4-0'],
  [27, '3.5.7-0'],
  [28, '3.5.9-0'],
  [29, '3.5.10-0'],
  [30, '3.5.12-0'],
  [31, '3.5.15-0'],
  [32, '3.5.16-0'],
  [33, '3.5.21-0'],
  [34, '3.6.4-0'],
  [35, '3.6.6-0'],
  [36, '3.6.8-0'],
  [37, '3.7.0-0'],
];
const dnsTags: [number, string][] = [
  [22, 'v1.8.4'],
  [23, 'v1.8.6'],
  [25, 'v1.9.3'],
  [27, 'v1.10.1'],
  [29, 'v1.11.1'],
  [31, 'v1.11.3'],
  [33, 'v1.12.0'],
  [34, 'v1.12.1'],
  [35, 'v1.13.1'],
];
const tagFor = (table: [number, string][], version: string): string => {
  const { minor } = parseVersion(version)!;
  return (table.filter(([since]) => since <= minor).at(-1) ?? table[0]!)[1];
};

export const etcdTag = (cluster: ClusterConfig): string =>
  cluster.etcdImageTag ?? tagFor(etcdTags, cluster.kubernetesVersion!);
export const dnsImage = (cluster: ClusterConfig): string => {
  const { imageRepository, imageTag } = cluster.dnsImage;
  const repository =
    imageRepository ??
    (cluster.imageRepository === 'registry.k8s.io' ? 'registry.k8s.io/coredns' : cluster.imageRepository);
  return `${repository}/coredns:${imageTag ?? tagFor(dnsTags, cluster.kubernetesVersion!)}`;
};

const flags = (program: string, defaults: Record<string, string>, extra: Record<string, string>): string[] => [
  program,
  ...Object.entries({ ...defaults, ...extra })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `--${name}=${value}`),
];

/** What kubeadm gives etcd besides: by the image in the releases that deploy either. */
const etcdFlags = (version: string, tag: string): Record<string, string> => {
  const { minor = 0 } = parseVersion(version) ?? {};
  const isGated = minor >= 36 || (minor >= 34 && !/^v?3\.[0-5]\./.test(tag));
  return isGated
    ? { 'feature-gates': 'InitialCorruptCheck=true', 'watch-progress-notify-interval': '5s' }
    : { 'experimental-initial-corrupt-check': 'true', 'experimental-watch-progress-notify-interval': '5s' };
};

/** By component. `peers` are the etcd members including this one, as name=URL. */
export const manifestsOf = (
  cluster: ClusterConfig,
  endpoint: Required<LocalEndpoint>,
  nodeName: string,
  peers: string[],
): Record<string, StaticPod> => {
  const { kubernetesVersion: version = '', imageRepository, certificatesDir: pki, extraArgs } = cluster;
  const mounts = (component: keyof ClusterConfig['extraVolumes']) => {
    const extra = cluster.extraVolumes[component];
    return extra.length > 0 ? { mounts: extra } : {};
  };
  const image = (name: string) => `${imageRepository}/${name}:${version}`;
  const { advertiseAddress, bindPort } = endpoint;
  const { minor = 0 } = parseVersion(version) ?? {};
  const hasAuthorizationConfig = minor >= 30 && extraArgs.apiServer['authorization-config'] !== undefined;
  const podNetwork: Record<string, string> = cluster.podSubnet
    ? { 'allocate-node-cidrs': 'true', 'cluster-cidr': cluster.podSubnet }
    : {};
  return {
    'kube-apiserver': {
      ...mounts('apiServer'),
      image: image('kube-apiserver'),
      command: flags(
        'kube-apiserver',
        {
          'advertise-address': advertiseAddress,
          'allow-privileged': 'true',
          ...(hasAuthorizationConfig ? {} : { 'authorization-mode': 'Node,RBAC' }),
          'client-ca-file': `${pki}/ca.crt`,
          'enable-admission-plugins': 'NodeRestriction',
          'enable-bootstrap-token-auth': 'true',
          'etcd-servers': 'https://127.0.0.1:2379',
          'secure-port': String(bindPort),
          'service-account-issuer': `https://kubernetes.default.svc.${cluster.dnsDomain}`,
          'service-cluster-ip-range': cluster.serviceSubnet,
          'tls-cert-file': `${pki}/apiserver.crt`,
        },
        extraArgs.apiServer,
      ),
    },
    'kube-controller-manager': {
      ...mounts('controllerManager'),
      image: image('kube-controller-manager'),
      command: flags(
        'kube-controller-manager',
        {
          ...podNetwork,
          'bind-address': '127.0.0.1',
          'cluster-name': cluster.clusterName,
          controllers: '*,bootstrapsigner,tokencleaner',
          'leader-elect': 'true',
          'service-cluster-ip-range': cluster.serviceSubnet,
          'use-service-account-credentials': 'true',
        },
        extraArgs.controllerManager,
      ),
    },
    'kube-scheduler': {
      ...mounts('scheduler'),
      image: image('kube-scheduler'),
      command: flags('kube-scheduler', { 'bind-address': '127.0.0.1', 'leader-elect': 'true' }, extraArgs.scheduler),
    },
    etcd: {
      image: `${imageRepository}/etcd:${etcdTag(cluster)}`,
      command: flags(
        'etcd',
        {
          ...etcdFlags(version, etcdTag(cluster)),
          'advertise-client-urls': `https://${advertiseAddress}:2379`,
          'data-dir': cluster.etcdDataDir,
          'initial-cluster': peers.join(','),
          name: nodeName,
          'trusted-ca-file': `${pki}/etcd/ca.crt`,
        },
        extraArgs.etcd,
      ),
    },
  };
};
