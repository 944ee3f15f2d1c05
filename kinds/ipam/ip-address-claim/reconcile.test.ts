import { describe, expect, it } from 'vitest';
import type { Context } from '../../../machinery/api/reconcile.ts';
import type { IPAddress } from '../ip-address/schema.ts';
import type { Pool } from '../pool/schema.ts';
import type { Observed } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { IPAddressClaim } from './schema.ts';

const group = 'ipam.cluster.x-k8s.io';
const poolRef = { apiGroup: group, kind: 'InClusterIPPool', name: 'pool' };
const now = Date.UTC(2026, 0, 1, 0, 10);
const release = `${group}/ReleaseAddress`;

const claim = (metadata: object = {}): IPAddressClaim => ({
  apiVersion: `${group}/v1beta2`,
  kind: 'IPAddressClaim',
  metadata: { namespace: 'default', name: 'a', uid: 'of-a', finalizers: [release], ...metadata },
  spec: { poolRef },
});
const deleted = (...finalizers: string[]) =>
  claim({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [release, ...finalizers] });
const pool = (spec: object = {}, metadata: object = {}): Observed['pool'] => ({
  state: 'found',
  value: {
    apiVersion: `${group}/v1alpha2`,
    kind: 'InClusterIPPool',
    metadata: { namespace: 'default', name: 'pool', ...metadata },
    spec: { addresses: ['10.0.0.10'], prefix: 24, ...spec },
  } as Pool,
});
const address: Observed['address'] = {
  state: 'found',
  value: {
    apiVersion: `${group}/v1beta2`,
    kind: 'IPAddress',
    metadata: { namespace: 'default', name: 'a', finalizers: [`${group}/ProtectAddress`] },
    spec: { address: '10.0.0.10', prefix: 24, claimRef: { name: 'a' }, poolRef },
  } as IPAddress,
};
const absent = { state: 'absent' } as const;
const decide = (more: Partial<Observed>) =>
  reconcile({ claim: claim(), cluster: undefined, pool: pool(), address: absent, isTaken: false, ...more }, {
    now,
  } as Context);

describe('a claim', () => {
  it.each([
    { rule: 'has its address', of: { address }, reason: 'AddressAllocated' },
    { rule: 'waits for the pool to give one', of: {}, reason: 'WaitingForAddress' },
    { rule: 'waits for its Cluster', of: { cluster: absent }, reason: 'WaitingForCluster' },
    { rule: 'reports an IPAddress of its name that is not its own', of: { isTaken: true }, reason: 'AllocationFailed' },
    { rule: 'reports that its pool is absent', of: { pool: absent }, reason: 'PoolNotReady' },
    {
      rule: 'keeps its address when its pool is gone',
      of: { pool: absent, address },
      reason: 'AddressAllocated',
    },
    {
      rule: 'reports that its pool goes',
      of: { pool: pool({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
      reason: 'PoolNotReady',
    },
  ])('$rule', ({ of, reason }) => {
    const { status } = decide(of as Partial<Observed>);
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.reason).toBe(reason);
    expect(status?.addressRef?.name).toBe(reason === 'AddressAllocated' ? 'a' : undefined);
  });
});

describe('a deleted claim', () => {
  const releases = ['patch', 'delete'];
  it.each([
    { rule: 'releases its address', of: {}, does: releases },
    { rule: 'releases it when its pool is gone', of: { pool: absent }, does: releases },
    { rule: 'keeps it while its consumer holds the claim', of: { claim: deleted('example.com/in-use') }, does: [] },
    { rule: 'does not wait for the collector', of: { claim: deleted('foregroundDeletion') }, does: releases },
    {
      rule: 'keeps it while its pool is paused',
      of: { pool: pool({}, { annotations: { 'cluster.x-k8s.io/paused': '' } }) },
      does: [],
    },
    {
      rule: 'keeps it for the grace period',
      of: { pool: pool({ addressReuseGracePeriodSeconds: 900 }) },
      does: [],
      requeueAfter: 300,
    },
    {
      rule: 'releases it after the grace period',
      of: { pool: pool({ addressReuseGracePeriodSeconds: 600 }) },
      does: releases,
    },
  ])('$rule', ({ of, does, requeueAfter }) => {
    const plan = decide({ claim: deleted(), address, ...(of as Partial<Observed>) });
    expect((plan.actions ?? []).map((action) => action.do)).toEqual(does);
    expect(plan.requeueAfter).toBe(requeueAfter);
    expect(plan.finished).toBeUndefined();
  });

  it('is gone once its address is', () => expect(decide({ claim: deleted() })).toEqual({ finished: true }));
});
