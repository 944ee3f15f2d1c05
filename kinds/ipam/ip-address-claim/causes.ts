/** What an IPAddressClaim's conditions mean. */
import { type CauseRules, referred } from '../../common/causes/index.ts';
import { ipamGroup } from '../../common/versions.ts';
import { admitted, ready } from './conditions.ts';

const byPool = referred('poolRef');

export const ipAddressClaimCauses: CauseRules = {
  group: ipamGroup,
  kind: 'IPAddressClaim',
  conditions: {
    [ready]: {
      level: 'wait',
      reasons: {
        WaitingForAddress: { by: byPool, overdueAfter: 60 },
        PoolExhausted: { by: byPool, next: 'It gets the next address that becomes free' },
        PoolNotReady: { level: 'fault', by: byPool, next: 'It gets an address when the pool exists and is not paused' },
        AllocationFailed: { level: 'fault', advice: 'Delete that IPAddress, or use a claim of another name' },
        WaitingForCluster: { next: 'It gets an address when the Cluster exists' },
      },
      fine: ['AddressAllocated'],
    },
    [admitted]: { isSummary: true, level: 'wait', reasons: { WaitingForCluster: {} }, fine: ['Admitted'] },
  },
};
