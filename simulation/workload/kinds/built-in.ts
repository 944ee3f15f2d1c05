/** How the built-in kinds of a workload cluster are said: what is known of them in a line, everything else kept as sent. */
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
  /** Schemas of top-level fields that strategic merge patches look into. */
  fields?: Record<string, JsonSchema>;
  status?: boolean;
  scale?: KindVersion['scale'];
  /** Counts changes of what is desired in metadata.generation. */
  generations?: boolean;
  default?: (object: KubeObject) => KubeObject;
  selectableFields?: KindDefinition['selectableFields'];
  verbs?: KindDefinition['verbs'];
  names?: KindDefinition['names'];
  storedAs?: string;
  description?: string;
}

export const age: Column = {
  name: 'Age',
  type: 'string',
  value: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
};

/** A span as kubectl prints it: the two largest units while that is short. */
export const spanOf = (ms: number): string => {
  const seconds = Math.floor(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return seconds % 60 ? `${minutes}m${seconds % 60}s` : `${minutes}m`;
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return minutes % 60 ? `${hours}h${minutes % 60}m` : `${hours}h`;
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return hours % 24 ? `${days}d${hours % 24}h` : `${days}d`;
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days % 365 && years < 8 ? `${years}y${days % 365}d` : `${years}y`;
};
export const ageOf = (since: string | undefined, now: number): string =>
  since ? spanOf(now - Date.parse(since)) : '<unknown>';

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

/** Spec without what it was: what a default may fill in. */
export const filled = (object: KubeObject, defaults: Record<string, unknown>): KubeObject => {
  const spec = { ...defaults, ...(object.spec as Record<string, unknown> | undefined) };
  return equal(spec, object.spec) ? object : { ...object, spec };
};
