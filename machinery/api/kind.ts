import type { JsonObject, JsonValue, KubeObject } from './object.ts';
import type { MergePatch, Withheld } from './reconcile.ts';
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

/**
 * One fault of an object, as kubectl prints it. `detail` is the text after the reason's own phrase.
 */
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

/** What admission may depend on besides the object: never a clock, never another object. */
export interface Admission {
  operation: 'create' | 'update' | 'delete';
  /** The stored object, on update and delete. */
  old?: KubeObject;
  user: User;
  dryRun: boolean;
  /** The writer is a controller, not an API client. */
  byController?: boolean;
  /** `status`, `scale`, or absent for the object itself. */
  subresource?: string;
  /** Other objects by which this one is judged, as the kind's extension read them for an API client. */
  related?: readonly KubeObject[];
}

export interface KindVersion {
  name: string;
  served: boolean;
  storage: boolean;
  /** Responses carry a Warning header. */
  deprecated?: boolean;
  deprecationWarning?: string;
  /** The whole object: apiVersion, kind, metadata, spec, status. */
  schema: JsonSchema;
  columns: Column[];
  status: boolean;
  scale?: ScalePaths;
  /** JSON paths that field selectors may name, besides metadata.name and metadata.namespace. */
  selectable?: readonly string[];
  /** Faults that are visible only in this version, before conversion. */
  validate?: (object: KubeObject) => FieldError[];
  /**
   * Both absent on the storage version. `fromStorage` is total; fields that do not fit go to an
   * annotation.
   */
  toStorage?: (object: KubeObject) => KubeObject;
  fromStorage?: (object: KubeObject) => KubeObject;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A reference in a spec. */
/** What identifies a kind: two groups may have kinds of the same name. */
export interface GroupKind {
  group: string;
  kind: string;
}

export interface Reference extends GroupKind {
  name: string;
  /** Empty for a cluster-scoped object; the namespace of the referring object if absent. */
  namespace?: string;
}

/** What objects of a kind decide for the objects that belong to them, such as a Cluster's members. */
export interface Scope {
  /** Why all of them are paused; undefined if they are not. */
  pausedBecause: (scope: KubeObject) => string | undefined;
  /**
   * Why a member must not follow its spec now; undefined if it may. `uid`: of the scope that the
   * member's records name, if they name one.
   */
  withheldFrom: (
    scope: KubeObject | undefined,
    member: { object: KubeObject; uid: string | undefined },
    config: Record<string, JsonValue>,
  ) => Withheld | undefined;
  /** The patch that restores the spec that the member's user wrote. */
  givenPatch: (member: KubeObject) => MergePatch;
}

/**
 * What the machinery needs of a kind without its schemas: to store, find and connect its objects,
 * and to wake their controllers.
 */
export interface KindFacts {
  group: string;
  kind: string;
  plural: string;
  namespaced: boolean;
  /** False: an internal record that the API does not serve. */
  served?: boolean;
  /** Its objects, if the server publishes them and the store has none. */
  published?: () => Promise<readonly KubeObject[]>;
  /**
   * A role, such as infrastructure or bootstrap provider; watches and lists may name a role instead
   * of a kind.
   */
  role?: string;
  /**
   * The type in the store when it is another kind's: two API groups show the same stored objects.
   */
  storedAs?: string;
  /**
   * A process that keeps all objects of kinds with the same mark learns by one read whether any has
   * changed.
   */
  mark?: string;
  /**
   * Encrypts the whole object at rest, because kubectl's last-applied annotation repeats its data.
   */
  encrypted?: boolean;
  /**
   * What an encrypted object is for: each purpose has data keys of its own, which only the functions
   * that need it may decrypt.
   */
  purpose?: (object: KubeObject) => string;
  /**
   * Seconds after its last write at which an object expires and no read returns it. Expiry is no
   * change: watches do not report it, and no index finds the object by owner, cluster or reference.
   */
  endsAfter?: number;
  /**
   * Why this object must not be deleted by any client, and what to do instead; undefined when it
   * may be.
   */
  refuseDelete?: (object: KubeObject) => string | undefined;
  /**
   * Facts about a cluster member that are read for all members together: at most about 300 bytes,
   * and rarely changing ones.
   */
  digest?: (object: KubeObject) => JsonObject;
  /** At most one kind has it: its objects pause, hold back and release their members. */
  scope?: () => Promise<Scope>;
  /**
   * The part of metadata and spec that dependents act on, such as their target: no other change of
   * these concerns them.
   */
  direction?: (object: KubeObject) => JsonValue;
  /**
   * What other controllers wait for: paths in the status, conditions by type, and paths that begin
   * with `spec` if a controller writes there what it observed.
   */
  gates?: readonly string[];
  /**
   * Status fields that no controller acts on, such as messages and times; `list.field` for a field
   * of a list's items. Those of conditions are known. All other fields are counts.
   */
  notes?: readonly string[];
  /** The condition that sums up whether an object is as its spec says. */
  summary?: string;
  /** The name by which other objects of the cluster know it; undefined while unknown. */
  alias?: (object: KubeObject) => string | undefined;
  /** Aliases of the cluster members that a change concerns; undefined = all of them. */
  about?: (before: KubeObject, after: KubeObject) => string[] | undefined;
  /** Whether the object is finished, so that changes in its cluster no longer concern it. */
  isPast?: (object: KubeObject) => boolean;
  /**
   * The id under which events from outside the store name the object: of the cloud resource that it
   * manages, or of the token that it holds.
   */
  resourceId?: (object: KubeObject) => string | undefined;
  /** References that its controller waits for while they do not exist. */
  references?: (object: KubeObject) => Reference[];
  /** Objects that changes of this one concern, because they serve it: the log names them. */
  servedBy?: (object: KubeObject) => Reference[];
}

/** A complete kind. Every function is pure and works on the storage version. */
export interface KindDefinition extends KindFacts {
  singular: string;
  /** The kind of its lists; `<kind>List` by default. */
  listKind?: string;
  shortNames: string[];
  categories: string[];
  /** The rule for names: a DNS subdomain by default; `path` = any valid path segment. */
  names?: 'subdomain' | 'label' | 'path';
  /** Highest priority first, as discovery lists them. */
  versions: KindVersion[];
  /**
   * True: a custom resource, published as a CustomResourceDefinition, with generations and without
   * strategic merge patch.
   */
  custom: boolean;
  /**
   * Converts objects of any version to one, by a webhook. Absent where `toStorage` and `fromStorage`
   * convert.
   */
  convert?: (objects: readonly KubeObject[], apiVersion: string) => Promise<KubeObject[]>;
  /**
   * Objects that are older than a default get it in the version in which they are stored, before
   * they are converted, as those of a CustomResourceDefinition. Otherwise in the version that is
   * shown.
   */
  defaultsAsStored?: boolean;
  /** Counts generations and refuses updates that name no resourceVersion, as custom resources do. */
  generations?: boolean;
  /** Labels of its CustomResourceDefinition. */
  crdLabels?: Record<string, string>;
  verbs?: Verb[];
  /** Selectable fields besides metadata.name and metadata.namespace. */
  selectableFields?: (object: KubeObject) => Record<string, string>;
  /**
   * Annotations that only controllers write: API clients can neither set, change nor remove them.
   */
  reservedAnnotations?: readonly string[];
  default?: (object: KubeObject, admission: Admission) => KubeObject;
  validate?: (object: KubeObject, admission: Admission) => FieldError[];
  warn?: (object: KubeObject, admission: Admission) => string[];
  /** Annotations of the audit event of a write, for decisions that must not go unnoticed. */
  audited?: (object: KubeObject, admission: Admission) => Record<string, string>;
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

/**
 * `clusters.cluster.x-k8s.io`; the type's name in the store, in messages and of its
 * CustomResourceDefinition.
 */
export const resourceOf = (kind: { group: string; plural: string }): string =>
  kind.group ? `${kind.plural}.${kind.group}` : kind.plural;

export const listKindOf = (kind: Pick<KindDefinition, 'kind' | 'listKind'>): string =>
  kind.listKind ?? `${kind.kind}List`;

export const apiVersionOf = (group: string, version: string): string => (group ? `${group}/${version}` : version);
export const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion.split('/')[0]! : '');
export const groupKindOf = ({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): GroupKind => ({
  group: groupOf(apiVersion),
  kind,
});
export const isSameKind = (a: GroupKind, b: GroupKind): boolean => a.kind === b.kind && a.group === b.group;
