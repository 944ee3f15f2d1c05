import { freeze, openCopy } from '../api/frozen.ts';
import { apiVersionOf, type KindDefinition, type KindVersion, storageVersion } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { applyDefaults } from './structural/default.ts';
import { pruneUnknown } from './structural/prune.ts';

/** A copy that names the version, with the defaults of that version unless it has others already. */
const finish = (kind: KindDefinition, version: KindVersion, object: KubeObject, isWhole = false): KubeObject => {
  const shown = openCopy(object);
  shown.apiVersion = apiVersionOf(kind.group, version.name);
  shown.kind = kind.kind;
  if (!isWhole) {
    // A definition may have lost fields since.
    if (kind.defaultsAsStored && object.apiVersion === shown.apiVersion) pruneUnknown(shown, version.schema);
    applyDefaults(shown, version.schema);
  }
  return freeze(shown);
};

/** The version in which the object is stored, if another one is asked for and a definition says the defaults. */
const otherStored = (kind: KindDefinition, version: KindVersion, stored: KubeObject): KindVersion | undefined => {
  if (!kind.defaultsAsStored) return undefined;
  const found = kind.versions.find(({ name }) => apiVersionOf(kind.group, name) === stored.apiVersion);
  return found === version ? undefined : found;
};

/** What is converted: the stored object, with the defaults that it is older than. */
const beforeConversion = (kind: KindDefinition, version: KindVersion, stored: KubeObject) => {
  const from = otherStored(kind, version, stored);
  return from ? { object: finish(kind, from, stored), isWhole: true } : { object: stored, isWhole: false };
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
 * default: those of the version, or as `defaultsAsStored` says. Each frozen stored state is converted once, because it is read many times. What a webhook
 * converts must have been prepared.
 */
export const fromStored = (kind: KindDefinition, version: KindVersion, stored: KubeObject): KubeObject => {
  const prepared = statesOf(version).get(stored);
  if (prepared) return prepared;
  const { object, isWhole } = beforeConversion(kind, version, stored);
  const shown = finish(kind, version, version.fromStorage ? version.fromStorage(object) : object, isWhole);
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
  const sources = missing.map((object) => beforeConversion(kind, version, object));
  const converted = await kind.convert(
    sources.map(({ object }) => object),
    apiVersion,
  );
  for (const [i, object] of missing.entries())
    states.set(object, finish(kind, version, converted[i]!, sources[i]!.isWhole));
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
