/** Prepares a set's resources, and finds those that are due on a cluster. */
import { freeze } from '../../../machinery/api/frozen.ts';
import { memoizeFrozen } from '../../../machinery/api/memoize.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read } from '../../../machinery/api/reconcile.ts';
import type { ClusterResourceSetBinding } from '../cluster-resource-set-binding/schema.ts';
import { hashOf, parseManifests, secretType, valuesOf } from './manifests.ts';
import { type AppliedResource, entryOf, type ResourceRef, same } from './objects.ts';
import type { ClusterResourceSet } from './schema.ts';

export interface Resource {
  ref: ResourceRef;
  object: Read<KubeObject>;
}

/** A resource that can be applied, with its objects. */
export interface Ready {
  ref: ResourceRef;
  hash: string;
  objects: JsonObject[];
}
/** Why a resource of the set cannot be applied to any cluster. */
export interface Faulty {
  ref: ResourceRef;
  reason: 'NotApplied' | 'WrongSecretType';
  message: string;
}

const contentOf = memoizeFrozen((resource: KubeObject) => {
  const values = valuesOf(resource);
  return { hash: hashOf(values), parsed: freeze(parseManifests(values)) };
});

export const prepare = (resources: readonly Resource[]): (Ready | Faulty)[] =>
  resources.map(({ ref, object }) => {
    const resource = found(object);
    if (!resource) {
      const why = object.state === 'unreadable' ? object.reason : 'not found';
      return { ref, reason: 'NotApplied', message: `${ref.kind} ${ref.name}: ${why}` };
    }
    if (ref.kind === 'Secret' && resource.type !== secretType) {
      return { ref, reason: 'WrongSecretType', message: `Secret ${ref.name} must have type ${secretType}` };
    }
    const { hash, parsed } = contentOf(resource);
    if ('error' in parsed) return { ref, reason: 'NotApplied', message: `${ref.kind} ${ref.name}: ${parsed.error}` };
    return { ref, hash, objects: parsed.objects };
  });

export const isDue = (set: ClusterResourceSet, applied: AppliedResource | undefined, { hash }: Ready): boolean =>
  !applied?.applied || (set.spec?.strategy === 'Reconcile' && applied.hash !== hash);

/** The applicable resources that this binding does not record as applied. */
export const dueOf = (
  set: ClusterResourceSet,
  binding: ClusterResourceSetBinding | undefined,
  prepared: readonly (Ready | Faulty)[],
): Ready[] => {
  const applied = entryOf(binding, set)?.resources ?? [];
  return prepared.flatMap((one) => ('hash' in one && isDue(set, applied.find(same(one.ref)), one) ? one : []));
};
