import type { KubeObject } from '../../../machinery/api/object.ts';
import { conversion, move, versionOf } from '../../common/conversion.ts';
import { statusFields } from '../../common/conversion-values.ts';
import { labels } from '../../common/labels.ts';
import { ipamGroup } from '../../common/versions.ts';
import {
  type IPAddressClaim,
  ipAddressClaimSpec,
  ipAddressClaimSpecV1alpha1,
  ipAddressClaimSpecV1beta1,
  ipAddressClaimStatus,
  ipAddressClaimStatusV1alpha1,
  ipAddressClaimStatusV1beta1,
} from './schema.ts';

const newest = versionOf(`${ipamGroup}/v1beta2`, { spec: ipAddressClaimSpec, status: ipAddressClaimStatus });

export const fromV1beta1 = conversion(
  versionOf(`${ipamGroup}/v1beta1`, { spec: ipAddressClaimSpecV1beta1, status: ipAddressClaimStatusV1beta1 }),
  newest,
  statusFields(),
);

const older = conversion(
  versionOf(`${ipamGroup}/v1alpha1`, { spec: ipAddressClaimSpecV1alpha1, status: ipAddressClaimStatusV1alpha1 }),
  newest,
  [move('status.conditions', 'status.deprecated.v1beta1.conditions')],
);

/** v1alpha1 names the Cluster in a label only. */
const named = (object: KubeObject): KubeObject => {
  const { spec } = object as IPAddressClaim;
  const cluster = object.metadata.labels?.[labels.cluster];
  return spec && !spec.clusterName && cluster ? { ...object, spec: { ...spec, clusterName: cluster } } : object;
};
export const fromV1alpha1 = {
  toStorage: (object: KubeObject): KubeObject => named(older.toStorage(object)),
  fromStorage: older.fromStorage,
};
