import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { invalidValue } from '../../common/validate.ts';
import type { ClusterResourceSetBinding } from './schema.ts';

export const validateClusterResourceSetBinding = (object: KubeObject, { old }: Admission): FieldError[] => {
  const { clusterName } = (object as ClusterResourceSetBinding).spec ?? {};
  const before = (old as ClusterResourceSetBinding | undefined)?.spec?.clusterName;
  return before && before !== clusterName ? [invalidValue('spec.clusterName', clusterName, 'field is immutable')] : [];
};
