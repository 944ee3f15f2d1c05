/**
 * The ResourceQuotas of namespaces: a creation by a client is charged to them before it is carried
 * out, one by a controller is compared with what exists.
 */
import { forbidden } from '../api/errors.ts';
import { type KindFacts, resourceOf } from '../api/kind.ts';
import type { ObjectKey } from '../api/object.ts';
import { limitsIn, quotaType, type ResourceQuota, usedIn, withUsed } from '../api/resource-quota.ts';
import type { Copy, Marked } from '../marked.ts';
import type { Decision, Store } from '../store/store.ts';

export const quotaControllerName = 'resource-quota';

/** ResourceQuotas by namespace. */
export type KnownQuotas = Pick<Copy<ReadonlyMap<string, ResourceQuota[]>>, 'now'>;

export const quotasIn = (marked: Marked): KnownQuotas =>
  marked.copy({ quotas: quotaType }, ({ quotas }) =>
    Map.groupBy(quotas as readonly ResourceQuota[], ({ metadata }) => metadata.namespace ?? ''),
  );

/** Takes a charge back, because the object was not created. */
export type Refund = () => Promise<void>;

export interface Quotas {
  /** Throws 403 if a quota of the namespace has no room for one more object. A dry run is not charged. */
  charge(kind: KindFacts, key: ObjectKey, dryRun: boolean): Promise<Refund>;
}

/** Throws 403 if a quota of the namespace has no room for one more object of a controller. */
export type CheckQuotas = (kind: KindFacts, key: ObjectKey) => Promise<void>;

type CountingStore = Pick<Store, 'commit' | 'list'>;

/** Counts objects that cannot be read, too: they exist. */
export const countOf = async (store: Pick<Store, 'list'>, type: string, namespace: string): Promise<number> => {
  let unreadable = 0;
  const { objects } = await store.list(type, { namespace, skip: () => void unreadable++ });
  return objects.length + unreadable;
};

const limitsOn = (quota: ResourceQuota, kind: KindFacts) => {
  const type = resourceOf(kind);
  return limitsIn(quota).filter((limit) => limit.type === type);
};

const quotasOf = async (known: KnownQuotas, kind: KindFacts, namespace: string): Promise<ResourceQuota[]> =>
  kind.namespaced ? ((await known.now()).get(namespace) ?? []).filter((quota) => limitsOn(quota, kind).length > 0) : [];

interface Used {
  name: string;
  most: number;
  used: number;
}

/** Throws Kubernetes' refusal if one more object exceeds any of the limits. */
const checkRoom = (kind: KindFacts, name: string, quota: ResourceQuota, limits: readonly Used[]): void => {
  const exceeded = limits.filter(({ used, most }) => used + 1 > most);
  if (exceeded.length === 0) return;
  const amounts = (amount: (one: Used) => number) => exceeded.map((one) => `${one.name}=${amount(one)}`).join(',');
  const why = `exceeded quota: ${quota.metadata.name}, requested: ${amounts(() => 1)}, used: ${amounts(({ used }) => used)}, limited: ${amounts(({ most }) => most)}`;
  throw forbidden(kind, name, why);
};

export const createQuotaCheck =
  (store: Pick<Store, 'list'>, known: KnownQuotas): CheckQuotas =>
  async (kind, { namespace, name }) => {
    const quotas = await quotasOf(known, kind, namespace);
    if (quotas.length === 0) return;
    const used = await countOf(store, resourceOf(kind), namespace);
    for (const quota of quotas)
      checkRoom(
        kind,
        name,
        quota,
        limitsOn(quota, kind).map((limit) => ({ ...limit, used })),
      );
  };

export const createQuotas = (store: CountingStore, known: KnownQuotas): Quotas => {
  const keyOf = ({ metadata: { namespace = '', name } }: ResourceQuota): ObjectKey => ({ namespace, name });

  /** Adds to what is used of one quota, and returns what it changed. */
  const add = async (kind: KindFacts, name: string, quota: ResourceQuota, by: 1 | -1, dryRun: boolean) => {
    const type = resourceOf(kind);
    const decide = async (stored: ResourceQuota | undefined): Promise<Decision> => {
      const current = stored ?? quota;
      const limits = limitsOn(current, kind);
      if (!stored || limits.length === 0) return { do: 'nothing', object: current };
      const namespace = current.metadata.namespace ?? '';
      const counted = limits.some((limit) => usedIn(current, limit.name) === undefined)
        ? await countOf(store, type, namespace)
        : 0;
      const used = limits.map((limit) => ({ ...limit, used: usedIn(current, limit.name) ?? counted }));
      if (by > 0) checkRoom(kind, name, current, used);
      if (dryRun) return { do: 'nothing', object: current };
      const others = Object.fromEntries(
        Object.keys(current.status?.used ?? {}).map((one) => [one, usedIn(current, one) ?? 0]),
      );
      const changed = Object.fromEntries(used.map((one) => [one.name, Math.max(0, one.used + by)]));
      return { do: 'put', object: withUsed(current, { ...others, ...changed }) };
    };
    await store.commit(quotaType, keyOf(quota), async (current) => decide(current as ResourceQuota | undefined), {
      writer: quotaControllerName,
      retry: true,
    });
  };

  return {
    charge: async (kind, { namespace, name }, dryRun) => {
      const quotas = await quotasOf(known, kind, namespace);
      const charged: ResourceQuota[] = [];
      const refund = async (): Promise<void> => {
        for (const quota of charged) await add(kind, name, quota, -1, dryRun);
      };
      for (const quota of quotas) {
        try {
          await add(kind, name, quota, 1, dryRun);
        } catch (error) {
          await refund();
          throw error;
        }
        charged.push(quota);
      }
      return refund;
    },
  };
};
