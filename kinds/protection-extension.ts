/** Admission of what would delete a protected cluster. The first such request loads it. */
import { type Admission, type KindFacts, resourceOf } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ProtectionStore } from './core/cluster/protection-admission.ts';

const load = async () => {
  const [admission, { controlPlanes }] = await Promise.all([
    import('./core/cluster/protection-admission.ts'),
    import('./control-planes.ts'),
  ]);
  return { ...admission, providers: controlPlanes };
};

let loaded: Awaited<ReturnType<typeof load>> | undefined;
/** Loads it ahead of its first use. */
export const loadProtection = async () => {
  loaded ??= await load();
  return loaded;
};

const roles = [
  'ControlPlane',
  'InfrastructureCluster',
  'InfrastructureMachine',
  'InfrastructureMachineTemplate',
  'BootstrapConfigTemplate',
];
const others = [
  ...['machines', 'machinesets', 'machinedeployments'].map((plural) => `${plural}.cluster.x-k8s.io`),
  'secrets',
];

/** Extensions of the registry by resource. */
export const protectionExtension = (store: ProtectionStore, kinds: readonly KindFacts[]) => {
  const extensionOf = (kind: KindFacts) => ({
    admit: async (object: KubeObject, admission: Admission): Promise<KubeObject> => {
      if (admission.operation !== 'update') return object;
      const { admitUpdate, providers } = loaded ?? (await loadProtection());
      await admitUpdate({ store, kinds, providers, kind }, object, admission);
      return object;
    },
    admitDelete: async (_call: unknown, object: KubeObject, together: readonly KubeObject[] = []): Promise<void> => {
      const { admitDeletion, providers } = loaded ?? (await loadProtection());
      await admitDeletion({ store, kinds, providers, kind }, object, together);
    },
  });
  const parts = kinds.filter((kind) => roles.includes(kind.role ?? '') || others.includes(resourceOf(kind)));
  return Object.fromEntries(parts.map((kind) => [resourceOf(kind), extensionOf(kind)]));
};
