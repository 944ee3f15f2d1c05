import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { immutable, requiredField } from '../../common/validate.ts';
import type { IPAddressClaim } from './schema.ts';

/** The label makes the claim a member of its cluster, as the clients of Cluster API expect. */
export const defaultIPAddressClaim = (object: KubeObject): KubeObject => {
  const { clusterName } = (object as IPAddressClaim).spec ?? {};
  const { metadata } = object;
  if (!clusterName || metadata.labels?.[labels.cluster]) return object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [labels.cluster]: clusterName } } };
};

export const validateIPAddressClaim = (object: KubeObject, { old }: Admission): FieldError[] => {
  const { spec } = object as IPAddressClaim;
  if (!spec) return [];
  if (old) return equal(old.spec, spec) ? [] : [immutable('spec')];
  return spec.poolRef.apiGroup
    ? []
    : [requiredField('spec.poolRef.apiGroup', 'the API group of the pool must be given')];
};
