/** Counts what ResourceQuotas limit, when it changes: objects that controllers create and all that are deleted. */
import { equal } from '../api/merge.ts';
import { limitsIn, quotaType, type ResourceQuota, withUsed } from '../api/resource-quota.ts';
import type { Extra } from '../controller/dispatch.ts';
import type { Runner } from '../controller/runtime.ts';
import type { WorkKey } from '../controller/work-item.ts';
import type { LogEntry, Store, Unreadable } from '../store/store.ts';
import { countOf, type KnownQuotas, quotaControllerName } from './quotas.ts';

export interface QuotaControllerOptions {
  store: Store;
  quotas: KnownQuotas;
}

const keyFor = ({ namespace, name }: { namespace: string; name: string }): WorkKey => ({
  controller: quotaControllerName,
  type: quotaType,
  namespace,
  name,
});
const keyOf = ({ metadata: { namespace = '', name } }: ResourceQuota): WorkKey => keyFor({ namespace, name });

/** Seconds to defer after a change: more usually follow. */
const following = 1;

export const quotaRequests =
  ({ quotas }: Pick<QuotaControllerOptions, 'quotas'>): Extra =>
  async ({ type, event, namespace, name, writer }: LogEntry) => {
    if (type === quotaType && event !== 'DELETED')
      return writer === quotaControllerName ? [] : [{ key: keyFor({ namespace, name }), urgent: true }];
    if (!namespace || event === 'MODIFIED') return [];
    const counting = ((await quotas.now()).get(namespace) ?? []).filter((quota) =>
      limitsIn(quota).some((limit) => limit.type === type),
    );
    return counting.map((quota) => ({ key: keyOf(quota), urgent: true, after: following }));
  };

export const createQuotaController = ({ store }: QuotaControllerOptions): Runner => {
  const counted = async (quota: ResourceQuota): Promise<ResourceQuota> => {
    const { namespace = '' } = quota.metadata;
    const counts = limitsIn(quota).map(
      async ({ name, type }) => [name, await countOf(store, type, namespace)] as const,
    );
    return withUsed(quota, Object.fromEntries(await Promise.all(counts)));
  };
  return {
    run: async ({ namespace, name }) => {
      const key = { namespace, name };
      const quota = await store.get(quotaType, key);
      if (!quota) return { ended: 'gone' };
      await store.commit(
        quotaType,
        key,
        async (current) => {
          if (!current) return { do: 'nothing', object: quota };
          const next = await counted(current as ResourceQuota);
          return equal(next, current) ? { do: 'nothing', object: current } : { do: 'put', object: next };
        },
        { writer: quotaControllerName, retry: true },
      );
      return { ended: 'gone' };
    },
    types: () => [quotaType],
    resync: async () => {
      const unreadable: Unreadable[] = [];
      const { objects } = await store.list(quotaType, { skip: (one) => unreadable.push(one) });
      return { requests: objects.map((one) => ({ key: keyOf(one as ResourceQuota), urgent: false })), unreadable };
    },
  };
};
