/** Mirrors a part of an object, such as its infrastructure, in a v1beta1 condition. Pure. */
import { type LegacyDraft, legacyFalse, legacyTrue, mirrorLegacy } from '../../machinery/api/conditions.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Read } from '../../machinery/api/reconcile.ts';

/** No draft for an absent or unreadable part: its condition stays unchanged. */
export const partReady = (
  type: string,
  part: Read<KubeObject>,
  done: boolean,
  waiting: string,
  deleting: boolean,
): LegacyDraft[] => {
  if (part.state === 'absent' && deleting) return [legacyFalse(type, 'Deleted', 'Info')];
  if (part.state !== 'found') return [];
  const fallback = done ? legacyTrue(type) : legacyFalse(type, deleting ? 'Deleting' : waiting, 'Info');
  // v1beta2 conditions have no severity, which v1beta1 clients expect.
  const { conditions, initialization } = (part.value.status ?? {}) as {
    conditions?: LegacyDraft[];
    initialization?: unknown;
  };
  return [initialization === undefined ? mirrorLegacy(conditions, type, fallback) : fallback];
};
