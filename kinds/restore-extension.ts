/** Admission of restores that users ask for. The first such request loads it. */
import type { Admission, KindFacts } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ClusterOperation } from './operations/cluster-operation/schema.ts';
import type { RestoreStore } from './operations/restore/admit.ts';

const load = async () => {
  const [{ admitRestore }, { controlPlanes }] = await Promise.all([
    import('./operations/restore/admit.ts'),
    import('./control-planes.ts'),
  ]);
  return { admitRestore, controlPlanes };
};

let loaded: Awaited<ReturnType<typeof load>> | undefined;
/** Loads it ahead of its first use. */
export const loadRestore = async () => {
  loaded ??= await load();
  return loaded;
};

/** Extension of the registry by resource. */
export const restoreExtension = (store: RestoreStore, kinds: readonly KindFacts[], workflows = true) => ({
  'clusteroperations.capstan.dev': {
    admit: async (object: KubeObject, { operation, byController }: Admission): Promise<KubeObject> => {
      const { type } = ((object as ClusterOperation).spec ?? {}) as { type?: string };
      if (operation !== 'create' || byController || type !== 'restore') return object;
      const { admitRestore, controlPlanes } = loaded ?? (await loadRestore());
      return admitRestore({ store, kinds, controlPlanes, workflows }, object as ClusterOperation);
    },
  },
});
