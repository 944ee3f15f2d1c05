/** Gives the claims of a pool their addresses. Pure. */
import type { OwnerReference } from '../../../machinery/api/object.ts';
import { type Action, type ConditionDraft, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { controllerReference, hasReference, ownerReference, ownersOf, patchAsObserved } from '../../common/owners.ts';
import { ipamGroup } from '../../common/versions.ts';
import { isAddressOf } from '../bound.ts';
import { protectAddress } from '../finalizers.ts';
import type { IPAddress } from '../ip-address/schema.ts';
import type { IPAddressClaim } from '../ip-address-claim/schema.ts';
import { allocatable } from './addresses.ts';
import { type Allocation, allocating, allocationsOf, isFor } from './allocation.ts';
import { exhausted } from './conditions.ts';
import type { Observed } from './observe.ts';
import { addressOf, contains, countOf, difference, lowest, only, type Range, textOf, union } from './ranges.ts';
import type { Pool, PoolStatus } from './schema.ts';

/** Addresses that are chosen in one pass: their record must fit into an annotation. */
const atOnce = 100;

const oldestFirst = (a: IPAddressClaim, b: IPAddressClaim): number => {
  const keyOf = ({ metadata: { creationTimestamp = '', namespace = '', name } }: IPAddressClaim) =>
    `${creationTimestamp} ${namespace}/${name}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
};

const rangesOf = (texts: readonly (string | undefined)[]): Range[] =>
  union(texts.flatMap((text) => addressOf(text ?? '') ?? []).map(only));

const ownersFor = (pool: Pool, claim: IPAddressClaim): OwnerReference[] => [
  controllerReference(claim),
  { ...ownerReference(pool), controller: false, blockOwnerDeletion: true },
];

const newAddress = (pool: Pool, claim: IPAddressClaim, address: string): Action => {
  const { namespace, name } = claim.metadata;
  const cluster = claim.metadata.labels?.[labels.cluster];
  return {
    do: 'create',
    object: {
      apiVersion: `${ipamGroup}/v1beta2`,
      kind: 'IPAddress',
      metadata: {
        ...(namespace && { namespace }),
        name,
        ...(cluster && { labels: { [labels.cluster]: cluster } }),
        finalizers: [protectAddress],
        ownerReferences: ownersFor(pool, claim),
      },
      spec: {
        address,
        prefix: pool.spec!.prefix,
        ...(pool.spec!.gateway && { gateway: pool.spec!.gateway }),
        claimRef: { name },
        poolRef: { apiGroup: ipamGroup, kind: pool.kind, name: pool.metadata.name },
      },
    },
  };
};

/** A client may remove what protects an address, and a restore may bring it back without. */
const mends = (pool: Pool, claims: readonly IPAddressClaim[], addresses: readonly IPAddress[]): Action[] =>
  addresses.flatMap((address) => {
    const { metadata } = address;
    const claim = claims.find((one) => isAddressOf(one, address));
    if (!claim || metadata.deletionTimestamp) return [];
    const owners = ownersFor(pool, claim);
    const isWhole = metadata.finalizers?.includes(protectAddress);
    if (isWhole && owners.every((owner) => hasReference(address, owner))) return [];
    const others = ownersOf(address).filter(({ uid }) => !owners.some((owner) => owner.uid === uid));
    const finalizers = [...new Set([...(metadata.finalizers ?? []), protectAddress])];
    return [patchAsObserved(address, { metadata: { ownerReferences: [...others, ...owners], finalizers } })];
  });

/** An address that nothing holds any more: its claim is gone, with the finalizer that would release it. */
const releases = (claims: readonly IPAddressClaim[], addresses: readonly IPAddress[]): Action[] =>
  addresses
    .filter(({ metadata }) => metadata.deletionTimestamp && metadata.finalizers?.includes(protectAddress))
    .filter((address) => !claims.some((claim) => isAddressOf(claim, address)))
    .map((address) =>
      patchAsObserved(address, {
        metadata: { finalizers: address.metadata.finalizers!.filter((one) => one !== protectAddress) },
      }),
    );

/** Whether it has no address and is to get one. */
const isUnserved = (claim: IPAddressClaim, addresses: readonly IPAddress[]): boolean =>
  !claim.metadata.deletionTimestamp && !addresses.some((address) => isAddressOf(claim, address));

const exhaustion = (pool: Pool, total: number, free: number, unserved: number): ConditionDraft => {
  if (free > 0) return { type: exhausted, status: 'False', reason: 'AddressesFree', message: '' };
  const wait = unserved > 0 ? `; ${unserved} IPAddressClaim${unserved === 1 ? ' waits' : 's wait'}` : '';
  const all = total === 0 ? `${pool.kind} has no address that it may give` : `All ${total} addresses are in use`;
  return { type: exhausted, status: 'True', reason: 'NoAddressFree', message: `${all}${wait}` };
};

export const reconcile = ({ pool, ...reads }: Observed): Plan<PoolStatus> => {
  const [claims, addresses, waiting] = [found(reads.claims), found(reads.addresses), found(reads.waiting)];
  if (!claims || !addresses || !waiting || !pool.spec) return {};
  const released = releases(claims, addresses);
  if (pool.metadata.deletionTimestamp) return { actions: released, finished: addresses.length === 0 };

  // An address stays recorded as long as its claim exists: a pass that is late may still create it.
  const pending = allocationsOf(pool).filter((one) =>
    claims.some((claim) => isFor(claim)(one) && isUnserved(claim, addresses)),
  );
  const given = [...addresses.map(({ spec }) => spec?.address), ...pending.map(({ address }) => address)];
  const pooled = allocatable(pool.spec);
  const free = difference(pooled, rangesOf(given));
  const unserved = waiting.filter((claim) => !pending.some(isFor(claim))).sort(oldestFirst);
  const chosen = lowest(free, Math.min(unserved.length, atOnce)).map((address, i): Allocation => {
    const { namespace = '', name, uid = '' } = unserved[i]!.metadata;
    return { namespace, name, uid, address: textOf(address) };
  });
  const record = [...pending, ...chosen];
  const text = record.length > 0 ? JSON.stringify(record) : null;
  const creations = waiting.flatMap((claim) => {
    const one = record.find(isFor(claim));
    return one ? [newAddress(pool, claim, one.address)] : [];
  });
  const mended = mends(pool, claims, addresses);

  const left = difference(free, rangesOf(chosen.map(({ address }) => address)));
  const total = countOf(pooled);
  const outOfRange = addresses.filter(({ spec }) => {
    const address = addressOf(spec?.address ?? '');
    return address && !contains(pooled, address);
  }).length;
  const condition = exhaustion(pool, total, countOf(left), unserved.length - chosen.length);
  return {
    ...(text !== (pool.metadata.annotations?.[allocating] ?? null) && {
      intent: { metadata: { annotations: { [allocating]: text } } },
    }),
    actions: [...creations, ...mended, ...released],
    status: {
      ipAddresses: { total, free: countOf(left), used: addresses.length + record.length, outOfRange },
      conditions: [condition],
    },
    ...(creations.length > 0 && { again: true }),
  };
};
