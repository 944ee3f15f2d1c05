/** Admission of deletions that would leave a cluster's resources running. The first such request loads it. */
import { type KindFacts, resourceOf } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ProtectionStore } from './core/cluster/protection-admission.ts';

const load = async () => {
  const [admission, { madeElsewhere }] = await Promise.all([
    import('./core/cluster/moved-admission.ts'),
    // Alone: the whole provider would be loaded with it.
    import('./infrastructure-aws/stays.ts'),
  ]);
  return { ...admission, providers: [{ kind: 'AWSCluster', madeElsewhere }] };
};

let loaded: Awaited<ReturnType<typeof load>> | undefined;
/** Loads it ahead of its first use. */
export const loadMoved = async () => {
  loaded ??= await load();
  return loaded;
};

const isOwner = ({ kind, role = '' }: KindFacts): boolean =>
  ['ControlPlane', 'InfrastructureCluster'].includes(role) || ['Cluster', 'Namespace'].includes(kind);

/** Extensions of the registry by resource. */
export const movedExtension = (store: ProtectionStore, kinds: readonly KindFacts[]) => {
  const extensionOf = (kind: KindFacts) => ({
    admitDelete: async (_call: unknown, object: KubeObject): Promise<void> => {
      const { admitDeletionOfMoved, providers } = loaded ?? (await loadMoved());
      await admitDeletionOfMoved({ store, kinds, providers, kind }, object);
    },
  });
  return Object.fromEntries(kinds.filter(isOwner).map((kind) => [resourceOf(kind), extensionOf(kind)]));
};
