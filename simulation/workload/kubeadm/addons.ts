/** kube-proxy and CoreDNS, as kubeadm deploys them. */
import { stringify } from 'yaml';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { dnsImage } from './manifests.ts';

const namespace = 'kube-system';
const serviceAccount = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { namespace, name },
});

const kubeProxy = (cluster: ClusterConfig, server: string): KubeObject[] => {
  const labels = { 'k8s-app': 'kube-proxy' };
  const kubeconfig = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        cluster: { 'certificate-authority': '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt', server },
        name: 'default',
      },
    ],
    contexts: [{ context: { cluster: 'default', namespace: 'default', user: 'default' }, name: 'default' }],
    'current-context': 'default',
    users: [{ name: 'default', user: { tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token' } }],
  });
  return [
    serviceAccount('kube-proxy'),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: 'kube-proxy', labels: { app: 'kube-proxy' } },
      data: {
        'config.conf': stringify({
          apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
          kind: 'KubeProxyConfiguration',
          clientConnection: { kubeconfig: '/var/lib/kube-proxy/kubeconfig.conf' },
          clusterCIDR: cluster.podSubnet ?? '',
        }),
        'kubeconfig.conf': kubeconfig,
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { namespace, name: 'kube-proxy', labels },
      spec: {
        revisionHistoryLimit: 10,
        selector: { matchLabels: labels },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: 'kube-proxy',
                image: `${cluster.imageRepository}/kube-proxy:${cluster.kubernetesVersion}`,
                command: [
                  '/usr/local/bin/kube-proxy',
                  '--config=/var/lib/kube-proxy/config.conf',
                  '--hostname-override=$(NODE_NAME)',
                ],
                env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } } }],
                imagePullPolicy: 'IfNotPresent',
                securityContext: { privileged: true },
                volumeMounts: [
                  { mountPath: '/var/lib/kube-proxy', name: 'kube-proxy' },
                  { mountPath: '/run/xtables.lock', name: 'xtables-lock' },
                  { mountPath: '/lib/modules', name: 'lib-modules', readOnly: true },
                ],
              },
            ],
            hostNetwork: true,
            nodeSelector: { 'kubernetes.io/os': 'linux' },
            priorityClassName: 'system-node-critical',
            serviceAccountName: 'kube-proxy',
            tolerations: [{ operator: 'Exists' }],
            volumes: [
              { name: 'kube-proxy', configMap: { name: 'kube-proxy', defaultMode: 420 } },
              { name: 'xtables-lock', hostPath: { path: '/run/xtables.lock', type: 'FileOrCreate' } },
              { name: 'lib-modules', hostPath: { path: '/lib/modules', type: '' } },
            ],
          },
        },
      },
    },
  ];
};

const corefile = (domain: string): string => `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes ${domain} in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30 {
       disable success ${domain}
       disable denial ${domain}
    }
    loop
    reload
    loadbalance
}
`;

const coreDns = (cluster: ClusterConfig, clusterIP: string): KubeObject[] => {
  const labels = { 'k8s-app': 'kube-dns' };
  return [
    serviceAccount('coredns'),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: 'coredns' },
      data: { Corefile: corefile(cluster.dnsDomain) },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        namespace,
        name: 'kube-dns',
        labels: { ...labels, 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' },
        annotations: { 'prometheus.io/port': '9153', 'prometheus.io/scrape': 'true' },
      },
      spec: {
        type: 'ClusterIP',
        clusterIP,
        clusterIPs: [clusterIP],
        selector: labels,
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
          { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53 },
          { name: 'metrics', port: 9153, protocol: 'TCP', targetPort: 9153 },
        ],
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace, name: 'coredns', labels },
      spec: {
        replicas: 2,
        revisionHistoryLimit: 10,
        selector: { matchLabels: labels },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: 'coredns',
                image: dnsImage(cluster),
                args: ['-conf', '/etc/coredns/Corefile'],
                imagePullPolicy: 'IfNotPresent',
                ports: [
                  { containerPort: 53, name: 'dns', protocol: 'UDP' },
                  { containerPort: 53, name: 'dns-tcp', protocol: 'TCP' },
                  { containerPort: 9153, name: 'metrics', protocol: 'TCP' },
                ],
                resources: { limits: { memory: '170Mi' }, requests: { cpu: '100m', memory: '70Mi' } },
                volumeMounts: [{ mountPath: '/etc/coredns', name: 'config-volume', readOnly: true }],
              },
            ],
            dnsPolicy: 'Default',
            nodeSelector: { 'kubernetes.io/os': 'linux' },
            priorityClassName: 'system-cluster-critical',
            serviceAccountName: 'coredns',
            tolerations: [
              { key: 'CriticalAddonsOnly', operator: 'Exists' },
              { effect: 'NoSchedule', key: 'node-role.kubernetes.io/control-plane' },
            ],
            volumes: [
              {
                name: 'config-volume',
                configMap: { name: 'coredns', items: [{ key: 'Corefile', path: 'Corefile' }], defaultMode: 420 },
              },
            ],
          },
        },
      },
    },
  ];
};

export const addons = (cluster: ClusterConfig, server: string, dnsAddress: string): KubeObject[] => [
  ...(cluster.proxyDisabled ? [] : kubeProxy(cluster, server)),
  ...(cluster.dnsDisabled ? [] : coreDns(cluster, dnsAddress)),
];
