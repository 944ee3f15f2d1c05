/** Reads the file of `kubeadm init --config` or `join --config` and checks it as kubeadm does. */
import { isIP } from 'node:net';
import { yamlDocuments } from '../../../machinery/api/yaml.ts';
import { kubeadmApi, sinceMinor } from './api.ts';
import { faultsOf } from './shape.ts';
import { type KubernetesVersion, parseVersion } from './version.ts';

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}
export interface NodeRegistration {
  name?: string;
  criSocket: string;
  /** Undefined: the default of the node's role. */
  taints?: Taint[];
  kubeletArgs: Record<string, string>;
}
export interface BootstrapToken {
  id: string;
  secret: string;
  description?: string;
  /** Milliseconds since the epoch; undefined = never. */
  expires?: number;
  usages: string[];
  groups: string[];
}
export interface LocalEndpoint {
  advertiseAddress?: string;
  bindPort: number;
}
/** The parts of a ClusterConfiguration that change what happens; `document` is the whole of it, as given. */
export interface ClusterConfig {
  document: Record<string, unknown>;
  kubernetesVersion?: string;
  clusterName: string;
  controlPlaneEndpoint?: string;
  certSANs: string[];
  serviceSubnet: string;
  podSubnet?: string;
  dnsDomain: string;
  imageRepository: string;
  etcdImageTag?: string;
  dnsImage: { imageRepository?: string; imageTag?: string };
  externalEtcd: boolean;
  extraArgs: Record<'apiServer' | 'controllerManager' | 'scheduler' | 'etcd', Record<string, string>>;
  certificatesDir: string;
  featureGates: Record<string, boolean>;
  proxyDisabled: boolean;
  dnsDisabled: boolean;
}
export interface InitConfig {
  cluster: ClusterConfig;
  node: NodeRegistration;
  endpoint: LocalEndpoint;
  tokens: BootstrapToken[];
  skipPhases: string[];
}
export interface JoinConfig {
  node: NodeRegistration;
  discovery: {
    apiServerEndpoint: string;
    token: { id: string; secret: string };
    tlsToken: { id: string; secret: string };
    caCertHashes: string[];
    skipVerification: boolean;
    /** A kubeconfig on the node, instead of a token. */
    kubeConfigPath?: string;
    /** Milliseconds. */
    timeout: number;
  };
  controlPlane?: LocalEndpoint;
}

type Fields = Record<string, unknown>;
const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const textList = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
const isSubdomain = (name: string) =>
  name.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);

/** Nothing is done with a file that has any of these; the message is kubeadm's. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const units: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 0.001, µs: 0.001, ns: 0.000_001 };
const milliseconds = (duration: string | undefined): number | undefined => {
  if (duration === undefined) return undefined;
  let sum = 0;
  for (const [, amount, unit] of duration.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g))
    sum += Number(amount) * units[unit!]!;
  return sum;
};

/** Arguments of both API versions: a map, or a list of pairs. */
const argsOf = (value: unknown): Record<string, string> =>
  Array.isArray(value)
    ? Object.fromEntries(value.map((pair) => [String(fields(pair).name), String(fields(pair).value ?? '')]))
    : Object.fromEntries(Object.entries(fields(value)).map(([name, text]) => [name, String(text)]));

export const parseToken = (token: unknown): { id: string; secret: string } | undefined => {
  const [, id, secret] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(typeof token === 'string' ? token : '') ?? [];
  return id && secret ? { id, secret } : undefined;
};

/** Every document of the file by kind; those of kubeadm are checked field by field. */
const documentsOf = (source: string, kubeadm: KubernetesVersion): Map<string, Fields> => {
  const found = new Map<string, Fields>();
  for (const document of yamlDocuments(source)) {
    const [fault] = document.errors;
    if (fault) throw new ConfigError(`error converting YAML to JSON: yaml: ${fault.message}`);
    const value: unknown = document.toJS();
    if (value === null || value === undefined) continue;
    const { apiVersion, kind } = fields(value);
    if (typeof apiVersion !== 'string' || typeof kind !== 'string')
      throw new ConfigError(
        'invalid configuration: kind and apiVersion is mandatory information that must be specified',
      );
    if (found.has(kind)) throw new ConfigError(`invalid configuration: kind "${kind}" is specified twice in YAML file`);
    found.set(kind, fields(value));
    if (!apiVersion.startsWith('kubeadm.k8s.io/')) continue;
    const shape = kubeadmApi[apiVersion]?.[kind];
    if (!shape || kubeadm.minor < (sinceMinor[apiVersion] ?? 0))
      throw new ConfigError(
        `no kind "${kind}" is registered for version "${apiVersion}" in scheme "k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm/scheme/scheme.go:31"`,
      );
    const faults = faultsOf(value, shape);
    if (faults.length)
      throw new ConfigError(
        `error unmarshaling configuration schema.GroupVersionKind{Group:"kubeadm.k8s.io", Version:"${apiVersion.slice(15)}", Kind:"${kind}"}: strict decoding error: ${faults.join(', ')}`,
      );
  }
  return found;
};

const nodeOf = (value: unknown): NodeRegistration => {
  const node = fields(value);
  const name = textOf(node.name);
  if (name !== undefined && !isSubdomain(name))
    throw new ConfigError(
      `nodeRegistration.name: Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`,
    );
  const taints = Array.isArray(node.taints) ? (node.taints as Taint[]) : undefined;
  for (const taint of taints ?? [])
    if (!taint.key || !['NoSchedule', 'PreferNoSchedule', 'NoExecute'].includes(taint.effect))
      throw new ConfigError(`nodeRegistration.taints: Invalid value: ${JSON.stringify(taint)}`);
  return {
    ...(name !== undefined && { name }),
    criSocket: textOf(node.criSocket) ?? 'unix:///var/run/containerd/containerd.sock',
    ...(taints && { taints }),
    kubeletArgs: argsOf(node.kubeletExtraArgs),
  };
};

const endpointOf = (value: unknown): LocalEndpoint => {
  const { advertiseAddress, bindPort } = fields(value);
  const address = textOf(advertiseAddress);
  if (address !== undefined && !isIP(address))
    throw new ConfigError(`localAPIEndpoint: Invalid value: "${address}": ip address is not valid`);
  return {
    ...(address !== undefined && { advertiseAddress: address }),
    bindPort: typeof bindPort === 'number' && bindPort > 0 ? bindPort : 6443,
  };
};

const checkCidrs = (path: string, value: string | undefined): void => {
  for (const cidr of value?.split(',') ?? []) {
    const [address = '', bits] = cidr.split('/');
    if (!isIP(address) || bits === undefined || !/^\d{1,3}$/.test(bits))
      throw new ConfigError(`${path}: Invalid value: "${cidr}": couldn't parse subnet`);
  }
};

/** Also reads the ClusterConfiguration that kubeadm keeps in its ConfigMap. */
export const clusterConfigOf = (document: Fields): ClusterConfig => {
  const { networking, dns, etcd, apiServer, controllerManager, scheduler, proxy, featureGates } = document;
  const { serviceSubnet, podSubnet, dnsDomain } = fields(networking);
  const { local, external } = fields(etcd);
  checkCidrs('networking.serviceSubnet', textOf(serviceSubnet));
  checkCidrs('networking.podSubnet', textOf(podSubnet));
  if (local && external)
    throw new ConfigError('etcd: Invalid value: "": must specify only one of etcd.local and etcd.external');
  const optional = {
    kubernetesVersion: textOf(document.kubernetesVersion),
    controlPlaneEndpoint: textOf(document.controlPlaneEndpoint),
    podSubnet: textOf(podSubnet),
    etcdImageTag: textOf(fields(local).imageTag),
  };
  return {
    document,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    clusterName: textOf(document.clusterName) ?? 'kubernetes',
    certSANs: textList(fields(apiServer).certSANs),
    serviceSubnet: textOf(serviceSubnet) ?? '10.96.0.0/12',
    dnsDomain: textOf(dnsDomain) ?? 'cluster.local',
    imageRepository: textOf(document.imageRepository) ?? 'registry.k8s.io',
    dnsImage: fields(dns) as ClusterConfig['dnsImage'],
    externalEtcd: external !== undefined && external !== null,
    extraArgs: {
      apiServer: argsOf(fields(apiServer).extraArgs),
      controllerManager: argsOf(fields(controllerManager).extraArgs),
      scheduler: argsOf(fields(scheduler).extraArgs),
      etcd: argsOf(fields(local).extraArgs),
    },
    certificatesDir: textOf(document.certificatesDir) ?? '/etc/kubernetes/pki',
    featureGates: fields(featureGates) as Record<string, boolean>,
    proxyDisabled: fields(proxy).disabled === true,
    dnsDisabled: fields(dns).disabled === true,
  };
};

const day = 24 * 3_600_000;
const tokenOf = (value: unknown, now: number): BootstrapToken => {
  const given = fields(value);
  const token = parseToken(given.token);
  if (!token)
    throw new ConfigError(
      `bootstrapTokens: Invalid value: the bootstrap token ${JSON.stringify(given.token ?? '')} was not of the form "[a-z0-9]{6}\\.[a-z0-9]{16}"`,
    );
  const ttl = milliseconds(textOf(given.ttl));
  const until = textOf(given.expires);
  const expires = until ? Date.parse(until) : ttl === 0 ? undefined : now + (ttl ?? day);
  return {
    ...token,
    ...(textOf(given.description) && { description: String(given.description) }),
    ...(expires !== undefined && { expires }),
    usages: given.usages ? textList(given.usages) : ['signing', 'authentication'],
    groups: given.groups ? textList(given.groups) : ['system:bootstrappers:kubeadm:default-node-token'],
  };
};

/** `kubeadm` is the version of the program that reads it; `now` in milliseconds. Throws ConfigError. */
export const readInitConfig = (source: string, kubeadm: KubernetesVersion, now: number): InitConfig => {
  const documents = documentsOf(source, kubeadm);
  const init = documents.get('InitConfiguration') ?? {};
  if (!documents.has('InitConfiguration') && !documents.has('ClusterConfiguration'))
    throw new ConfigError('no InitConfiguration or ClusterConfiguration kind was found in the YAML file');
  const cluster = clusterConfigOf(documents.get('ClusterConfiguration') ?? {});
  if (cluster.externalEtcd)
    throw new ConfigError(
      '[preflight] Some fatal errors occurred:\n\t[ERROR ExternalEtcdVersion]: no external etcd can be reached from this machine',
    );
  const wanted = cluster.kubernetesVersion === undefined ? kubeadm : parseVersion(cluster.kubernetesVersion);
  if (!wanted)
    throw new ConfigError(
      `couldn't parse Kubernetes version "${cluster.kubernetesVersion}": could not parse as version`,
    );
  if (wanted.minor > kubeadm.minor)
    throw new ConfigError(
      `this version of kubeadm only supports deploying clusters with the control plane version >= 1.${kubeadm.minor - 1}.0 and <= 1.${kubeadm.minor}. Current version: ${wanted.text}`,
    );
  if (wanted.minor < kubeadm.minor - 1)
    throw new ConfigError(
      `this version of kubeadm only supports deploying clusters with the control plane version >= 1.${kubeadm.minor - 1}.0. Current version: ${wanted.text}`,
    );
  if (wanted.minor < kubeadm.minor)
    throw new ConfigError(
      `[preflight] Some fatal errors occurred:\n\t[ERROR KubeletVersion]: the kubelet version is higher than the control plane version. This is not a supported version skew and may lead to a malfunctional cluster. Kubelet version: "${kubeadm.text.slice(1)}" Control plane version: "${wanted.text.slice(1)}"`,
    );
  return {
    cluster: { ...cluster, kubernetesVersion: wanted.text },
    node: nodeOf(init.nodeRegistration),
    endpoint: endpointOf(init.localAPIEndpoint),
    tokens: (Array.isArray(init.bootstrapTokens) ? init.bootstrapTokens : []).map((token) => tokenOf(token, now)),
    skipPhases: textList(init.skipPhases),
  };
};

const defaultDiscovery = 5 * 60_000;

const discoveryOf = (join: Fields): JoinConfig['discovery'] => {
  const discovery = fields(join.discovery);
  const { bootstrapToken, file } = discovery;
  if (!bootstrapToken && !file)
    throw new ConfigError('discovery: Invalid value: "": bootstrapToken or file must be set');
  if (bootstrapToken && file)
    throw new ConfigError('discovery: Invalid value: "": bootstrapToken and file cannot both be set');
  const given = fields(bootstrapToken);
  const tokenText = given.token ?? discovery.tlsBootstrapToken;
  const token = parseToken(tokenText);
  if (!token && !file)
    throw new ConfigError(
      'discovery.bootstrapToken.token: Invalid value: the bootstrap token is invalid: must be of the form "[a-z0-9]{6}\\.[a-z0-9]{16}"',
    );
  const apiServerEndpoint = textOf(given.apiServerEndpoint);
  if (!apiServerEndpoint && !file)
    throw new ConfigError('discovery.bootstrapToken: Required value: APIServerEndpoint is not set');
  const caCertHashes = textList(given.caCertHashes);
  const bad = caCertHashes.find((hash) => !/^sha256:[0-9a-fA-F]{64}$/.test(hash));
  if (bad !== undefined) throw new ConfigError(`discovery.bootstrapToken.caCertHashes: invalid hash "${bad}"`);
  const skipVerification = given.unsafeSkipCAVerification === true;
  if (!file && caCertHashes.length === 0 && !skipVerification)
    throw new ConfigError(
      'discovery.bootstrapToken: Invalid value: "": using token-based discovery without caCertHashes can be unsafe. Set unsafeSkipCAVerification as true in your kubeadm config file to continue',
    );
  const timeouts = fields(join.timeouts);
  const none = { id: '', secret: '' };
  return {
    apiServerEndpoint: apiServerEndpoint ?? '',
    token: token ?? none,
    tlsToken: parseToken(discovery.tlsBootstrapToken) ?? token ?? none,
    caCertHashes: caCertHashes.map((hash) => hash.toLowerCase()),
    skipVerification,
    ...(textOf(fields(file).kubeConfigPath) && { kubeConfigPath: String(fields(file).kubeConfigPath) }),
    timeout: milliseconds(textOf(timeouts.discovery) ?? textOf(discovery.timeout)) ?? defaultDiscovery,
  };
};

/** Throws ConfigError. */
export const readJoinConfig = (source: string, kubeadm: KubernetesVersion): JoinConfig => {
  const documents = documentsOf(source, kubeadm);
  const join = documents.get('JoinConfiguration');
  if (!join) throw new ConfigError('no JoinConfiguration found in config file');
  return {
    node: nodeOf(join.nodeRegistration),
    discovery: discoveryOf(join),
    ...(isGiven(join.controlPlane) && { controlPlane: endpointOf(fields(join.controlPlane).localAPIEndpoint) }),
  };
};
