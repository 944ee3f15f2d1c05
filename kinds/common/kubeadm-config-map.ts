/** kubeadm's ConfigMap in a workload cluster: no host joins without it. */
import { parse } from 'yaml';
import { freeze } from '../../machinery/api/frozen.ts';
import { memoize } from '../../machinery/api/memoize.ts';
import type { KubeObject } from '../../machinery/api/object.ts';

export type Document = Record<string, unknown>;
export const isDocument = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const kubeadmConfigMap = { namespace: 'kube-system', name: 'kubeadm-config' };
export const clusterConfigurationKey = 'ClusterConfiguration';

const parsed = memoize(1000, (text): Document | undefined => {
  try {
    const document: unknown = parse(text, { version: '1.1' });
    return isDocument(document) ? freeze(document) : undefined;
  } catch {
    return undefined;
  }
});

/** kubeadm's document; undefined if there is none, or it cannot be parsed. */
export const clusterConfigurationIn = (configMap: KubeObject): Document | undefined =>
  parsed((configMap as { data?: Record<string, string> }).data?.[clusterConfigurationKey] ?? '');

/**
 * Why hosts cannot join with it, as a predicate; undefined if they can. `configMap` is undefined if
 * it does not exist.
 */
export const faultOfKubeadmConfig = (configMap: KubeObject | undefined): string | undefined => {
  if (!configMap) return 'does not exist, and no host joins without it';
  if (clusterConfigurationIn(configMap)) return undefined;
  return `has no valid YAML in its key ${clusterConfigurationKey}, and no host joins with it`;
};
