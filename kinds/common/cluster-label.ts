import type { KubeObject } from '../../machinery/api/object.ts';
import { labels } from './labels.ts';

/** The label that finds all objects of a cluster. */
export const withClusterLabel = <T extends KubeObject>(object: T, clusterName: string | undefined): T => {
  if (clusterName === undefined) return object;
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [labels.cluster]: clusterName } } };
};
