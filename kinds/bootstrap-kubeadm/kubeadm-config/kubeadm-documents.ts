/**
 * kubeadm's configuration files, in the API version that the Kubernetes version's kubeadm supports.
 */
import { stringify } from 'yaml';
import { formatDuration } from '../../../machinery/api/durations.ts';
import { isObject } from '../../../machinery/api/object.ts';
import { isAtLeastMinor, parseVersion } from '../../common/kubernetes-version.ts';
import type { Arg, ClusterConfiguration, JoinConfiguration, KubeadmConfigSpec, NodeRegistration } from './schema.ts';

/** What the documents contain besides the spec. */
export interface ClusterFacts {
  clusterName: string;
  /** The host's version, such as v1.35.0. */
  kubernetesVersion: string;
  /** host:port. */
  controlPlaneEndpoint: string | undefined;
  serviceSubnet?: string;
  podSubnet?: string;
  dnsDomain?: string;
}

export type KubeadmApi = 'v1beta3' | 'v1beta4';
/** Undefined for a version whose kubeadm is too old, or for an invalid version. */
export const kubeadmApiOf = (kubernetesVersion: string): KubeadmApi | undefined => {
  const version = parseVersion(kubernetesVersion);
  if (version?.major !== 1 || version.minor < 22) return undefined;
  return isAtLeastMinor(kubernetesVersion, 31) ? 'v1beta4' : 'v1beta3';
};

type Document = Record<string, unknown>;

// kubeadm parses YAML 1.1, where many plain words and numbers have another type.
const yaml = (document: Document): string => stringify(document, { version: '1.1', lineWidth: 0 });
const header = (api: KubeadmApi, kind: string) => ({ apiVersion: `kubeadm.k8s.io/${api}`, kind });

const isEmpty = (value: unknown): boolean =>
  value === undefined || (isObject(value) && Object.keys(value).length === 0);
const given = (document: Document): Document =>
  Object.fromEntries(Object.entries(document).filter(([, value]) => !isEmpty(value)));

const seconds = (value: number | undefined) => (value === undefined ? undefined : formatDuration(value));
const days = (value: number | undefined) => (value === undefined ? undefined : formatDuration(value * 24 * 60 * 60));

const argsFor = (api: KubeadmApi, args: Arg[] | undefined): unknown => {
  if (!args || api === 'v1beta4') return args;
  return Object.fromEntries(args.map(({ name, value }) => [name, value]));
};

type Component = NonNullable<ClusterConfiguration['scheduler']>;
const component = (api: KubeadmApi, { extraArgs, extraEnvs, ...rest }: Component = {}): Document =>
  given({ ...rest, extraArgs: argsFor(api, extraArgs), extraEnvs: api === 'v1beta4' ? extraEnvs : undefined });

const etcd = (api: KubeadmApi, { local, external }: NonNullable<ClusterConfiguration['etcd']> = {}): Document =>
  given({ local: local && component(api, local), external });

const nodeRegistration = (api: KubeadmApi, registration: NodeRegistration = {}): Document => {
  const { kubeletExtraArgs, imagePullSerial, ...rest } = registration;
  return given({
    ...rest,
    kubeletExtraArgs: argsFor(api, kubeletExtraArgs),
    imagePullSerial: api === 'v1beta4' ? imagePullSerial : undefined,
  });
};

const timeouts = (api: KubeadmApi, given_: JoinConfiguration['timeouts'] = {}): Document | undefined => {
  if (api === 'v1beta3') return undefined;
  return given({
    controlPlaneComponentHealthCheck: seconds(given_.controlPlaneComponentHealthCheckSeconds),
    discovery: seconds(given_.discoverySeconds),
    etcdAPICall: seconds(given_.etcdAPICallSeconds),
    kubeletHealthCheck: seconds(given_.kubeletHealthCheckSeconds),
    kubernetesAPICall: seconds(given_.kubernetesAPICallSeconds),
    tlsBootstrap: seconds(given_.tlsBootstrapSeconds),
  });
};

/** `healthCheckSeconds`: in v1beta3, this document has the timeout for the control plane. */
export const clusterDocument = (
  api: KubeadmApi,
  configuration: ClusterConfiguration,
  facts: ClusterFacts,
  healthCheckSeconds?: number,
): Document => {
  const { apiServer, controllerManager, scheduler, etcd: store, ...rest } = configuration;
  const { certificateValidityPeriodDays, caCertificateValidityPeriodDays, encryptionAlgorithm, ...common } = rest;
  const newer = api === 'v1beta4';
  return given({
    ...header(api, 'ClusterConfiguration'),
    ...common,
    clusterName: facts.clusterName,
    controlPlaneEndpoint: configuration.controlPlaneEndpoint ?? facts.controlPlaneEndpoint,
    kubernetesVersion: facts.kubernetesVersion,
    networking: given({
      dnsDomain: facts.dnsDomain,
      podSubnet: facts.podSubnet,
      serviceSubnet: facts.serviceSubnet,
    }),
    apiServer: given({
      ...component(api, apiServer),
      timeoutForControlPlane: newer ? undefined : seconds(healthCheckSeconds),
    }),
    controllerManager: component(api, controllerManager),
    scheduler: component(api, scheduler),
    etcd: etcd(api, store),
    ...(newer && {
      certificateValidityPeriod: days(certificateValidityPeriodDays),
      caCertificateValidityPeriod: days(caCertificateValidityPeriodDays),
      encryptionAlgorithm,
    }),
  });
};

type BootstrapToken = NonNullable<NonNullable<KubeadmConfigSpec['initConfiguration']>['bootstrapTokens']>[number];
// kubeadm rejects `expires`: it fills in a TTL first, and then refuses both together.
const tokenDocument = ({ ttlSeconds, expires, ...token }: BootstrapToken, now: number): Document => {
  const left = expires === undefined ? undefined : Math.max(1, Math.floor((Date.parse(expires) - now) / 1000));
  return given({ ...token, ttl: seconds(ttlSeconds ?? left) });
};

const initDocument = (api: KubeadmApi, { initConfiguration = {} }: KubeadmConfigSpec, now: number): Document => {
  const { bootstrapTokens, nodeRegistration: registration, timeouts: waits, ...rest } = initConfiguration;
  return given({
    ...header(api, 'InitConfiguration'),
    ...rest,
    bootstrapTokens: bootstrapTokens?.map((token) => tokenDocument(token, now)),
    nodeRegistration: nodeRegistration(api, registration),
    timeouts: timeouts(api, waits),
  });
};

/** The file of the host that initializes the cluster: two documents. `now` in milliseconds. */
export const renderInit = (api: KubeadmApi, spec: KubeadmConfigSpec, facts: ClusterFacts, now: number): string => {
  const wait = spec.initConfiguration?.timeouts?.controlPlaneComponentHealthCheckSeconds;
  const cluster = clusterDocument(api, spec.clusterConfiguration ?? {}, facts, wait);
  return `${yaml(cluster)}---\n${yaml(initDocument(api, spec, now))}`;
};

const discoveryDocument = (
  api: KubeadmApi,
  { file, ...rest }: NonNullable<JoinConfiguration['discovery']> = {},
  waits: JoinConfiguration['timeouts'],
): Document =>
  given({
    ...rest,
    file: file && { kubeConfigPath: file.kubeConfigPath },
    timeout: api === 'v1beta3' ? seconds(waits?.tlsBootstrapSeconds) : undefined,
  });

/** The file of every other host: one document. */
export const renderJoin = (api: KubeadmApi, configuration: JoinConfiguration): string => {
  const { discovery, controlPlane, nodeRegistration: registration, timeouts: waits, ...rest } = configuration;
  const document = given({
    ...header(api, 'JoinConfiguration'),
    ...rest,
    discovery: discoveryDocument(api, discovery, waits),
    nodeRegistration: nodeRegistration(api, registration),
    timeouts: timeouts(api, waits),
  });
  // Even an empty controlPlane makes the host a control plane node.
  return yaml(controlPlane ? { ...document, controlPlane } : document);
};
