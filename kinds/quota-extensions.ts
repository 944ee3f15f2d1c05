/** Quota admission for kinds that create Machines. The first such request loads the check. */
import type { Admission } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { QuotaStore } from './core/contract/machine-quota-admission.ts';

const types = [
  'machines.cluster.x-k8s.io',
  'machinesets.cluster.x-k8s.io',
  'machinedeployments.cluster.x-k8s.io',
  'kubeadmcontrolplanes.controlplane.cluster.x-k8s.io',
];

let loaded: typeof import('./core/contract/machine-quota-admission.ts') | undefined;
/** Loads the check ahead of its first use. */
export const loadQuota = async () => {
  loaded ??= await import('./core/contract/machine-quota-admission.ts');
  return loaded;
};

/** Extensions of the registry by resource. */
export const quotaExtensions = (store: QuotaStore) => {
  const admit = async (object: KubeObject, admission: Admission): Promise<KubeObject> => {
    const { admitWithinQuota } = loaded ?? (await loadQuota());
    await admitWithinQuota(store, object, admission);
    return object;
  };
  return Object.fromEntries(types.map((type) => [type, { admit }]));
};
