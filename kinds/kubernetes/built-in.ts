/**
 * Kubernetes' built-in kinds: they use strategic merge patches, and have generations only if they
 * have a spec.
 */
import { age as ageOf } from '../../machinery/api/age.ts';
import type { Column, KindDefinition, KindVersion } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { JsonSchema, Schema } from '../../machinery/api/schema.ts';

type Version = Partial<Omit<KindVersion, 'schema'>> & {
  description: string;
  /** Fields besides apiVersion, kind and metadata. */
  fields: Record<string, Schema<unknown>>;
};

type BuiltIn = Partial<Omit<KindDefinition, 'versions'>> &
  Pick<KindDefinition, 'group' | 'kind' | 'plural'> & { version: Version };

const wholeObject = ({ description, fields }: Version): JsonSchema => ({
  type: 'object',
  description,
  properties: {
    apiVersion: { type: 'string', description: 'Group and version of this representation, as group/version.' },
    kind: { type: 'string', description: 'The kind of this object, in CamelCase.' },
    metadata: { type: 'object', description: 'Standard object metadata.' },
    ...Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, of.json])),
  },
  ...(Object.values(fields).some((of) => of.isRequired) && {
    required: Object.keys(fields).filter((name) => fields[name]!.isRequired),
  }),
});

/** A kind with one version, v1 by default. */
export const defineBuiltIn = ({ version, ...kind }: BuiltIn): KindDefinition => {
  const { description: _, fields: __, ...rest } = version;
  return {
    singular: kind.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    custom: false,
    ...kind,
    versions: [
      { name: 'v1', served: true, storage: true, status: false, columns: [], ...rest, schema: wholeObject(version) },
    ],
  };
};

/** The age as text: tables of built-in kinds have no date columns. */
export const since = (timestamp: string | undefined, now: number): string =>
  timestamp ? ageOf(timestamp, now) : '<unknown>';

export const age: Column = {
  name: 'Age',
  type: 'string',
  value: (object: KubeObject, now) => since(object.metadata.creationTimestamp, now),
  description: 'Time since creation.',
};
