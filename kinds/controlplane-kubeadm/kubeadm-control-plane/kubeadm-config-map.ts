/** What kubeadm keeps in the cluster for machines that join later: brought up to date before such machines are made. */
import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'yaml';
import { freeze } from '../../../machinery/api/frozen.ts';
import { lately } from '../../../machinery/api/lately.ts';
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
/** Fields that follow the control plane; everything else stays as kubeadm wrote it. */
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

const parsed = lately(1000, (text): Document | undefined => {
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

/** The document as it should be; undefined when it cannot be worked out. `dns` too, once CoreDNS is to follow. */
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

/** Writes the document where it differs. Empty parts mean nothing. */
export const updateKubeadmConfig = (
  kubeconfig: string,
  configMap: KubeObject,
  spec: KubeadmControlPlaneSpec,
  options: { dns?: boolean } = {},
): Action[] => {
  const current = read(configMap);
  const wanted = current && desiredClusterConfiguration(current, spec, options);
  if (!wanted || isDeepStrictEqual(significant(current), significant(wanted))) return [];
  const patch = { data: { [key]: stringify(wanted, { version: '1.1', lineWidth: 0 }) } };
  const { resourceVersion } = configMap.metadata;
  return [
    callWorkload('patch', {
      kubeconfig,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'kube-system',
      name: 'kubeadm-config',
      patch,
      ...(resourceVersion && { resourceVersion }),
    }),
  ];
};

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
