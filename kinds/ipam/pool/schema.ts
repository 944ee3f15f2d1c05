import type { KubeObject } from '../../../machinery/api/object.ts';
import { boolean, type Infer, int32, integer, list, object, required, string } from '../../../machinery/api/schema.ts';
import { conditions } from '../../common/schema.ts';

const address = string('An address, a range such as 10.0.0.10-10.0.0.20, or a CIDR block.');

export const poolSpec = object('Which addresses the pool gives.', {
  addresses: required(list('Addresses that it may give.', address)),
  prefix: required(integer('Bits of the network part, for all of its addresses.', { minimum: 0, maximum: 128 })),
  gateway: string('The gateway of the network; it is never given.'),
  excludedAddresses: list('Addresses that it does not give.', address),
  allocateReservedIPAddresses: boolean(
    'Whether it also gives the first address of the network and, of IPv4, the last one.',
  ),
  addressReuseGracePeriodSeconds: int32('Seconds for which a released address is not given again.', { minimum: 0 }),
});

export const poolStatus = object('How much of the pool is in use.', {
  ipAddresses: object('Counts of addresses.', {
    total: required(integer('Addresses that it may give.')),
    free: required(integer('Those that no claim has.')),
    used: required(integer('Addresses that claims have.')),
    outOfRange: required(integer('Those of them that it would not give any more.')),
  }),
  conditions: conditions(),
});

export type PoolSpec = Infer<typeof poolSpec>;
export type PoolStatus = Infer<typeof poolStatus>;
export type Pool = KubeObject<PoolSpec, PoolStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    InClusterIPPool: Pool;
    GlobalInClusterIPPool: Pool;
  }
}
