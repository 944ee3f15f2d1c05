/**
 * Defines built-in kinds of a workload cluster briefly: the fields that matter, everything else
 * stored as sent.
 */

import { age } from '../../../kinds/kubernetes/built-in.ts';
import type { Column, KindDefinition, KindVersion } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { JsonSchema } from '../../../machinery/api/schema.ts';

export const keep: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
export const fields = (properties: Record<string, JsonSchema>): JsonSchema => ({ ...keep, properties });
/** A list whose items strategic merge patches find by `key`. */
export const keyed = (key: string, items: JsonSchema = keep, strategy = 'merge'): JsonSchema => ({
  type: 'array',
  items,
  'x-kubernetes-patch-merge-key': key,
  'x-kubernetes-patch-strategy': strategy,
});

export interface BuiltIn {
  group?: string;
  version?: string;
  kind: string;
  plural: string;
  shortNames?: string[];
  categories?: string[];
  namespaced?: boolean;
  columns?: Column[];
  /** Schemas of top-level fields for strategic merge patches. */
  fields?: Record<string, JsonSchema>;
  status?: boolean;
  scale?: KindVersion['scale'];
  /** Counts changes of the desired state in metadata.generation. */
  generations?: boolean;
  default?: (object: KubeObject) => KubeObject;
  selectableFields?: KindDefinition['selectableFields'];
  verbs?: KindDefinition['verbs'];
  names?: KindDefinition['names'];
  storedAs?: string;
  description?: string;
}

type CellType = Column['type'];
/** A cell computed from the whole object. */
export const cell = (
  name: string,
  value: NonNullable<Column['value']>,
  type: CellType = 'string',
  priority?: number,
): Column => ({ name, type, value, ...(priority && { priority }) });
export const path = (name: string, jsonPath: string, type: CellType = 'string'): Column => ({ name, type, jsonPath });

const withGeneration = (object: KubeObject, old: KubeObject | undefined): KubeObject =>
  old || object.metadata.generation ? object : { ...object, metadata: { ...object.metadata, generation: 1 } };

export const builtIn = (of: BuiltIn): KindDefinition => ({
  group: of.group ?? '',
  kind: of.kind,
  plural: of.plural,
  singular: of.kind.toLowerCase(),
  shortNames: of.shortNames ?? [],
  categories: of.categories ?? [],
  namespaced: of.namespaced ?? true,
  custom: false,
  ...(of.verbs && { verbs: of.verbs }),
  ...(of.names && { names: of.names }),
  ...(of.storedAs && { storedAs: of.storedAs }),
  ...(of.selectableFields && { selectableFields: of.selectableFields }),
  default: (object, { old, subresource }) => {
    const whole = subresource === 'status' ? object : (of.default?.(object) ?? object);
    return of.generations ? withGeneration(whole, old) : whole;
  },
  versions: [
    {
      name: of.version ?? 'v1',
      served: true,
      storage: true,
      status: of.status ?? false,
      columns: of.columns ?? [age],
      ...(of.scale && { scale: of.scale }),
      schema: {
        ...keep,
        description: of.description ?? `A ${of.kind} of this cluster.`,
        properties: {
          apiVersion: { type: 'string' },
          kind: { type: 'string' },
          metadata: { type: 'object' },
          ...of.fields,
        },
      },
    },
  ],
});

/** The object with defaults for absent fields of its spec. */
export const filled = (object: KubeObject, defaults: Record<string, unknown>): KubeObject => {
  const spec = { ...defaults, ...(object.spec as Record<string, unknown> | undefined) };
  return equal(spec, object.spec) ? object : { ...object, spec };
};
