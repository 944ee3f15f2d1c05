import { conversion, versionOf } from '../../common/conversion.ts';
import { addonsGroup } from '../../common/versions.ts';
import { clusterResourceSetBindingSpec, clusterResourceSetBindingSpecV1beta1 } from './schema.ts';

export const { toStorage, fromStorage } = conversion(
  versionOf(`${addonsGroup}/v1beta1`, { spec: clusterResourceSetBindingSpecV1beta1 }),
  versionOf(`${addonsGroup}/v1beta2`, { spec: clusterResourceSetBindingSpec }),
  [],
);
