/** What a server-side apply by a controller makes of the stored object. */
import type { KindDefinition } from '../api/kind.ts';
import { admissionOf, prepareCreate, prepareUpdate, type Request, withDefaults } from '../api/lifecycle.ts';
import { equal } from '../api/merge.ts';
import type { KubeObject } from '../api/object.ts';
import { onDemand } from '../once.ts';
import type { Decision } from '../store/store.ts';

// Loaded with the first apply.
const applying = onDemand(async () => (await import('../server/applying.ts')).appliedTo);

export interface ApplyOptions {
  manager: string;
  request: Request;
  /** Schema defaults and pruning. */
  prepared: (object: KubeObject, current?: KubeObject) => KubeObject;
  /** A new object as users change it; a trial leaves it out. */
  mutated?: (object: KubeObject) => Promise<KubeObject>;
}

export const decideApply = async (
  kind: KindDefinition,
  config: KubeObject,
  current: KubeObject | undefined,
  { manager, request, prepared, mutated = async (object) => object }: ApplyOptions,
): Promise<Decision> => {
  const admission = admissionOf(current ? 'update' : 'create', request, current);
  const appliedTo = await applying();
  const next = await appliedTo(kind, current, config, {
    manager,
    now: request.now,
    settle: (object) => withDefaults(kind, prepared(object, current), admission),
  });
  if (!current) return prepareCreate(kind, prepared(await mutated(prepared(next))), undefined, request);
  const decision = prepareUpdate(kind, prepared(next, current), current, request);
  const { managedFields } = next.metadata;
  if (decision.do === 'remove' || equal(managedFields, current.metadata.managedFields)) return decision;
  const metadata = { ...decision.object.metadata, ...(managedFields && { managedFields }) };
  return { do: 'put', object: { ...decision.object, metadata } };
};
