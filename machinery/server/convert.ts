import { freeze, openCopy } from '../api/frozen.ts';
import { apiVersionOf, type KindVersion } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { Resource } from './registry.ts';
import { applyDefaults } from './structural/default.ts';

const convert = ({ kind }: Resource, version: KindVersion, stored: KubeObject): KubeObject => {
  const shown = openCopy(version.fromStorage ? version.fromStorage(stored) : stored);
  shown.apiVersion = apiVersionOf(kind.group, version.name);
  shown.kind = kind.kind;
  applyDefaults(shown, version.schema);
  return freeze(shown);
};

/** What states of the store look like in each version, as long as somebody holds them. */
const known = new WeakMap<KindVersion, WeakMap<KubeObject, KubeObject>>();

/**
 * A stored object as a version shows it, frozen. Defaults are filled in on the way out too, for objects older than a default.
 * A state of the store is converted once: it is frozen, and read again and again.
 */
export const fromStored = (resource: Resource, version: KindVersion, stored: KubeObject): KubeObject => {
  if (!Object.isFrozen(stored)) return convert(resource, version, stored);
  const states = known.get(version) ?? new WeakMap<KubeObject, KubeObject>();
  known.set(version, states);
  const shown = states.get(stored) ?? convert(resource, version, stored);
  states.set(stored, shown);
  return shown;
};

/** An object of a version as it is stored. Identity and position are the object's own. */
export const toStored = (version: KindVersion, object: KubeObject): KubeObject =>
  version.toStorage ? version.toStorage(structuredClone(object)) : object;
