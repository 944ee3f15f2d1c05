import type { JsonObject, JsonValue, KubeObject } from './object.ts';
import type { JsonSchema } from './schema.ts';

/** A printer column of `kubectl get`. `value` is for built-in kinds whose cell is not just a path. */
export interface Column {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  jsonPath?: string;
  value?: (object: KubeObject, now: number) => string | number | boolean | null;
  format?: string;
  description?: string;
  /** Above zero: only with `-o wide`. */
  priority?: number;
}

export interface ScalePaths {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

/** One fault of an object, as kubectl prints it. `detail` is the text after the reason's own words. */
export interface FieldError {
  reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueTypeInvalid'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueNotFound';
  field: string;
  value?: unknown;
  detail: string;
}

export interface User {
  username: string;
  uid?: string;
  groups: string[];
  extra?: Record<string, string[]>;
}

/** What admission may know besides the object: never a clock, never another object. */
export interface Admission {
  operation: 'create' | 'update' | 'delete';
  /** The stored object, on update and delete. */
  old?: KubeObject;
  user: User;
  dryRun: boolean;
  /** A controller writes, not an API client. */
  byController?: boolean;
  /** `status`, `scale`, or absent for the object itself. */
  subresource?: string;
}

export interface KindVersion {
  name: string;
  served: boolean;
  storage: boolean;
  /** Answers carry a Warning header. */
  deprecated?: boolean;
  deprecationWarning?: string;
  /** The whole object: apiVersion, kind, metadata, spec, status. */
  schema: JsonSchema;
  columns: Column[];
  status: boolean;
  scale?: ScalePaths;
  /** Faults that can only be seen in this version, before conversion. */
  validate?: (object: KubeObject) => FieldError[];
  /** Both absent on the storage version. `fromStorage` is total; what does not fit goes to an annotation. */
  toStorage?: (object: KubeObject) => KubeObject;
  fromStorage?: (object: KubeObject) => KubeObject;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** What a user names in a spec, in the namespace of whoever names it. */
export interface Reference {
  group: string;
  kind: string;
  name: string;
}

/** What is known of a kind without its schemas: enough to store, find and connect its objects, and to wake who acts on them. */
export interface KindFacts {
  group: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  /** False: an internal record that the API does not serve. */
  served?: boolean;
  /** The part that its objects play for others; watches and lists may name a role instead of a kind. */
  role?: string;
  /** The type in the store, when that is another kind's: one storage shown in two groups. */
  storedAs?: string;
  /** Encrypted at rest, the whole object: its data stands in kubectl's last-applied annotation, too. */
  encrypted?: boolean;
  /**
   * Seconds after its last write at which an object ends: no read shows it any more. That is no change, so no watch tells
   * of it, and nothing finds it by owner, cluster or reference.
   */
  endsAfter?: number;
  /** Why this object may not be deleted, by anybody, and what to do about it; undefined when it may. */
  refuseDelete?: (object: KubeObject) => string | undefined;
  /** Facts of a member of a cluster that are read of all of them together; at most some 300 bytes, and few that change often. */
  digest?: (object: KubeObject) => JsonObject;
  /** Of its metadata and spec, all that those act on who belong to it, such as what they are to work towards. */
  direction?: (object: KubeObject) => JsonValue;
  /** What other objects of its cluster know it by; undefined while that is open. */
  alias?: (object: KubeObject) => string | undefined;
  /** The aliases of those members of the cluster that a change of it is about; undefined = all of them. */
  about?: (before: KubeObject, after: KubeObject) => string[] | undefined;
  /** Whether it is over, so that nothing which happens in its cluster means anything to it any more. */
  isPast?: (object: KubeObject) => boolean;
  /** The id of the resource in the cloud account that it manages; events of that resource find the object by it. */
  resourceId?: (object: KubeObject) => string | undefined;
  /** What its controller waits for when it is not there yet. */
  references?: (object: KubeObject) => Reference[];
}

/** All that the machinery knows of a kind. Every function here is pure and works on the storage version. */
export interface KindDefinition extends KindFacts {
  singular: string;
  shortNames: string[];
  categories: string[];
  /** What names may be: a DNS subdomain unless said otherwise; `path` = anything that fits in a URL. */
  names?: 'subdomain' | 'label' | 'path';
  /** Highest priority first, as discovery lists them. */
  versions: KindVersion[];
  /** True: a custom resource, published as a CustomResourceDefinition, with generations and no strategic merge. */
  custom: boolean;
  /** Labels of its CustomResourceDefinition. */
  crdLabels?: Record<string, string>;
  verbs?: Verb[];
  /** Selectable fields besides metadata.name and metadata.namespace. */
  selectableFields?: (object: KubeObject) => Record<string, string>;
  /** Annotations that only controllers write: an API client neither brings, changes nor loses them. */
  reservedAnnotations?: readonly string[];
  default?: (object: KubeObject, admission: Admission) => KubeObject;
  validate?: (object: KubeObject, admission: Admission) => FieldError[];
  warn?: (object: KubeObject, admission: Admission) => string[];
}

/** A kind whose definition is loaded when one of its objects is first written or shown. */
export interface KindOnDemand extends KindFacts {
  load(): Promise<KindDefinition>;
}

export type Kind = KindDefinition | KindOnDemand;

const loaded = new WeakMap<KindOnDemand, KindDefinition>();
export const definitionOf = async (kind: Kind): Promise<KindDefinition> => {
  if (!('load' in kind)) return kind;
  const definition = loaded.get(kind) ?? (await kind.load());
  loaded.set(kind, definition);
  return definition;
};

export const storageVersion = (kind: KindDefinition): KindVersion => kind.versions.find((v) => v.storage)!;

/** `clusters.cluster.x-k8s.io`; the name of a type in the store, in messages and of its CustomResourceDefinition. */
export const resourceOf = (kind: { group: string; plural: string }): string =>
  kind.group ? `${kind.plural}.${kind.group}` : kind.plural;

export const apiVersionOf = (group: string, version: string): string => (group ? `${group}/${version}` : version);
export const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion.split('/')[0]! : '');
