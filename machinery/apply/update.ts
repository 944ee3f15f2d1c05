/** The owners after a write that is not an apply. */
import type { JsonObject, KubeObject } from '../api/object.ts';
import { capped, encodeEntries, identityOf, isReset, type Managers, readableEntries } from './entries.ts';
import { union } from './field-set.ts';
import {
  Conversions,
  change,
  checkType,
  describe,
  managerNamed,
  mendManagers,
  UntypedObject,
  type Write,
  withManagedFields,
  withoutReset,
  withoutSystemFields,
} from './write.ts';

/** What a body says of owners counts only on the object's own path, and only if it can be read. */
const ownersBefore = ({ live, object, subresource }: Write): Managers => {
  if (!subresource) {
    if (isReset(object.metadata.managedFields)) return new Map();
    const sent = readableEntries(object.metadata.managedFields);
    if (sent.size > 0) return sent;
  }
  return readableEntries(live?.metadata.managedFields);
};

/** What an object that does not exist yet is compared with. */
export const emptyObject = ({ apiVersion, kind }: Write): KubeObject => ({ apiVersion, kind }) as KubeObject;

/** Gives what the update changed to its manager. Throws UntypedObject. */
export const track = async (write: Write, before: Managers): Promise<Managers> => {
  const { versions, apiVersion, now, reset } = write;
  const type = versions.typeAt(apiVersion)!;
  const live = withManagedFields(write.live ?? emptyObject(write), undefined);
  const object = withManagedFields(write.object, undefined);
  checkType(object, type, true, `failed to convert new object (${describe(object)}) to smd typed`);
  checkType(live, type, true, `failed to convert live object (${describe(live)}) to smd typed`);
  const conversions = new Conversions(versions);
  const mended = await mendManagers(before, live, conversions);
  // The manager's own entry counts as another one: it loses what the update removed.
  const { managers, comparison } = await change(write, { value: live, type }, object, mended, '', conversions);
  const touched = withoutReset(union(comparison.modified, comparison.added), reset);
  const gained = withoutSystemFields(touched);
  if (!gained.isEmpty) {
    const own = managerNamed(write, 'Update', gained, now);
    const identity = identityOf(own);
    const earlier = managers.get(identity);
    managers.set(identity, { ...own, fields: earlier ? union(gained, earlier.fields) : gained });
  }
  return capped(managers);
};

export interface Updated {
  object: KubeObject;
  managedFields: JsonObject[] | undefined;
  /** Why owners stayed as they were: an update never fails for them. */
  fault?: string;
}

/** The object of a create, replace or patch, with its owners. */
export const update = async (write: Write): Promise<Updated> => {
  const before = ownersBefore(write);
  const answer = (managedFields: JsonObject[] | undefined, fault?: string): Updated => ({
    object: withManagedFields(write.object, managedFields),
    managedFields,
    ...(fault !== undefined && { fault }),
  });
  // Without owners an existing object is not tracked until it is applied.
  if (before.size === 0 && write.live?.metadata.uid) return answer(undefined);
  try {
    return answer(encodeEntries(await track(write, before)));
  } catch (error) {
    if (!(error instanceof UntypedObject)) throw error;
    return answer(write.live?.metadata.managedFields as JsonObject[] | undefined, error.message);
  }
};
