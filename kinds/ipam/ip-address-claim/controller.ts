import { defineController } from '../../../machinery/api/reconcile.ts';
import { clusterOfClaim } from '../cluster-of-claim.ts';
import { releaseAddress } from '../finalizers.ts';
import { isInCluster } from '../references.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { IPAddressClaim } from './schema.ts';

/** The controller of claims of the pools that Capstan serves: a pool's controller gives the addresses. */
export const ipAddressClaimController = defineController<IPAddressClaim, Observed>({
  name: 'ip-address-claim',
  for: 'IPAddressClaim',
  worker: 'core',
  watches: [
    { kind: 'IPAddress', to: 'servers' },
    { kind: 'InClusterIPPool', to: 'referrers', level: 'gate' },
    { kind: 'GlobalInClusterIPPool', to: 'referrers', level: 'gate' },
    { kind: 'Cluster', to: 'members' },
  ],
  isForeign: ({ spec }) => !isInCluster(spec?.poolRef),
  clusterOf: clusterOfClaim,
  finalizer: releaseAddress,
  conditions: 'v1beta2',
  observe,
  reconcile,
});
