/** What an IPAddressClaim's conditions mean. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type CauseRules, referred } from '../../common/causes/index.ts';
import { ipamGroup } from '../../common/versions.ts';
import { admitted, ready } from './conditions.ts';
import type { IPAddressClaim } from './schema.ts';

const byPool = referred('poolRef');

const seePool = ({ spec, metadata }: KubeObject): string[] => {
  const { poolRef } = (spec ?? {}) as Partial<NonNullable<IPAddressClaim['spec']>>;
  if (!poolRef) return [];
  const { kind, name } = poolRef;
  const where = kind === 'InClusterIPPool' ? ` -n ${metadata.namespace}` : '';
  return [`kubectl get ${kind.toLowerCase()} ${name}${where}`];
};

export const ipAddressClaimCauses: CauseRules = {
  group: ipamGroup,
  kind: 'IPAddressClaim',
  conditions: {
    [ready]: {
      level: 'wait',
      reasons: {
        WaitingForAddress: { by: byPool, overdueAfter: 60 },
        PoolExhausted: { by: byPool, run: seePool, next: 'It gets the next address that becomes free' },
        PoolNotReady: { level: 'fault', by: byPool, next: 'It gets an address when the pool exists and is not paused' },
        AllocationFailed: { level: 'fault', advice: 'Delete that IPAddress, or use a claim of another name' },
        WaitingForCluster: { next: 'It gets an address when the Cluster exists' },
      },
      fine: ['AddressAllocated'],
    },
    [admitted]: { isSummary: true, level: 'wait', reasons: { WaitingForCluster: {} }, fine: ['Admitted'] },
  },
};
