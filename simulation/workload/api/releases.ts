/** Which kinds the API servers of a release serve. */
import { resourceOf } from '../../../machinery/api/kind.ts';
import type { KindRegistry, KnownKind } from '../../../machinery/server/registry.ts';
import { parseVersion } from '../kubeadm/version.ts';

/** The first minor release of Kubernetes 1 that serves a resource by default; all others are older. */
const since: Readonly<Record<string, number>> = {
  'mutatingadmissionpolicies.admissionregistration.k8s.io': 36,
};

export const servedBy = (registry: KindRegistry, version: string): KindRegistry => {
  const { minor = 0 } = parseVersion(version) ?? {};
  const isServed = ({ kind }: Pick<KnownKind, 'kind'>): boolean => (since[resourceOf(kind)] ?? 0) <= minor;
  return {
    ...registry,
    find: async (group, plural) => {
      const found = await registry.find(group, plural);
      return found && isServed(found) ? found : undefined;
    },
    findKind: (group, kind) => {
      const found = registry.findKind(group, kind);
      return found && isServed(found) ? found : undefined;
    },
    list: () => registry.list().filter(isServed),
    resources: async () => (await registry.resources()).filter(isServed),
  };
};
