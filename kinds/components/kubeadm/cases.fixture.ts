/** Fields of kubeadm's documents, and values that it takes and refuses; `test/kubeadm` asks kubeadm v1.35. */

export type Kind = 'ClusterConfiguration' | 'InitConfiguration' | 'JoinConfiguration';

export interface FieldCase {
  kind: Kind;
  takes: object[];
  refuses: object[];
}

const token = { token: 'abcdef.0123456789abcdef' };
const discovery = (apiServerEndpoint: string) => ({
  discovery: { bootstrapToken: { ...token, apiServerEndpoint, unsafeSkipCAVerification: true } },
});
const joins = discovery('10.0.0.1:6443');
const network = (networking: object, args: object[] = []) => ({ networking, controllerManager: { extraArgs: args } });

export const fieldCases: readonly FieldCase[] = [
  {
    kind: 'ClusterConfiguration',
    takes: [
      network({ podSubnet: '192.168.0.0/16', serviceSubnet: '10.96.0.0/12', dnsDomain: 'cluster.local' }),
      network({ podSubnet: '192.168.7.1/16' }),
      network({ podSubnet: '10.0.0.0/24' }),
      network({ podSubnet: '10.0.0.0/8' }),
      network({ podSubnet: '10.96.0.0/16', serviceSubnet: '10.96.0.0/16' }),
      network({ podSubnet: '192.168.0.0/16,fd00::/56', serviceSubnet: '10.96.0.0/28' }),
      network({ podSubnet: '10.0.0.0/26' }, [{ name: 'node-cidr-mask-size-ipv4', value: '27' }]),
      network({ podSubnet: '10.0.0.0/25' }, [{ name: 'allocate-node-cidrs', value: 'false' }]),
      { apiServer: { certSANs: ['a.example.com', '*.example.com', '10.0.0.1', 'fd00::1', 'localhost'] } },
      { controlPlaneEndpoint: 'api.example.com' },
      { controlPlaneEndpoint: 'api.example.com:6443' },
      { controlPlaneEndpoint: '[fd00::1]:6443' },
      { imageRepository: 'registry.example.com:5000/kubernetes/images' },
      { certificatesDir: '/etc/pki', etcd: { local: { dataDir: '/var/lib/etcddisk' } } },
      { encryptionAlgorithm: 'ECDSA-P384' },
    ],
    refuses: [
      network({ podSubnet: '192.168.0.0' }),
      network({ podSubnet: '10.0.0.0/25' }),
      network({ podSubnet: '10.0.0.0/7' }),
      network({ podSubnet: '10.0.0.0/16,10.1.0.0/16' }),
      network({ serviceSubnet: '10.96.0.0/29' }),
      network({ serviceSubnet: '10.96.0.0/11' }),
      network({ serviceSubnet: 'fd00::/64' }),
      network({ dnsDomain: 'Cluster_local' }),
      { apiServer: { certSANs: ['my_host'] } },
      { apiServer: { certSANs: ['a.*.example.com'] } },
      { controlPlaneEndpoint: 'https://api.example.com:6443' },
      { controlPlaneEndpoint: 'api.example.com:70000' },
      { imageRepository: 'registry.example.com/Images' },
      { certificatesDir: 'pki' },
      { etcd: { local: { dataDir: 'etcd' } } },
      { etcd: { external: { endpoints: ['https://etcd:2379'], certFile: '/etcd.crt' } } },
      { encryptionAlgorithm: 'RSA-1024' },
    ],
  },
  {
    kind: 'InitConfiguration',
    takes: [
      { nodeRegistration: { name: 'Node-1', imagePullPolicy: 'Always' } },
      { nodeRegistration: { taints: [{ key: 'a', effect: 'Nope' }] } },
      { bootstrapTokens: [{ ...token, ttl: '0s', usages: ['signing', 'authentication'], groups: [] }] },
      { localAPIEndpoint: { advertiseAddress: '10.0.0.1', bindPort: 443 } },
      { certificateKey: 'a'.repeat(64) },
    ],
    refuses: [
      { nodeRegistration: { name: 'node_1' } },
      { nodeRegistration: { imagePullPolicy: 'Sometimes' } },
      { bootstrapTokens: [{ ...token, usages: ['nope'] }] },
      { bootstrapTokens: [{ ...token, groups: ['admins'] }] },
      { bootstrapTokens: [{ ...token, usages: ['signing'], groups: ['system:bootstrappers:a'] }] },
      { bootstrapTokens: [{ ...token, usages: ['signing'] }] },
      { localAPIEndpoint: { advertiseAddress: 'host' } },
      { localAPIEndpoint: { advertiseAddress: '10.0.0.1', bindPort: 70_000 } },
      { certificateKey: 'xyz' },
      { certificateKey: 'abcd' },
    ],
  },
  {
    kind: 'JoinConfiguration',
    takes: [joins, discovery('[fd00::1]:6443'), { ...joins, caCertPath: '/ca.crt' }],
    refuses: [
      discovery('10.0.0.1'),
      discovery('https://10.0.0.1:6443'),
      { ...joins, caCertPath: 'ca.crt' },
      { ...joins, caCertPath: '/ca.pem' },
      { ...joins, controlPlane: { certificateKey: 'abcd' } },
    ],
  },
];
