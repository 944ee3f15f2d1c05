/** What the controller records of access entries and add-ons before it makes them: only these does it remove. Pure. */
import { isObject, type KubeObject } from '../../../machinery/api/object.ts';

/** JSON of Parts. Reserved for controllers. */
export const partsAnnotation = 'capstan.dev/eks-parts';

export interface Parts {
  /** ARNs of principals. */
  accessEntries: string[];
  /** By the name: whether the objects of the add-on stay in the cluster when it is removed. */
  addons: Record<string, boolean>;
}

const none: Parts = { accessEntries: [], addons: {} };

/** An annotation that another object's was copied to counts, too: what it names must carry our tags. */
export const partsOf = ({ metadata }: Pick<KubeObject, 'metadata'>): Parts => {
  try {
    const noted: unknown = JSON.parse(metadata.annotations?.[partsAnnotation] ?? '{}');
    return isObject(noted) ? { ...none, ...(noted as Partial<Parts>) } : none;
  } catch {
    return none;
  }
};

/** null while there are none. */
export const partsNote = (parts: Parts): string | null =>
  parts.accessEntries.length + Object.keys(parts.addons).length > 0
    ? JSON.stringify({ accessEntries: parts.accessEntries.toSorted(), addons: parts.addons })
    : null;
