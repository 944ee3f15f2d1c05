/** Removes what an applier no longer applies and owned alone. */
import type { KubeObject } from '../api/object.ts';
import type { Manager } from './entries.ts';
import { difference, ensureNamedFields, type FieldSet, intersection, noFields, union } from './field-set.ts';
import type { MergeType } from './type.ts';
import { fieldsOf, withoutFields } from './typed.ts';
import type { Conversions, Typed } from './write.ts';

const without = (object: KubeObject, type: MergeType, fields: FieldSet): KubeObject =>
  withoutFields(object as never, type, fields) as unknown as KubeObject;
const named = ({ value, type }: Typed): FieldSet => ensureNamedFields(fieldsOf(value, type), type);

interface Pruning {
  merged: KubeObject;
  pruned: KubeObject;
}

/** What others own, or the new configuration, comes back; by their version's names. */
const addBack = async (
  { merged, pruned }: Pruning,
  apiVersion: string,
  owned: FieldSet,
  conversions: Conversions,
): Promise<Pruning> => {
  const whole = await conversions.at(merged, apiVersion);
  const rest = await conversions.at(pruned, apiVersion);
  if (!whole || !rest) return { merged, pruned };
  const kept = union(named(rest), ensureNamedFields(owned, whole.type));
  return { merged: whole.value, pruned: without(whole.value, whole.type, difference(named(whole), kept)) };
};

const ownedByVersion = (managers: Iterable<Manager>): Map<string, FieldSet> => {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, fields } of managers)
    owned.set(apiVersion, union(owned.get(apiVersion) ?? noFields, fields));
  return owned;
};

/**
 * The merged object without the items that the applier had (`last`) and that no manager has now.
 * What it removed along with them, but the applier had not applied, comes back.
 */
export const prune = async (
  merged: KubeObject,
  last: Manager | undefined,
  managers: Iterable<Manager>,
  apiVersion: string,
  conversions: Conversions,
): Promise<KubeObject> => {
  const at = last && !last.fields.isEmpty ? await conversions.at(merged, last.apiVersion) : undefined;
  if (!last || !at) return merged;
  const had = ensureNamedFields(last.fields, at.type);
  const owned = ownedByVersion(managers);
  let pruning: Pruning = { merged: at.value, pruned: without(at.value, at.type, had) };
  // The version of the pruned object first: others may need its fields to convert it.
  const versions = [last.apiVersion, ...[...owned.keys()].filter((version) => version !== last.apiVersion)];
  for (const version of versions)
    if (owned.has(version)) pruning = await addBack(pruning, version, owned.get(version)!, conversions);
  const rest = await conversions.at(pruning.pruned, last.apiVersion);
  const gone = intersection(difference(named(at), named(rest!)), had);
  const result = without(at.value, at.type, gone);
  return (await conversions.at(result, apiVersion))!.value;
};
