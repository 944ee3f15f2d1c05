/** Reports a claim's address, and releases it with the claim. Pure. */
import { isTrue, legacyFalse, legacyTrue } from '../../../machinery/api/conditions.ts';
import { type ConditionDraft, type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { deletionOf, patchAsObserved } from '../../common/owners.ts';
import { hasPaused } from '../../common/paused.ts';
import { protectAddress, releaseAddress } from '../finalizers.ts';
import type { IPAddress } from '../ip-address/schema.ts';
import { exhausted } from '../pool/conditions.ts';
import { admitted, ready } from './conditions.ts';
import type { Observed } from './observe.ts';
import type { IPAddressClaim, IPAddressClaimStatus } from './schema.ts';

const poolNameOf = ({ claim }: Observed): string => {
  const { kind, name } = claim.spec!.poolRef;
  return `${kind} ${name}`;
};

const waits = (reason: string, message: string): ConditionDraft => ({ type: ready, status: 'False', reason, message });

/** Why the pool serves no claim. */
const poolFault = (observed: Observed): string | undefined => {
  const name = poolNameOf(observed);
  const pool = found(observed.pool);
  if (!pool) return observed.pool.state === 'absent' ? `${name} does not exist` : undefined;
  if (pool.metadata.deletionTimestamp) return `${name} is being deleted`;
  return hasPaused(pool) ? `${name} is paused` : undefined;
};

const readiness = (observed: Observed): ConditionDraft => {
  const { claim, cluster, pool, address, isTaken } = observed;
  if (found(address)) return { type: ready, status: 'True', reason: 'AddressAllocated', message: '' };
  if (cluster?.state === 'absent') return waits('WaitingForCluster', 'Waiting for its Cluster to exist');
  if (isTaken)
    return waits('AllocationFailed', `IPAddress ${claim.metadata.name} exists and does not belong to this claim`);
  const fault = poolFault(observed);
  if (fault) return waits('PoolNotReady', fault);
  if (isTrue(found(pool)?.status?.conditions, exhausted))
    return waits('PoolExhausted', `${poolNameOf(observed)} has no free address`);
  return waits('WaitingForAddress', `Waiting for ${poolNameOf(observed)} to give an address`);
};

const statusOf = (observed: Observed): IPAddressClaimStatus => {
  const { claim, cluster, address } = observed;
  const condition = readiness(observed);
  const name = found(address)?.metadata.name;
  const admission: ConditionDraft =
    cluster?.state === 'absent'
      ? { type: admitted, status: 'False', reason: 'WaitingForCluster', message: 'Waiting for its Cluster to exist' }
      : { type: admitted, status: 'True', reason: 'Admitted', message: '' };
  return {
    ...claim.status,
    ...(name && { addressRef: { name } }),
    conditions: [condition, admission],
    deprecated: {
      v1beta1: {
        conditions: [
          condition.status === 'True'
            ? legacyTrue(ready)
            : legacyFalse(ready, condition.reason, 'Info', condition.message),
        ],
      },
    },
  } as IPAddressClaimStatus;
};

/** Milliseconds until the address may be given again. */
const graceLeft = ({ claim, pool }: Observed, now: number): number => {
  const object = found(pool);
  const seconds = object?.spec?.addressReuseGracePeriodSeconds;
  if (!seconds || object?.metadata.deletionTimestamp) return 0;
  return Date.parse(claim.metadata.deletionTimestamp!) + seconds * 1000 - now;
};

const released = (address: IPAddress) => {
  const finalizers = (address.metadata.finalizers ?? []).filter((one) => one !== protectAddress);
  return [patchAsObserved(address, { metadata: { finalizers } }), deletionOf(address)];
};

/** Finalizers of the garbage collector: they wait for dependents such as the address. */
const collecting = ['foregroundDeletion', 'orphan'];

/** A consumer of the address, such as an AWSMachine, holds the claim by a finalizer of its own. */
const isInUse = ({ metadata }: IPAddressClaim): boolean =>
  metadata.finalizers?.some((one) => one !== releaseAddress && !collecting.includes(one)) === true;

const remove = (observed: Observed, now: number): Plan<IPAddressClaimStatus> => {
  const { claim, address, pool } = observed;
  if (isInUse(claim)) return {};
  if (address.state === 'absent') return { finished: true };
  const object = found(address);
  const holder = found(pool);
  if (!object || (!holder && pool.state !== 'absent') || (holder && hasPaused(holder))) return {};
  const left = graceLeft(observed, now);
  if (left > 0) return { requeueAfter: Math.ceil(left / 1000) };
  return { actions: released(object), again: true };
};

export const reconcile = (observed: Observed, { now }: Context): Plan<IPAddressClaimStatus> => {
  const { claim, cluster, pool, address } = observed;
  if (claim.metadata.deletionTimestamp) return remove(observed, now);
  if ([cluster, pool, address].some((one) => one?.state === 'unreadable')) return {};
  return { status: statusOf(observed) };
};
