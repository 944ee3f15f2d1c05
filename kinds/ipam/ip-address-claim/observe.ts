import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { isAddressOf } from '../bound.ts';
import { clusterOfClaim } from '../cluster-of-claim.ts';
import type { IPAddress } from '../ip-address/schema.ts';
import type { Pool } from '../pool/schema.ts';
import { isInCluster, poolKinds } from '../references.ts';
import type { IPAddressClaim } from './schema.ts';

export interface Observed {
  claim: IPAddressClaim;
  /** Absent for a claim of no Cluster. */
  cluster: Read<Cluster> | undefined;
  pool: Read<Pool>;
  /** The IPAddress of the claim's name, if it was created for this claim. */
  address: Read<IPAddress>;
  /** The IPAddress of the claim's name belongs to something else. */
  isTaken: boolean;
}

export const observe = (claim: IPAddressClaim, read: Reader, _: Context): Observed => {
  const { namespace = '', name } = claim.metadata;
  const reference = claim.spec?.poolRef;
  const clusterName = clusterOfClaim(claim);
  const any = read.get('IPAddress', { namespace, name });
  const one = found(any);
  const isTaken = one !== undefined && !isAddressOf(claim, one);
  return {
    claim,
    cluster: clusterName === undefined ? undefined : read.get('Cluster', { namespace, name: clusterName }),
    pool: isInCluster(reference)
      ? read.get(reference.kind, {
          namespace: poolKinds[reference.kind].namespaced ? namespace : '',
          name: reference.name,
        })
      : { state: 'absent' },
    address: isTaken ? { state: 'absent' } : any,
    isTaken,
  };
};
