/** Rejects API requests that exceed the Machine quotas. */
import { forbidden } from '../../../machinery/api/errors.ts';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { declaredBy, planIn } from '../../common/autoscale/plan-entry.ts';
import { controllerOf } from '../../common/owners.ts';
import { defaultReplicas } from '../../common/replicas.ts';
import { limitsFor, theInstallation, usedOf } from './machine-quota.ts';

const machines = 'machines.cluster.x-k8s.io';
const machineSets = 'machinesets.cluster.x-k8s.io';

type Scaled = KubeObject<{ clusterName?: string; replicas?: number }>;

export interface QuotaStore {
  get(type: string, key: { namespace: string; name: string }): Promise<KubeObject | undefined>;
  list(type: string, options?: { namespace?: string }): Promise<{ objects: KubeObject[] }>;
}

/**
 * How many additional Machines a request asks for. A MachineDeployment accounts for the Machines of
 * its MachineSets.
 */
const requestedBy = (object: KubeObject, { old, related }: Admission): number => {
  if (object.kind === 'Machine') return old ? 0 : 1;
  if (object.kind === 'MachineSet' && controllerOf(object)) return 0;
  const [after, before] = [declaredBy(planIn(related), object as Scaled), old as Scaled | undefined];
  // Runs before defaulting. A default that cannot be computed is refused by validation.
  return (defaultReplicas(after, before) ?? 0) - (before?.spec?.replicas ?? 0);
};

export interface QuotaScope {
  store: QuotaStore;
  /** The resources of all control plane providers. */
  controlPlanes: readonly string[];
}

/** `resource`: the resource of the object. */
export const admitWithinQuota = async (
  { store, controlPlanes }: QuotaScope,
  resource: string,
  object: KubeObject,
  admission: Admission,
): Promise<void> => {
  if (admission.subresource === 'status') return;
  const requested = requestedBy(object, admission);
  if (requested <= 0) return;
  const { name, namespace = '' } = object.metadata;
  const [space, installation] = await Promise.all([
    store.get('namespaces', { namespace: '', name: namespace }),
    store.get('installations.capstan.dev', theInstallation),
  ]);
  for (const { most, source, where } of limitsFor(space, installation)) {
    const scope = where.namespace === undefined ? {} : { namespace: where.namespace };
    const [existing = [], ...owners] = await Promise.all(
      [machines, machineSets, ...controlPlanes].map(async (type) => (await store.list(type, scope)).objects),
    );
    const used = usedOf(existing, owners.flat());
    if (used + requested <= most) continue;
    const [plural = '', ...group] = resource.split('.');
    const why = `exceeded quota: ${source}, requested: ${requested} Machines, used: ${used}, limited: ${most}`;
    throw forbidden({ group: group.join('.'), plural }, name, why);
  }
};
