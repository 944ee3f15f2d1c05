import { freeze, openCopy } from '../api/frozen.ts';
import { apiVersionOf, type KindDefinition, type KindVersion, storageVersion } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { applyDefaults } from './structural/default.ts';

const finish = (kind: KindDefinition, version: KindVersion, converted: KubeObject): KubeObject => {
  const shown = openCopy(converted);
  shown.apiVersion = apiVersionOf(kind.group, version.name);
  shown.kind = kind.kind;
  applyDefaults(shown, version.schema);
  return freeze(shown);
};

/** Converted objects by version, for as long as the stored object is in use. */
const known = new WeakMap<KindVersion, WeakMap<KubeObject, KubeObject>>();
const statesOf = (version: KindVersion): WeakMap<KubeObject, KubeObject> => {
  const states = known.get(version) ?? new WeakMap<KubeObject, KubeObject>();
  known.set(version, states);
  return states;
};

/**
 * A stored object in a version, frozen. Defaults apply on reads too, for objects older than a
 * default. Each frozen stored state is converted once, because it is read many times. What a webhook
 * converts must have been prepared.
 */
export const fromStored = (kind: KindDefinition, version: KindVersion, stored: KubeObject): KubeObject => {
  const prepared = statesOf(version).get(stored);
  if (prepared) return prepared;
  const shown = finish(kind, version, version.fromStorage ? version.fromStorage(stored) : stored);
  if (Object.isFrozen(stored)) statesOf(version).set(stored, shown);
  return shown;
};

/** Has a webhook convert stored objects that are about to be shown, if the kind has one. */
export const prepareShown = async (
  kind: KindDefinition,
  version: KindVersion,
  stored: readonly KubeObject[],
): Promise<void> => {
  if (!kind.convert) return;
  const apiVersion = apiVersionOf(kind.group, version.name);
  const states = statesOf(version);
  const missing = stored.filter((object) => object.apiVersion !== apiVersion && !states.has(object));
  if (missing.length === 0) return;
  const converted = await kind.convert(missing, apiVersion);
  for (const [i, object] of missing.entries()) states.set(object, finish(kind, version, converted[i]!));
};

/** The same for one object, which is shown at once. */
export const shownFromStored = async (
  kind: KindDefinition,
  version: KindVersion,
  stored: KubeObject,
): Promise<KubeObject> => {
  await prepareShown(kind, version, [stored]);
  return fromStored(kind, version, stored);
};

/** The stored object in the storage version, which may have changed since its last write. */
export const inStorageVersion = async (kind: KindDefinition, stored: KubeObject): Promise<KubeObject> => {
  const storage = storageVersion(kind);
  if (!kind.custom || stored.apiVersion === apiVersionOf(kind.group, storage.name)) return stored;
  return shownFromStored(kind, storage, stored);
};

/**
 * Converts an object of a version to the storage version. Identity and position stay the object's
 * own.
 */
export const toStored = async (kind: KindDefinition, version: KindVersion, object: KubeObject): Promise<KubeObject> => {
  if (kind.convert && version.toStorage) {
    const [converted] = await kind.convert([object], apiVersionOf(kind.group, storageVersion(kind).name));
    return openCopy(converted!);
  }
  return version.toStorage ? version.toStorage(structuredClone(object)) : object;
};
