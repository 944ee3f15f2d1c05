import { conversion, versionOf } from '../../common/conversion.ts';
import { statusFields } from '../../common/conversion-values.ts';
import { addonsGroup } from '../../common/versions.ts';
import {
  clusterResourceSetSpec,
  clusterResourceSetSpecV1beta1,
  clusterResourceSetStatus,
  clusterResourceSetStatusV1beta1,
} from './schema.ts';

export const { rules, toStorage, fromStorage } = conversion(
  versionOf(`${addonsGroup}/v1beta1`, { spec: clusterResourceSetSpecV1beta1, status: clusterResourceSetStatusV1beta1 }),
  versionOf(`${addonsGroup}/v1beta2`, { spec: clusterResourceSetSpec, status: clusterResourceSetStatus }),
  statusFields(),
);
