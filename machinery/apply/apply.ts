/** Server-side apply. */
import { badRequest } from '../api/errors.ts';
import { equal } from '../api/merge.ts';
import type { JsonObject, KubeObject } from '../api/object.ts';
import { clientSideManager, lastApplied, withLastApplied } from './client-side.ts';
import { ApplyConflict, type Conflict } from './conflict.ts';
import { decodeEntries, encodeEntries, identityOf, type Managers } from './entries.ts';
import { mergeConfig } from './merge.ts';
import { prune } from './prune.ts';
import { fieldsOf, misfitsOf, misfitsText } from './typed.ts';
import { emptyObject, track } from './update.ts';
import {
  Conversions,
  change,
  checkType,
  describe,
  kindText,
  managerNamed,
  mendManagers,
  UntypedObject,
  type Write,
  withFields,
  withManagedFields,
  withoutReset,
  withoutSystemFields,
} from './write.ts';

export interface Apply extends Write {
  /** Take over fields of others instead of a conflict. */
  force: boolean;
  /** What the server makes of the applied object, such as defaults: what it sets back is no change. */
  settle?: (object: KubeObject) => KubeObject | Promise<KubeObject>;
}

export interface Applied {
  /** In the version of the request. Nulls that defaulting replaces or removes are still in it. */
  object: KubeObject;
  managedFields: JsonObject[] | undefined;
}

const checkKind = ({ object, apiVersion, kind }: Apply): void => {
  if (object.apiVersion !== apiVersion || object.kind !== kind)
    throw badRequest(`invalid object type: ${kindText(object.apiVersion, object.kind)}`);
};

const checkConfig = ({ object, apiVersion, versions }: Apply): void => {
  if (Array.isArray(object.metadata?.managedFields)) throw badRequest('metadata.managedFields must be nil');
  const misfits = misfitsOf(object, versions.typeAt(apiVersion)!);
  if (misfits.length > 0)
    throw badRequest(`failed to create typed patch object (${describe(object)}): ${misfitsText(misfits)}`);
};

interface Outcome {
  object: KubeObject;
  managers: Managers;
  conflicts: Conflict[];
}

const applied = async (write: Apply, live: KubeObject, before: Managers): Promise<Outcome> => {
  const { apiVersion, versions, object, now, reset } = write;
  const type = versions.typeAt(apiVersion)!;
  const conversions = new Conversions(versions);
  const mended = await mendManagers(before, live, conversions);
  const merging = mergeConfig(live, object, type);
  if ('misfits' in merging) throw new UntypedObject(`failed to merge config: ${misfitsText(merging.misfits)}`);
  const own = managerNamed(write, 'Apply', withoutReset(fieldsOf(object, type), reset));
  const identity = identityOf(own);
  const last = mended.get(identity);
  const managers = new Map(mended).set(identity, { ...own, time: last?.time });
  const next = await prune(merging.value, last, managers.values(), apiVersion, conversions);
  const settled = (await write.settle?.(next)) ?? next;
  const changed = await change(write, { value: live, type }, settled, managers, identity, conversions);
  const mine = changed.managers.get(identity);
  const time = equal(settled, live) ? last?.time : now;
  if (mine) withFields(changed.managers, identity, { ...mine, time, fields: withoutSystemFields(mine.fields) });
  return { object: next, managers: changed.managers, conflicts: changed.conflicts };
};

/** The conflicts without those over fields that the user had applied from the client. */
const remaining = (write: Apply, live: KubeObject, conflicts: readonly Conflict[]): readonly Conflict[] => {
  if (write.manager !== clientSideManager) return conflicts;
  const own = lastApplied(live, write.versions.typeAt(write.apiVersion)!);
  return own ? conflicts.filter(({ path }) => !own.has(path)) : conflicts;
};

/** All that is there before the first apply belongs to one manager. */
const beforeFirstApply = async (write: Apply, live: KubeObject): Promise<Managers> => {
  try {
    return await track({ ...write, live: undefined, object: live, manager: 'before-first-apply' }, new Map());
  } catch (error) {
    if (!(error instanceof UntypedObject)) throw error;
    throw new UntypedObject(`failed to create manager for existing fields: ${error.message}`, { cause: error });
  }
};

/**
 * The live object with the configuration applied, and its owners. Throws ApplyConflict, and
 * ApiError 400 for a configuration that does not fit the schema.
 */
export const apply = async (write: Apply): Promise<Applied> => {
  const stored = write.live ?? emptyObject(write);
  const owners = decodeEntries(stored.metadata?.managedFields);
  checkKind(write);
  const live = withManagedFields(stored, undefined);
  const type = write.versions.typeAt(write.apiVersion)!;
  const managers = owners.size > 0 ? owners : await beforeFirstApply(write, live);
  checkConfig(write);
  checkType(live, type, true, `failed to create typed live object (${describe(live)})`);
  const { object, managers: next, conflicts } = await applied(write, live, managers);
  const left = write.force ? [] : remaining(write, live, conflicts);
  if (left.length > 0) throw new ApplyConflict(left);
  const result = write.manager === clientSideManager ? withLastApplied(object, write.object) : object;
  const managedFields = encodeEntries(next);
  return { object: withManagedFields(result, managedFields), managedFields };
};
