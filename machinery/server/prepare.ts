import { invalid } from '../api/errors.ts';
import { openCopy } from '../api/frozen.ts';
import { type KindDefinition, storageVersion } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { applyDefaults } from './structural/default.ts';
import { pruneUnknown } from './structural/prune.ts';
import { validateStructure } from './structural/validate.ts';

/**
 * What a schema does to an object that a controller writes in its storage version: unknown fields are dropped, defaults
 * filled in, and what no client could have written is refused as it would be for one.
 */
export const prepareObject = (kind: KindDefinition, object: KubeObject): KubeObject => {
  const { schema } = storageVersion(kind);
  const prepared = openCopy(object);
  pruneUnknown(prepared, schema);
  applyDefaults(prepared, schema);
  const errors = validateStructure(prepared, schema);
  if (errors.length > 0) throw invalid(kind, object.metadata.name, errors);
  return prepared;
};
