import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { KubeObject } from '../../machinery/api/object.ts';
import { expectedConfiguration, faultOfKubeadmConfig } from './kubeadm-config-map.ts';

const cluster = {
  spec: {
    controlPlaneEndpoint: { host: 'api.example.com', port: 6443 },
    clusterNetwork: {
      services: { cidrBlocks: ['10.96.0.0/16', 'fd00:1::/108'] },
      pods: { cidrBlocks: ['192.168.0.0/16'] },
      serviceDomain: 'cluster.local',
    },
  },
};
const stored = {
  apiVersion: 'kubeadm.k8s.io/v1beta4',
  kind: 'ClusterConfiguration',
  certificatesDir: '/etc/kubernetes/pki',
  controlPlaneEndpoint: 'api.example.com:6443',
  kubernetesVersion: 'v1.35.0',
  networking: { serviceSubnet: '10.96.0.0/16,fd00:1::/108', podSubnet: '192.168.0.0/16', dnsDomain: 'cluster.local' },
};
const faultOf = (document: object | string, of: { cluster?: object; controlPlane?: object } = {}) => {
  const text = typeof document === 'string' ? document : stringify(document, { version: '1.1' });
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kubeadm-config' },
    data: { ClusterConfiguration: text },
  } as KubeObject;
  return faultOfKubeadmConfig(configMap, expectedConfiguration(of.cluster ?? cluster, of.controlPlane ?? {}));
};
const ofKubeadm = (clusterConfiguration: object) => ({
  controlPlane: { spec: { kubeadmConfigSpec: { clusterConfiguration } } },
});

describe('hosts join with a ClusterConfiguration', () => {
  it.each<{ rule: string; document: object; of?: Parameters<typeof faultOf>[1] }>([
    { rule: 'as kubeadm stored it', document: stored },
    { rule: 'of an older API, which kubeadm converts', document: { ...stored, apiVersion: 'kubeadm.k8s.io/v1beta3' } },
    { rule: 'with fields that kubeadm does not know', document: { ...stored, note: 'by hand' } },
    { rule: 'whose endpoint has another case', document: { ...stored, controlPlaneEndpoint: 'API.example.com:6443' } },
    { rule: 'whose endpoint has kubeadm’s own port', document: { ...stored, controlPlaneEndpoint: 'api.example.com' } },
    { rule: 'whose version lacks the v', document: { ...stored, kubernetesVersion: '1.35.0' } },
    {
      rule: 'with the endpoint that the control plane names',
      document: { ...stored, controlPlaneEndpoint: 'internal.example.com:6443' },
      of: ofKubeadm({ controlPlaneEndpoint: 'internal.example.com:6443' }),
    },
    {
      rule: 'with kubeadm’s defaults, which the Cluster names too',
      document: { ...stored, networking: {} },
      of: {
        cluster: {
          spec: { ...cluster.spec, clusterNetwork: { services: { cidrBlocks: ['10.96.0.0/12'] } } },
        },
      },
    },
    {
      rule: 'of any network, if the Cluster names none',
      document: stored,
      of: { cluster: { spec: { controlPlaneEndpoint: cluster.spec.controlPlaneEndpoint } } },
    },
    {
      rule: 'of an address of IPv6',
      document: { ...stored, controlPlaneEndpoint: '[fd00::1]:6443' },
      of: { cluster: { spec: { controlPlaneEndpoint: { host: 'fd00::1', port: 6443 } } } },
    },
  ])('$rule', ({ document, of }) => expect(faultOf(document, of)).toBeUndefined());
});

describe('no host joins with a ClusterConfiguration', () => {
  const networking = (change: object) => ({ ...stored, networking: { ...stored.networking, ...change } });
  it.each<{ rule: string; document: object | string; of?: Parameters<typeof faultOf>[1]; says: string }>([
    { rule: 'that is not YAML', document: 'apiServer: [broken', says: 'has no valid YAML' },
    { rule: 'that is no mapping', document: 'a text', says: 'has no valid YAML' },
    { rule: 'that is another mapping', document: { a: 1 }, says: 'no ClusterConfiguration of kubeadm.k8s.io' },
    {
      rule: 'of another kind',
      document: { ...stored, kind: 'JoinConfiguration' },
      says: 'no ClusterConfiguration of kubeadm.k8s.io',
    },
    {
      rule: 'of another API',
      document: { ...stored, apiVersion: 'kubelet.config.k8s.io/v1beta1' },
      says: 'no ClusterConfiguration of kubeadm.k8s.io',
    },
    {
      rule: 'with a field of another type',
      document: { ...stored, networking: '10.0.0.0/8' },
      says: 'has a field networking that is no mapping',
    },
    {
      rule: 'with a list for a text',
      document: { ...stored, controlPlaneEndpoint: ['api.example.com'] },
      says: 'has a field controlPlaneEndpoint that is no text',
    },
    {
      rule: 'with another endpoint',
      document: { ...stored, controlPlaneEndpoint: 'old.example.com:6443' },
      says: 'names the controlPlaneEndpoint old.example.com:6443, and the Cluster api.example.com:6443',
    },
    {
      rule: 'with another port',
      document: { ...stored, controlPlaneEndpoint: 'api.example.com:443' },
      says: 'names the controlPlaneEndpoint api.example.com:443',
    },
    {
      rule: 'without an endpoint',
      document: { ...stored, controlPlaneEndpoint: undefined },
      says: 'names no controlPlaneEndpoint',
    },
    {
      rule: 'with a version that is none',
      document: { ...stored, kubernetesVersion: 'newest' },
      says: 'has the kubernetesVersion newest, which is no version',
    },
    {
      rule: 'with certificates elsewhere',
      document: { ...stored, certificatesDir: '/pki' },
      says: 'has the certificatesDir /pki, and the control plane /etc/kubernetes/pki',
    },
    {
      rule: 'with other services',
      document: networking({ serviceSubnet: '10.0.0.0/16' }),
      says: 'has the networking.serviceSubnet 10.0.0.0/16, and the Cluster 10.96.0.0/16,fd00:1::/108',
    },
    {
      rule: 'without pods',
      document: networking({ podSubnet: undefined }),
      says: 'has the networking.podSubnet "", and the Cluster 192.168.0.0/16',
    },
    {
      rule: 'with another domain',
      document: networking({ dnsDomain: 'example.internal' }),
      says: 'has the networking.dnsDomain example.internal, and the Cluster cluster.local',
    },
    {
      rule: 'with a subnet that is none',
      document: networking({ podSubnet: '192.168.0.0/33' }),
      of: { cluster: { spec: { controlPlaneEndpoint: cluster.spec.controlPlaneEndpoint } } },
      says: 'has the networking.podSubnet 192.168.0.0/33, which is no list of CIDR blocks',
    },
  ])('$rule', ({ document, of, says }) => expect(faultOf(document, of)).toContain(says));

  it('that does not exist', () =>
    expect(faultOfKubeadmConfig(undefined, expectedConfiguration(cluster, {}))).toBe(
      'does not exist, and no host joins without it',
    ));
});
