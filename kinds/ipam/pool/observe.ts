/** Reads a pool with its claims and addresses. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { hasPaused } from '../../common/paused.ts';
import { ipamGroup } from '../../common/versions.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { clusterOfClaim } from '../cluster-of-claim.ts';
import type { IPAddress } from '../ip-address/schema.ts';
import type { IPAddressClaim } from '../ip-address-claim/schema.ts';
import { samePool } from '../references.ts';
import type { Pool } from './schema.ts';

export interface Observed {
  pool: Pool;
  claims: Read<IPAddressClaim[]>;
  /** All addresses that refer to the pool. */
  addresses: Read<IPAddress[]>;
  /** Claims without an address that may be served: their Cluster, if any, exists and is not paused. */
  waiting: Read<IPAddressClaim[]>;
}

const keyOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;

const isPaused = (cluster: Cluster): boolean => cluster.spec?.paused === true || hasPaused(cluster);

const ofPool = <T extends IPAddress | IPAddressClaim>(pool: Pool, all: Read<T[]>): Read<T[]> => {
  if (all.state !== 'found') return all;
  const reference = { apiGroup: ipamGroup, kind: pool.kind, name: pool.metadata.name };
  return { state: 'found', value: all.value.filter(({ spec }) => samePool(spec?.poolRef, reference)) };
};

export const observe = (pool: Pool, read: Reader, _: Context): Observed => {
  const { namespace } = pool.metadata;
  const where = namespace === undefined ? {} : { namespace };
  const claims = ofPool(pool, read.list('IPAddressClaim', where));
  const all = read.list('IPAddress', where);
  const addresses = ofPool(pool, all);
  if (pool.metadata.deletionTimestamp) return { pool, claims, addresses, waiting: { state: 'found', value: [] } };
  // An IPAddress of a claim's name may belong to something else: the claim waits until it is gone.
  const names = new Set((found(all) ?? []).map(keyOf));
  const isTaken = (claim: IPAddressClaim) => names.has(keyOf(claim));
  const judged = (found(claims) ?? [])
    .filter((claim) => !claim.metadata.deletionTimestamp && !isTaken(claim) && !hasPaused(claim))
    .map((claim) => {
      const name = clusterOfClaim(claim);
      if (name === undefined) return { claim };
      return { claim, cluster: read.get('Cluster', { namespace: claim.metadata.namespace ?? '', name }) };
    });
  const failed = judged.flatMap(({ cluster }) => (cluster?.state === 'unreadable' ? [cluster] : []))[0];
  const admitted = judged.flatMap(({ claim, cluster }) => {
    if (!cluster) return [claim];
    const object = found(cluster);
    return object && !isPaused(object) ? [claim] : [];
  });
  return { pool, claims, addresses, waiting: failed ?? { state: 'found', value: admitted } };
};
