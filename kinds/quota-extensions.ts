/** Quota admission for kinds that create Machines. The first such request loads the check. */
import { type Admission, type KindFacts, resourceOf } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { QuotaStore } from './core/contract/machine-quota-admission.ts';

const core = ['machines', 'machinesets', 'machinedeployments'].map((plural) => `${plural}.cluster.x-k8s.io`);

let loaded: typeof import('./core/contract/machine-quota-admission.ts') | undefined;
/** Loads the check ahead of its first use. */
export const loadQuota = async () => {
  loaded ??= await import('./core/contract/machine-quota-admission.ts');
  return loaded;
};

/** Extensions of the registry by resource. */
export const quotaExtensions = (store: QuotaStore, kinds: readonly KindFacts[]) => {
  const controlPlanes = kinds.filter(({ role }) => role === 'ControlPlane').map(resourceOf);
  const extensionOf = (resource: string) => ({
    admit: async (object: KubeObject, admission: Admission): Promise<KubeObject> => {
      const { admitWithinQuota } = loaded ?? (await loadQuota());
      await admitWithinQuota({ store, controlPlanes }, resource, object, admission);
      return object;
    },
  });
  return Object.fromEntries([...core, ...controlPlanes].map((resource) => [resource, extensionOf(resource)]));
};
