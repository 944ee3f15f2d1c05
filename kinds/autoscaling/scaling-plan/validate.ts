import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { withClusterLabel } from '../../common/cluster-label.ts';
import { immutable, invalidValue } from '../../common/validate.ts';
import type { ScalingPlan } from './schema.ts';

export const defaultScalingPlan = (object: KubeObject): KubeObject => {
  const { spec } = object as ScalingPlan;
  return spec ? withClusterLabel(object, spec.clusterName) : object;
};

export const validateScalingPlan = (object: KubeObject, { old }: Admission): FieldError[] => {
  const { metadata, spec } = object as ScalingPlan;
  const before = (old as ScalingPlan | undefined)?.spec?.clusterName;
  if (before !== undefined && before !== spec?.clusterName) return [immutable('spec.clusterName')];
  // One plan decides for a cluster: two of them would scale each other's pools.
  return spec && spec.clusterName !== metadata.name
    ? [invalidValue('spec.clusterName', spec.clusterName, 'must be the name of the ScalingPlan')]
    : [];
};
