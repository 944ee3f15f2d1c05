/** Admission of kinds of which a Cluster has one object, with its name. */
import type { Admission, FieldError } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { withClusterLabel } from './cluster-label.ts';
import { immutable, invalidValue } from './validate.ts';

type Named = KubeObject<{ clusterName: string }>;

export const withNameOfCluster = (object: KubeObject): KubeObject =>
  withClusterLabel(object, (object as Named).spec?.clusterName);

export const validateNameOfCluster = (object: KubeObject, { old }: Admission): FieldError[] => {
  const { kind, metadata, spec } = object as Named;
  const before = (old as Named | undefined)?.spec?.clusterName;
  if (before !== undefined && before !== spec?.clusterName) return [immutable('spec.clusterName')];
  return spec && spec.clusterName !== metadata.name
    ? [invalidValue('spec.clusterName', spec.clusterName, `must be the name of the ${kind}`)]
    : [];
};
