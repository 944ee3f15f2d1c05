import { apiVersionOf, type KindVersion } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { Resource } from './registry.ts';
import { applyDefaults } from './structural/default.ts';

/** A stored object as a version shows it. Defaults are filled in on the way out too, for objects older than a default. */
export const fromStored = (resource: Resource, version: KindVersion, stored: KubeObject): KubeObject => {
  const shown = structuredClone(version.fromStorage ? version.fromStorage(stored) : stored);
  shown.apiVersion = apiVersionOf(resource.kind.group, version.name);
  shown.kind = resource.kind.kind;
  applyDefaults(shown, version.schema);
  return shown;
};

/** An object of a version as it is stored. Identity and position are the object's own. */
export const toStored = (version: KindVersion, object: KubeObject): KubeObject =>
  version.toStorage ? version.toStorage(structuredClone(object)) : object;
