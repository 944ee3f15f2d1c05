/** Owner references, and patches of objects that other clients may write too. */
import type { KubeObject, OwnerReference } from '../../machinery/api/object.ts';
import type { Action, MergePatch } from '../../machinery/api/reconcile.ts';

export const ownerReference = (owner: KubeObject): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid ?? '',
});
export const controllerReference = (owner: KubeObject): OwnerReference => ({
  ...ownerReference(owner),
  controller: true,
  blockOwnerDeletion: true,
});

export const ownersOf = (object: KubeObject): OwnerReference[] => object.metadata.ownerReferences ?? [];
export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  ownersOf(object).find(({ controller }) => controller);
export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean =>
  controllerOf(object)?.uid === owner.metadata.uid;
export const isOwnedBy = (object: KubeObject, owner: KubeObject): boolean =>
  ownersOf(object).some(({ uid }) => uid === owner.metadata.uid);

/**
 * Whether an object has exactly this owner reference. A former apiVersion of the owner's kind does
 * not match. `blockOwnerDeletion` does not count, because the garbage collector removes it to break
 * cycles.
 */
export const hasReference = (
  object: KubeObject,
  { apiVersion, kind, name, uid, controller }: OwnerReference,
): boolean =>
  ownersOf(object).some(
    (owner) =>
      owner.uid === uid &&
      owner.apiVersion === apiVersion &&
      owner.kind === kind &&
      owner.name === name &&
      Boolean(owner.controller) === Boolean(controller),
  );

/** The object's owners with `reference` added or, for the same owner, updated. */
export const withOwner = (object: KubeObject, reference: OwnerReference): OwnerReference[] => [
  ...ownersOf(object).filter(({ uid }) => uid !== reference.uid),
  reference,
];

/** A patch conditional on the observed resourceVersion. */
export const patchAsObserved = (object: KubeObject, patch: MergePatch): Action => {
  const { namespace = '', name, uid = '', resourceVersion } = object.metadata;
  return {
    do: 'patch',
    apiVersion: object.apiVersion,
    kind: object.kind,
    namespace,
    name,
    uid,
    ...(resourceVersion && { resourceVersion }),
    patch,
  };
};
/** An unconditional patch, for fields that no other client writes. */
export const patchOf = (object: KubeObject, patch: MergePatch): Action => {
  const { namespace = '', name, uid = '' } = object.metadata;
  return { do: 'patch', apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid, patch };
};
export const deletionOf = (object: KubeObject): Action => {
  const { namespace = '', name, uid = '' } = object.metadata;
  return { do: 'delete', apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid };
};
/** The object's owners with `reference` as the only controller. */
export const withController = (object: KubeObject, reference: OwnerReference): OwnerReference[] => [
  ...ownersOf(object).filter(({ controller, uid }) => !controller && uid !== reference.uid),
  reference,
];

/**
 * Adds an owner, conditional on the observed resourceVersion, because the patch replaces the whole
 * list.
 */
export const ownPatch = (object: KubeObject, reference: OwnerReference): Action =>
  patchAsObserved(object, {
    metadata: { ownerReferences: withOwner(object, reference) },
  });
