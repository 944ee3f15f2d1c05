/** kubeadm's ConfigMap in a workload cluster: no host joins without it. */
import { parse } from 'yaml';
import { isCidr } from '../../machinery/api/cidr.ts';
import { freeze } from '../../machinery/api/frozen.ts';
import { memoize } from '../../machinery/api/memoize.ts';
import { isObject, type KubeObject } from '../../machinery/api/object.ts';
import { parseVersion } from './kubernetes-version.ts';

export type Document = Record<string, unknown>;

export const kubeadmConfigMap = { namespace: 'kube-system', name: 'kubeadm-config' };
export const clusterConfigurationKey = 'ClusterConfiguration';

/** A YAML document as kubeadm parses it; undefined if it is no mapping. */
export const documentIn = memoize(1000, (text): Document | undefined => {
  try {
    const document: unknown = parse(text, { version: '1.1' });
    return isObject(document) ? freeze(document) : undefined;
  } catch {
    return undefined;
  }
});

/** kubeadm's document; undefined if there is none, or it cannot be parsed. */
export const clusterConfigurationIn = (configMap: KubeObject): Document | undefined =>
  documentIn((configMap as { data?: Record<string, string> }).data?.[clusterConfigurationKey] ?? '');

/** What the document must contain, so that hosts join this cluster. */
export interface ExpectedConfiguration {
  /** host:port; one of them. None while the Cluster has no endpoint. */
  endpoints: readonly string[];
  serviceSubnet?: string | undefined;
  podSubnet?: string | undefined;
  dnsDomain?: string | undefined;
  certificatesDir: string;
}

interface ClusterSpec {
  controlPlaneEndpoint?: { host?: string; port?: number };
  clusterNetwork?: {
    services?: { cidrBlocks: readonly string[] };
    pods?: { cidrBlocks: readonly string[] };
    serviceDomain?: string;
  };
}
interface ControlPlaneSpec {
  kubeadmConfigSpec?: { clusterConfiguration?: { controlPlaneEndpoint?: string; certificatesDir?: string } };
}

/** kubeadm's defaults. */
const defaults = { serviceSubnet: '10.96.0.0/12', dnsDomain: 'cluster.local', certificatesDir: '/etc/kubernetes/pki' };
const defaultPort = '6443';

export const expectedConfiguration = (
  cluster: { spec?: ClusterSpec },
  controlPlane: { spec?: unknown },
): ExpectedConfiguration => {
  const { controlPlaneEndpoint: { host, port } = {}, clusterNetwork = {} } = cluster.spec ?? {};
  const { controlPlaneEndpoint, certificatesDir = defaults.certificatesDir } =
    (controlPlane.spec as ControlPlaneSpec | undefined)?.kubeadmConfigSpec?.clusterConfiguration ?? {};
  const address = host?.includes(':') ? `[${host}]` : host;
  return {
    endpoints: [...(controlPlaneEndpoint ? [controlPlaneEndpoint] : []), ...(address ? [`${address}:${port}`] : [])],
    serviceSubnet: clusterNetwork.services?.cidrBlocks.join(','),
    podSubnet: clusterNetwork.pods?.cidrBlocks.join(','),
    dnsDomain: clusterNetwork.serviceDomain,
    certificatesDir,
  };
};

const texts = ['kubernetesVersion', 'controlPlaneEndpoint', 'clusterName', 'certificatesDir', 'imageRepository'];
const mappings = ['networking', 'etcd', 'apiServer', 'controllerManager', 'scheduler', 'dns', 'featureGates'];

/** kubeadm decodes unknown fields with a warning, and no field of another type. */
const undecodable = (document: Document): string | undefined => {
  const isGiven = (field: string) => document[field] !== undefined && document[field] !== null;
  const text = texts.find((field) => isGiven(field) && typeof document[field] !== 'string');
  const mapping = mappings.find((field) => isGiven(field) && !isObject(document[field]));
  if (text !== undefined) return `has a field ${text} that is no text`;
  return mapping && `has a field ${mapping} that is no mapping`;
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** Host names are compared without case; kubeadm adds its default port. */
export const addressOf = (endpoint: string): string => {
  const [, host = endpoint, port = defaultPort] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(endpoint) ?? [];
  return `${host.toLowerCase()}:${port}`;
};

const wrongEndpoint = ({ controlPlaneEndpoint }: Document, { endpoints }: ExpectedConfiguration) => {
  const named = textOf(controlPlaneEndpoint);
  if (named === '') return 'names no controlPlaneEndpoint';
  if (endpoints.length === 0 || endpoints.some((one) => addressOf(one) === addressOf(named))) return undefined;
  return `names the controlPlaneEndpoint ${named}, and the Cluster ${endpoints[0]}`;
};

const blocksOf = (subnets: string): string[] => subnets.split(',').map((block) => block.trim());

const wrongNetworking = ({ networking }: Document, expected: ExpectedConfiguration): string | undefined => {
  const given = isObject(networking) ? networking : {};
  const named = {
    serviceSubnet: textOf(given.serviceSubnet) || defaults.serviceSubnet,
    podSubnet: textOf(given.podSubnet),
    dnsDomain: textOf(given.dnsDomain) || defaults.dnsDomain,
  };
  for (const field of ['serviceSubnet', 'podSubnet'] as const)
    if (named[field] && !blocksOf(named[field]).every(isCidr))
      return `has the networking.${field} ${named[field]}, which is no list of CIDR blocks`;
  for (const field of ['serviceSubnet', 'podSubnet', 'dnsDomain'] as const) {
    const { [field]: wanted } = expected;
    if (wanted && blocksOf(wanted).join() !== blocksOf(named[field]).join())
      return `has the networking.${field} ${named[field] || '""'}, and the Cluster ${wanted}`;
  }
  return undefined;
};

const faultOf = (document: Document, expected: ExpectedConfiguration): string | undefined => {
  const { apiVersion, kind, kubernetesVersion, certificatesDir } = document;
  if (kind !== 'ClusterConfiguration' || !textOf(apiVersion).startsWith('kubeadm.k8s.io/'))
    return `has in its key ${clusterConfigurationKey} no ClusterConfiguration of kubeadm.k8s.io`;
  const fault = undecodable(document);
  if (fault !== undefined) return fault;
  // kubeadm also reads versions without the v.
  if (!parseVersion(textOf(kubernetesVersion).replace(/^v?/, 'v')))
    return `has the kubernetesVersion ${textOf(kubernetesVersion) || '""'}, which is no version`;
  const directory = textOf(certificatesDir) || defaults.certificatesDir;
  if (directory !== expected.certificatesDir)
    return `has the certificatesDir ${directory}, and the control plane ${expected.certificatesDir}`;
  return wrongEndpoint(document, expected) ?? wrongNetworking(document, expected);
};

/**
 * Why hosts cannot join with it, or would join another cluster, as a predicate; undefined if they
 * can. `configMap` is undefined if it does not exist.
 */
export const faultOfKubeadmConfig = (
  configMap: KubeObject | undefined,
  expected: ExpectedConfiguration,
): string | undefined => {
  if (!configMap) return 'does not exist, and no host joins without it';
  const document = clusterConfigurationIn(configMap);
  const fault = document ? faultOf(document, expected) : `has no valid YAML in its key ${clusterConfigurationKey}`;
  return fault && `${fault}, and no host joins with it`;
};
