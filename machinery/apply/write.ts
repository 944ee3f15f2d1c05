/** What updates and applies share: versions, fields that are never owned, and who loses what. */
import { isObject, type KubeObject } from '../api/object.ts';
import { type Comparison, compare, excluding } from './compare.ts';
import { type Conflict, conflictsWith } from './conflict.ts';
import type { Manager, Managers, Operation } from './entries.ts';
import { deepDifference, difference, type FieldSet, fieldSet, intersection, noFields, union } from './field-set.ts';
import { mend } from './mend.ts';
import type { MergeType } from './type.ts';
import { misfitsOf, misfitsText } from './typed.ts';

/** The versions of one kind. */
export interface Versions {
  /** The type of the objects at a version; undefined where it is not served. */
  typeAt(apiVersion: string): MergeType | undefined;
  /** Converts an object. What a removal left empty is null in it. */
  convert(object: KubeObject, apiVersion: string): KubeObject | Promise<KubeObject>;
}

export interface Write {
  /** The stored object, in the version of the request; undefined for a creation. */
  live: KubeObject | undefined;
  /** The whole object of an update, or the configuration of an apply. */
  object: KubeObject;
  /** The field manager's name. */
  manager: string;
  subresource: string;
  /** Of the request. */
  apiVersion: string;
  kind: string;
  /** RFC 3339, seconds. */
  now: string;
  versions: Versions;
  /** Fields that this path of the API does not write, at all versions. */
  reset?: FieldSet;
}

/** An object that does not fit its type, or a conversion that failed. */
export class UntypedObject extends Error {
  override readonly name = 'UntypedObject';
}

/** Namespace, name and kind, as messages have them. */
export const describe = ({ apiVersion, kind, metadata }: KubeObject): string =>
  `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; ${kindText(apiVersion, kind)}`;
export const kindText = (apiVersion: string, kind: string): string =>
  `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;

export const checkType = (object: KubeObject, type: MergeType, repeats: boolean, what: string): void => {
  const misfits = misfitsOf(object, type, repeats);
  if (misfits.length > 0) throw new UntypedObject(`${what}: ${misfitsText(misfits)}`);
};

export interface Typed {
  value: KubeObject;
  type: MergeType;
}

/** The object at other versions, converted once. */
export class Conversions {
  readonly #versions: Versions;
  readonly #known = new WeakMap<KubeObject, Map<string, Typed>>();

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  /** Undefined where the version is not served. */
  async at(object: KubeObject, apiVersion: string): Promise<Typed | undefined> {
    const type = this.#versions.typeAt(apiVersion);
    if (!type || object.apiVersion === apiVersion) return type && { value: object, type };
    const known = this.#known.get(object) ?? new Map<string, Typed>();
    this.#known.set(object, known);
    const seen = known.get(apiVersion);
    if (seen) return seen;
    const value = await this.#versions.convert(object, apiVersion);
    checkType(value, type, false, `failed to convert to ${apiVersion}`);
    const typed = { value, type };
    known.set(apiVersion, typed);
    return typed;
  }
}

const stripped = fieldSet(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
);

/** Without what the server sets or what identifies the object. */
export const withoutSystemFields = (fields: FieldSet): FieldSet => difference(fields, stripped);

export const withFields = (managers: Map<string, Manager>, identity: string, manager: Manager): void => {
  if (manager.fields.isEmpty) managers.delete(identity);
  else managers.set(identity, manager);
};

/** Managers whose sets fit today's schemas; those of versions that are gone are left out. */
export const mendManagers = async (
  managers: Managers,
  live: KubeObject,
  conversions: Conversions,
): Promise<Map<string, Manager>> => {
  const result = new Map<string, Manager>();
  for (const [identity, manager] of managers) {
    const at = await conversions.at(live, manager.apiVersion);
    if (at) result.set(identity, { ...manager, fields: mend(manager.fields, at.type) });
  }
  return result;
};

const differ = (left: KubeObject, right: KubeObject, type: MergeType, reset: FieldSet): Comparison => {
  const found = compare(left, right, type);
  if (Array.isArray(found)) throw new UntypedObject(`failed to compare objects: ${misfitsText(found)}`);
  return excluding(found, reset);
};

export interface Change {
  /** Without what others lost, and without managers that own nothing any more. */
  managers: Map<string, Manager>;
  conflicts: Conflict[];
  /** At the version of the request. */
  comparison: Comparison;
}

/** What a change of the live object takes from all managers but `own`. */
export const change = async (
  { apiVersion, reset = noFields }: Pick<Write, 'apiVersion' | 'reset'>,
  live: Typed,
  next: KubeObject,
  managers: Managers,
  own: string,
  conversions: Conversions,
): Promise<Change> => {
  const comparison = differ(live.value, next, live.type, reset);
  const comparisons = new Map([[apiVersion, comparison]]);
  const result = new Map<string, Manager>();
  const conflicts: Conflict[] = [];
  for (const [identity, manager] of managers) {
    if (identity === own) {
      withFields(result, identity, manager);
      continue;
    }
    let at = comparisons.get(manager.apiVersion);
    if (!at) {
      const before = await conversions.at(live.value, manager.apiVersion);
      const after = before && (await conversions.at(next, manager.apiVersion));
      if (!after) continue;
      at = differ(before.value, after.value, before.type, reset);
      comparisons.set(manager.apiVersion, at);
    }
    const lost = intersection(manager.fields, union(at.modified, at.added));
    if (!lost.isEmpty) conflicts.push(...conflictsWith(manager, lost));
    withFields(result, identity, {
      ...manager,
      fields: difference(difference(manager.fields, lost), at.removed),
    });
  }
  return { managers: result, conflicts, comparison };
};

export const withoutReset = (fields: FieldSet, reset: FieldSet | undefined): FieldSet =>
  reset ? deepDifference(fields, reset) : fields;

export const managerNamed = (write: Write, operation: Operation, fields: FieldSet, time?: string): Manager => ({
  name: write.manager || 'unknown',
  operation,
  apiVersion: write.apiVersion,
  subresource: write.subresource,
  time,
  fields,
});

export const withManagedFields = (
  object: KubeObject,
  managedFields: KubeObject['metadata']['managedFields'],
): KubeObject => {
  const { managedFields: _, ...metadata } = isObject(object.metadata) ? object.metadata : {};
  return { ...object, metadata: { ...metadata, ...(managedFields && { managedFields }) } as KubeObject['metadata'] };
};
