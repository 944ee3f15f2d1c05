/**
 * kubeadm's ConfigMap in the workload cluster, which joining hosts read. It is updated before such
 * Machines are created.
 */
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { freeze } from '../../../machinery/api/frozen.ts';
import { memoize } from '../../../machinery/api/memoize.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { clusterDocument, kubeadmApiOf } from '../../bootstrap-kubeadm/kubeadm-config/kubeadm-documents.ts';
import { callWorkload } from '../../ports/index.ts';
import { withGates } from './desired-config.ts';
import type { KubeadmControlPlaneSpec } from './schema.ts';

type Document = Record<string, unknown>;
const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const key = 'ClusterConfiguration';
/** Fields that follow the control plane; all other fields stay as kubeadm wrote them. */
const managed = [
  'apiVersion',
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

const parsed = memoize(1000, (text): Document | undefined => {
  try {
    const document: unknown = parse(text, { version: '1.1' });
    return isDocument(document) ? freeze(document) : undefined;
  } catch {
    return undefined;
  }
});
const read = (configMap: KubeObject): Document | undefined =>
  parsed((configMap as { data?: Record<string, string> }).data?.[key] ?? '');

const etcdWith = (wanted: unknown, current: unknown): unknown => {
  const [next, before] = [wanted, current].map((etcd) =>
    isDocument(etcd) && isDocument(etcd.local) ? etcd.local : {},
  );
  if (isDocument(wanted) && wanted.external) return wanted;
  return { local: { ...(before!.dataDir !== undefined && { dataDir: before!.dataDir }), ...next } };
};

/**
 * The desired document; undefined if the stored one cannot be parsed. With `dns` set, it includes
 * the DNS settings.
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

/** Updates the document if it differs. Empty values count as absent. */
export const updateKubeadmConfig = (
  kubeconfig: string,
  configMap: KubeObject,
  spec: KubeadmControlPlaneSpec,
  options: { dns?: boolean } = {},
): Action[] => {
  const current = read(configMap);
  const wanted = current && desiredClusterConfiguration(current, spec, options);
  if (!wanted || isDeepStrictEqual(significant(current), significant(wanted))) return [];
  return [patchKubeadmConfig(kubeconfig, configMap, { [key]: stringify(wanted, { version: '1.1', lineWidth: 0 }) })];
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
    namespace: 'kube-system',
    name: 'kubeadm-config',
    patch: { data },
    ...(resourceVersion && { resourceVersion }),
  });

const significant = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(significant);
  if (!isDocument(value)) return value;
  const entries = Object.entries(value).map(([field, child]) => [field, significant(child)] as const);
  return Object.fromEntries(
    entries.filter(
      ([, child]) => child !== undefined && child !== '' && !(isDocument(child) && Object.keys(child).length === 0),
    ),
  );
};
