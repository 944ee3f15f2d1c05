/** Reads the file of `kubeadm init --config` or `join --config` and checks it as kubeadm does. */
import {
  judgeClusterConfiguration,
  judgeInitConfiguration,
  judgeJoinConfiguration,
  outputOf,
} from '../../../kinds/components/kubeadm/config.ts';
import type { FieldFault } from '../../../kinds/components/kubeadm/fields.ts';
import { type ClusterConfig, clusterConfigOf } from './cluster-config.ts';
import {
  argsOf,
  ConfigError,
  documentsOf,
  type Fields,
  fields,
  isGiven,
  milliseconds,
  textList,
  textOf,
} from './documents.ts';
import { type KubernetesVersion, parseVersion } from './version.ts';

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}
export interface NodeRegistration {
  name?: string;
  criSocket: string;
  ignorePreflightErrors: string[];
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
export interface InitConfig {
  cluster: ClusterConfig;
  node: NodeRegistration;
  endpoint: LocalEndpoint;
  tokens: BootstrapToken[];
  skipPhases: string[];
  /** The directory of patches of static Pods. */
  patches?: string;
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
  caCertPath?: string;
  skipPhases: string[];
  /** The directory of patches of static Pods. */
  patches?: string;
}

export const parseToken = (token: unknown): { id: string; secret: string } | undefined => {
  const [, id, secret] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(typeof token === 'string' ? token : '') ?? [];
  return id && secret ? { id, secret } : undefined;
};

const nodeOf = (value: unknown): NodeRegistration => {
  const node = fields(value);
  const name = textOf(node.name);
  const taints = Array.isArray(node.taints) ? (node.taints as Taint[]) : undefined;
  for (const taint of taints ?? [])
    if (!taint.key || !['NoSchedule', 'PreferNoSchedule', 'NoExecute'].includes(taint.effect))
      throw new ConfigError(`nodeRegistration.taints: Invalid value: ${JSON.stringify(taint)}`);
  return {
    ...(name !== undefined && { name }),
    criSocket: textOf(node.criSocket) ?? 'unix:///var/run/containerd/containerd.sock',
    ignorePreflightErrors: textList(node.ignorePreflightErrors),
    ...(taints && { taints }),
    kubeletArgs: argsOf(node.kubeletExtraArgs),
  };
};

const endpointOf = (value: unknown): LocalEndpoint => {
  const { advertiseAddress, bindPort } = fields(value);
  const address = textOf(advertiseAddress);
  return {
    ...(address !== undefined && { advertiseAddress: address }),
    bindPort: typeof bindPort === 'number' && bindPort > 0 ? bindPort : 6443,
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

const patchesOf = ({ patches }: Fields): { patches?: string } => {
  const directory = textOf(fields(patches).directory);
  return directory === undefined ? {} : { patches: directory };
};

/** kubeadm lists all faults at once. */
const refuse = (faults: readonly FieldFault[]): void => {
  if (faults.length > 0) throw new ConfigError(faults.map(outputOf).join('\n'));
};

/** `kubeadm` is the version of the reading program; `now` in milliseconds. Throws ConfigError. */
export const readInitConfig = (source: string, kubeadm: KubernetesVersion, now: number): InitConfig => {
  const documents = documentsOf(source, kubeadm);
  const init = documents.get('InitConfiguration') ?? {};
  if (!documents.has('InitConfiguration') && !documents.has('ClusterConfiguration'))
    throw new ConfigError('no InitConfiguration or ClusterConfiguration kind was found in the YAML file');
  const given = documents.get('ClusterConfiguration') ?? {};
  refuse([...judgeClusterConfiguration(given, kubeadm.minor), ...judgeInitConfiguration(init)]);
  const cluster = clusterConfigOf(given);
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
    ...patchesOf(init),
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
  refuse(judgeJoinConfiguration(join));
  return {
    node: nodeOf(join.nodeRegistration),
    discovery: discoveryOf(join),
    ...patchesOf(join),
    skipPhases: textList(join.skipPhases),
    ...(textOf(join.caCertPath) && { caCertPath: String(join.caCertPath) }),
    ...(isGiven(join.controlPlane) && { controlPlane: endpointOf(fields(join.controlPlane).localAPIEndpoint) }),
  };
};
