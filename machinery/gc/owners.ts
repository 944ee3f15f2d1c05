import { groupOf, resourceOf } from '../api/kind.ts';
import type { OwnerReference } from '../api/object.ts';
import { findFresh, type Kinds } from '../controller/kinds.ts';
import { unlessUnreadable } from '../store/readable.ts';
import type { Store } from '../store/store.ts';

/**
 * The state of an owner. `unknown`: its kind is not registered, or it cannot be read, which proves
 * nothing.
 */
export type OwnerState = 'present' | 'deletingForeground' | 'absent' | 'unknown';

/**
 * Owners of a namespaced object live in its namespace or are cluster-scoped; another uid under the
 * name is not the owner.
 */
export const ownerState = async (
  { store, kinds }: { store: Pick<Store, 'get'>; kinds: Kinds },
  namespace: string | undefined,
  reference: OwnerReference,
): Promise<OwnerState> => {
  const kind = await findFresh(kinds, groupOf(reference.apiVersion), reference.kind);
  if (!kind) return 'unknown';
  // A reference without a namespace to look in proves nothing.
  if (kind.namespaced && !namespace) return 'unknown';
  const key = { namespace: kind.namespaced ? namespace! : '', name: reference.name };
  const owner = await unlessUnreadable(store.get(resourceOf(kind), key));
  if (owner === 'unreadable') return 'unknown';
  if (owner?.metadata.uid !== reference.uid) return 'absent';
  const { deletionTimestamp, finalizers = [] } = owner.metadata;
  return deletionTimestamp && finalizers.includes('foregroundDeletion') ? 'deletingForeground' : 'present';
};
