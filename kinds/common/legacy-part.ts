/** A part of an object, such as its infrastructure, as one of its conditions of v1beta1. Pure. */
import { type LegacyDraft, legacyFalse, legacyTrue, mirrorLegacy } from '../../machinery/api/conditions.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Read } from '../../machinery/api/reconcile.ts';

/** Nothing of a part that is not there, or could not be read: what was said of it stays. */
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
  // Conditions of the newer form have no severity, and are not what readers of the older form expect here.
  const { conditions, initialization } = (part.value.status ?? {}) as {
    conditions?: LegacyDraft[];
    initialization?: unknown;
  };
  return [initialization === undefined ? mirrorLegacy(conditions, type, fallback) : fallback];
};
