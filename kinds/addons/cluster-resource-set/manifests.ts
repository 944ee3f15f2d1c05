/**
 * Parses the manifests in a ConfigMap or Secret, hashes them and sorts them into install order.
 * Pure.
 */
import { createHash } from 'node:crypto';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { documentValue, yamlDocuments } from '../../../machinery/api/yaml.ts';

/** A Secret is applied only if it has this type. */
export const secretType = 'addons.cluster.x-k8s.io/resource-set';

/** Values in key order, decoded if the object is a Secret. */
export const valuesOf = (resource: KubeObject): string[] => {
  const data = (resource.data ?? {}) as Record<string, string>;
  const binary = (resource.binaryData ?? {}) as Record<string, string>;
  const decode = (value: string) => Buffer.from(value, 'base64').toString('utf8');
  const isSecret = resource.kind === 'Secret';
  return Object.entries({ ...data, ...binary })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => (isSecret || key in binary ? decode(value) : value));
};

export const hashOf = (values: string[]): string =>
  `sha256:${createHash('sha256').update(values.join('')).digest('hex')}`;

const installOrder = [
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'Secret',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'ServiceAccount',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'Ingress',
  'APIService',
];
const place = ({ kind }: JsonObject) => {
  const index = installOrder.indexOf(String(kind));
  return index < 0 ? installOrder.length : index;
};

const flatten = (value: unknown): JsonObject[] => {
  if (Array.isArray(value)) return value.flatMap(flatten);
  if (value === null || typeof value !== 'object') return [];
  const object = value as JsonObject;
  return object.kind === 'List' ? flatten(object.items) : [object];
};

/** The objects of all values in install order, or why they cannot be parsed. */
export const parseManifests = (values: string[]): { objects: JsonObject[] } | { error: string } => {
  const objects: JsonObject[] = [];
  try {
    for (const value of values)
      for (const document of yamlDocuments(value)) objects.push(...flatten(documentValue(document)));
  } catch (error) {
    return { error: (error as Error).message };
  }
  const nameless = objects.find(({ apiVersion, kind, metadata }) => {
    const { name } = (metadata ?? {}) as { name?: string };
    return !apiVersion || !kind || !name;
  });
  if (nameless) return { error: 'an object has no apiVersion, kind or metadata.name' };
  return { objects: objects.sort((a, b) => place(a) - place(b)) };
};
