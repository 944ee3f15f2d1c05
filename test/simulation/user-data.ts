/** User data as the KubeadmConfig controller renders it and the AWSMachine controller wraps it. */
import { gzipSync } from 'node:zlib';
import { stringify } from 'yaml';

export interface Certificates {
  ca: { certificate: string; key: string };
  etcd: { certificate: string; key: string };
  proxy: { certificate: string; key: string };
  sa: { publicKey: string; privateKey: string };
}

const file = (path: string, content: string, permissions = '0640') => ({
  path,
  owner: 'root:root',
  permissions,
  content,
});

const certificateFiles = ({ ca, etcd, proxy, sa }: Certificates) =>
  [
    ['ca.crt', ca.certificate],
    ['ca.key', ca.key],
    ['etcd/ca.crt', etcd.certificate],
    ['etcd/ca.key', etcd.key],
    ['front-proxy-ca.crt', proxy.certificate],
    ['front-proxy-ca.key', proxy.key],
    ['sa.pub', sa.publicKey],
    ['sa.key', sa.privateKey],
  ].map(([name, content]) => file(`/etc/kubernetes/pki/${name}`, content!, name!.endsWith('key') ? '0600' : '0640'));

const cloudConfig = (files: object[], commands: string[]): string =>
  `## template: jinja\n#cloud-config\n\n${stringify({ write_files: files, runcmd: commands })}`;

const placeholder = file(
  '/run/cluster-api/placeholder',
  'This placeholder file is used to create the /run/cluster-api sub directory in a way that is compatible with both Linux and Windows',
);
const sentinel = '&& echo success > /run/cluster-api/bootstrap-success.complete';

const external = [{ name: 'cloud-provider', value: 'external' }];
const registration = (externalCloud: boolean) => ({
  name: '{{ ds.meta_data.local_hostname }}',
  ...(externalCloud && { kubeletExtraArgs: external }),
});

export interface InitOptions {
  certificates: Certificates;
  endpoint: string;
  version?: string;
  externalCloud?: boolean;
  /** Merged into the ClusterConfiguration. */
  cluster?: object;
  /** Merged into the nodeRegistration of the InitConfiguration. */
  node?: object;
}

export const initUserData = ({
  certificates,
  endpoint,
  version = 'v1.35.0',
  externalCloud = false,
  cluster = {},
  node = {},
}: InitOptions): string => {
  const documents = [
    {
      apiVersion: 'kubeadm.k8s.io/v1beta4',
      kind: 'ClusterConfiguration',
      clusterName: 'test',
      controlPlaneEndpoint: endpoint,
      kubernetesVersion: version,
      networking: { dnsDomain: 'cluster.local', podSubnet: '192.168.0.0/16', serviceSubnet: '10.96.0.0/12' },
      ...cluster,
    },
    {
      apiVersion: 'kubeadm.k8s.io/v1beta4',
      kind: 'InitConfiguration',
      nodeRegistration: { ...registration(externalCloud), ...node },
    },
  ];
  const source = documents.map((document) => `---\n${stringify(document)}`).join('');
  const files = [...certificateFiles(certificates), file('/run/kubeadm/kubeadm.yaml', source), placeholder];
  return cloudConfig(files, [`kubeadm init --config /run/kubeadm/kubeadm.yaml  ${sentinel}`]);
};

export interface JoinOptions {
  endpoint: string;
  token: string;
  hash: string;
  /** Joins as a control plane when present. */
  certificates?: Certificates;
  externalCloud?: boolean;
  taints?: object[];
  /** Merged into the JoinConfiguration. */
  document?: object;
}

export const joinUserData = ({
  endpoint,
  token,
  hash,
  certificates,
  externalCloud = false,
  taints,
  document: overlay,
}: JoinOptions): string => {
  const document = {
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    kind: 'JoinConfiguration',
    ...(certificates && { controlPlane: { localAPIEndpoint: {} } }),
    discovery: { bootstrapToken: { apiServerEndpoint: endpoint, caCertHashes: [hash], token } },
    nodeRegistration: { ...registration(externalCloud), ...(taints && { taints }) },
    ...overlay,
  };
  const files = [
    ...(certificates ? certificateFiles(certificates) : []),
    file('/run/kubeadm/kubeadm-join-config.yaml', stringify(document)),
    placeholder,
  ];
  return cloudConfig(files, [`kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml  ${sentinel}`]);
};

/** The one-time secrets of a document, and the user data that refers to them. */
export const secretPointer = (document: string, region: string, prefix: string, chunk = 2000) => {
  const packed = gzipSync(document);
  const chunks = Array.from(
    { length: Math.ceil(packed.length / chunk) },
    (_, index) => new Uint8Array(packed.subarray(index * chunk, (index + 1) * chunk)),
  );
  const script = `#!/bin/bash\nset -o errexit\nREGION="${region}"\nSECRET_PREFIX="${prefix}"\nCHUNKS="${chunks.length}"\naws secretsmanager get-secret-value --region "$REGION"\naws secretsmanager delete-secret --region "$REGION"\nsystemctl restart cloud-init\n`;
  const part = (type: string, body: string) =>
    `--==BOUNDARY==\nContent-Type: ${type}; charset="us-ascii"\nMIME-Version: 1.0\n\n${body}\n`;
  const userData = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="==BOUNDARY=="\n\n${part('text/cloud-boothook', script)}${part('text/x-include-url', 'file:///etc/secret-userdata.txt')}--==BOUNDARY==--\n`;
  return { userData, secrets: new Map(chunks.map((data, index) => [`${prefix}-${index}`, data])) };
};
