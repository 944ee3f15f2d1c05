import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, object, required } from '../../../machinery/api/schema.ts';
import { clusterName, conditions, deprecated, legacyConditions } from '../../common/schema.ts';
import { localPoolReference, localReference, nameReference, poolReference } from '../schema.ts';

const wanted = 'Which pool to take an address from.';
const cluster = clusterName('Name of the Cluster that the claim belongs to.');
const observed = 'Which address the claim has.';
const given = 'The IPAddress that was created for this claim.';

export const ipAddressClaimSpec = object(wanted, { clusterName: cluster, poolRef: required(poolReference) });
export const ipAddressClaimSpecV1beta1 = object(wanted, {
  clusterName: cluster,
  poolRef: required(localPoolReference),
});
export const ipAddressClaimSpecV1alpha1 = object(wanted, { poolRef: required(localPoolReference) });

export const ipAddressClaimStatus = object(
  observed,
  { addressRef: nameReference(given), conditions: conditions(), deprecated: deprecated({}) },
  { minProperties: 1 },
);
const older = { addressRef: localReference(given), conditions: legacyConditions() };
export const ipAddressClaimStatusV1beta1 = object(observed, {
  ...older,
  v1beta2: object('State in the words of v1beta2.', { conditions: conditions() }),
});
export const ipAddressClaimStatusV1alpha1 = object(observed, older);

export type IPAddressClaimSpec = Infer<typeof ipAddressClaimSpec>;
export type IPAddressClaimStatus = Infer<typeof ipAddressClaimStatus>;
export type IPAddressClaim = KubeObject<IPAddressClaimSpec, IPAddressClaimStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    IPAddressClaim: IPAddressClaim;
  }
}
