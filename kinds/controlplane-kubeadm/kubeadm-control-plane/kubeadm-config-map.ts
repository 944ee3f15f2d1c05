/**
 * kubeadm's ConfigMap in the workload cluster, which joining hosts read. It is updated before such
 * Machines are created.
 */
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { isObject, type KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found, type Read } from '../../../machinery/api/reconcile.ts';
import { clusterDocument, kubeadmApiOf } from '../../bootstrap-kubeadm/kubeadm-config/kubeadm-documents.ts';
import {
  clusterConfigurationIn,
  clusterConfigurationKey,
  type Document,
  expectedConfiguration,
  faultOfKubeadmConfig,
  kubeadmConfigMap,
} from '../../common/kubeadm-config-map.ts';
import { callWorkload } from '../../ports/index.ts';
import type { ControlPlane } from './control-plane.ts';
import { withGates } from './desired-config.ts';
import type { KubeadmControlPlaneSpec } from './schema.ts';

/** Fields that follow the control plane; all other fields stay as kubeadm wrote them. */
const managed = [
  'apiVersion',
  'kind',
  'kubernetesVersion',
  'imageRepository',
  'featureGates',
  'apiServer',
  'controllerManager',
  'scheduler',
  'etcd',
  'certificateValidityPeriod',
  'caCertificateValidityPeriod',
  'encryptionAlgorithm',
];

const etcdWith = (wanted: unknown, current: unknown): unknown => {
  const [next, before] = [wanted, current].map((etcd) => (isObject(etcd) && isObject(etcd.local) ? etcd.local : {}));
  if (isObject(wanted) && wanted.external) return wanted;
  return { local: { ...(before!.dataDir !== undefined && { dataDir: before!.dataDir }), ...next } };
};

/**
 * The desired document; undefined for a Kubernetes version without a known kubeadm API. With `dns`
 * set, it includes the DNS settings.
 */
export const desiredClusterConfiguration = (
  current: Document,
  spec: KubeadmControlPlaneSpec,
  { dns = false }: { dns?: boolean } = {},
): Document | undefined => {
  const api = kubeadmApiOf(spec.version);
  if (!api) return undefined;
  const { clusterConfiguration: configuration = {} } = withGates(spec);
  const { initConfiguration, joinConfiguration } = spec.kubeadmConfigSpec ?? {};
  const wait =
    initConfiguration?.timeouts?.controlPlaneComponentHealthCheckSeconds ??
    joinConfiguration?.timeouts?.controlPlaneComponentHealthCheckSeconds;
  const facts = { clusterName: '', kubernetesVersion: spec.version, controlPlaneEndpoint: undefined };
  const wanted = clusterDocument(api, configuration, facts, wait);
  const kept = Object.fromEntries(Object.entries(current).filter(([field]) => !managed.includes(field)));
  const next = Object.fromEntries(managed.flatMap((field) => (field in wanted ? [[field, wanted[field]]] : [])));
  return {
    ...kept,
    ...next,
    etcd: etcdWith(wanted.etcd, current.etcd),
    ...(dns && configuration.dns && { dns: configuration.dns }),
  };
};

const isKnown = <T>(read: Read<T> | undefined): read is Read<T> => read?.state === 'found' || read?.state === 'absent';
const unreadReason = (read: Read<KubeObject> | undefined): string =>
  read?.state === 'unreadable' ? read.reason : 'the workload cluster does not answer';

type KubeadmConfigFacts = Pick<ControlPlane, 'cluster' | 'kcp'> & {
  live: Pick<ControlPlane['live'], 'kubeadmConfig'>;
};

/** Why hosts cannot join with what was read; undefined if they can. */
export const kubeadmConfigFault = ({ cluster, kcp, live }: KubeadmConfigFacts): string | undefined => {
  const { namespace, name } = kubeadmConfigMap;
  const read = live.kubeadmConfig;
  const fault = isKnown(read)
    ? faultOfKubeadmConfig(found(read), expectedConfiguration(cluster, kcp))
    : `could not be read: ${unreadReason(read)}`;
  return fault && `ConfigMap ${namespace}/${name} of the workload cluster ${fault}`;
};

/** The update of a document without fault; none if it does not differ. Empty values count as absent. */
export const updateKubeadmConfig = (
  kubeconfig: string,
  configMap: KubeObject,
  spec: KubeadmControlPlaneSpec,
  options: { dns?: boolean } = {},
): Action[] => {
  const current = clusterConfigurationIn(configMap);
  const wanted = current && desiredClusterConfiguration(current, spec, options);
  if (!wanted || isDeepStrictEqual(significant(current), significant(wanted))) return [];
  const text = stringify(wanted, { version: '1.1', lineWidth: 0 });
  return [patchKubeadmConfig(kubeconfig, configMap, { [clusterConfigurationKey]: text })];
};

/** Conditional on the observed resourceVersion; null removes an entry. */
export const patchKubeadmConfig = (
  kubeconfig: string,
  { metadata: { resourceVersion } }: KubeObject,
  data: Record<string, string | null>,
): Action =>
  callWorkload('patch', {
    kubeconfig,
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...kubeadmConfigMap,
    patch: { data },
    ...(resourceVersion && { resourceVersion }),
  });

const significant = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(significant);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([field, child]) => [field, significant(child)] as const);
  return Object.fromEntries(
    entries.filter(
      ([, child]) => child !== undefined && child !== '' && !(isObject(child) && Object.keys(child).length === 0),
    ),
  );
};
