import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { immutable, invalidValue, requiredField } from '../../common/validate.ts';
import type { Addon, AddonSpec } from './schema.ts';

/** The label makes it a member of its cluster. */
export const defaultAddon = (object: KubeObject): KubeObject => {
  const { clusterName } = (object as Addon).spec ?? {};
  const { metadata } = object;
  if (!clusterName || metadata.labels?.[labels.cluster] === clusterName) return object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [labels.cluster]: clusterName } } };
};

const manifestFaults = ({ manifests = [] }: AddonSpec): FieldError[] =>
  manifests.flatMap(({ kind, name, url, digest, caBundle }, i) => {
    const isObject = kind !== undefined && name !== undefined && !(url ?? digest ?? caBundle);
    const isFile = url !== undefined && digest !== undefined && !(kind ?? name);
    const either = 'either kind and name, or url and digest must be set';
    return isObject || isFile ? [] : [invalidValue(`spec.manifests[${i}]`, url ?? name ?? '', either)];
  });

export const validateAddon = (object: KubeObject, { old }: Admission): FieldError[] => {
  const { spec } = object as Addon;
  const before = (old as Addon | undefined)?.spec;
  if (!spec) return [];
  return [
    ...(before && before.clusterName !== spec.clusterName ? [immutable('spec.clusterName')] : []),
    ...([...(spec.manifests ?? []), ...(spec.charts ?? [])].length === 0
      ? [requiredField('spec.manifests', 'manifests or charts must be set')]
      : []),
    ...manifestFaults(spec),
    ...(spec.substitutions ?? []).flatMap(({ name, value, fromCluster }, i) =>
      (value === undefined) === (fromCluster === undefined)
        ? [invalidValue(`spec.substitutions[${i}]`, name, 'exactly one of value and fromCluster must be set')]
        : [],
    ),
  ];
};
