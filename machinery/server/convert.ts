import { freeze, openCopy } from '../api/frozen.ts';
import { apiVersionOf, type KindDefinition, type KindVersion } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { applyDefaults } from './structural/default.ts';

const convert = (kind: KindDefinition, version: KindVersion, stored: KubeObject): KubeObject => {
  const shown = openCopy(version.fromStorage ? version.fromStorage(stored) : stored);
  shown.apiVersion = apiVersionOf(kind.group, version.name);
  shown.kind = kind.kind;
  applyDefaults(shown, version.schema);
  return freeze(shown);
};

/** Converted objects by version, for as long as the stored object is in use. */
const known = new WeakMap<KindVersion, WeakMap<KubeObject, KubeObject>>();

/**
 * A stored object in a version, frozen. Defaults apply on reads too, for objects older than a
 * default. Each frozen stored state is converted once, because it is read many times.
 */
export const fromStored = (kind: KindDefinition, version: KindVersion, stored: KubeObject): KubeObject => {
  if (!Object.isFrozen(stored)) return convert(kind, version, stored);
  const states = known.get(version) ?? new WeakMap<KubeObject, KubeObject>();
  known.set(version, states);
  const shown = states.get(stored) ?? convert(kind, version, stored);
  states.set(stored, shown);
  return shown;
};

/**
 * Converts an object of a version to the storage version. Identity and position stay the object's
 * own.
 */
export const toStored = (version: KindVersion, object: KubeObject): KubeObject =>
  version.toStorage ? version.toStorage(structuredClone(object)) : object;
