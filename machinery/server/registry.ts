/** The served kinds. A workload cluster adds and removes kinds at run time. */
import {
  type Admission,
  definitionOf,
  type Kind,
  type KindDefinition,
  type KindVersion,
  resourceOf,
  type Verb,
} from '../api/kind.ts';
import type { KubeObject, ObjectKey } from '../api/object.ts';
import type { Store } from '../store/store.ts';
import type { Call } from './call.ts';

/** The part of the store that verbs need; computed kinds bring their own. */
export type ResourceStore = Pick<Store, 'get' | 'commit' | 'list' | 'watch' | 'position'>;

/** A subresource besides status and scale, such as pods/eviction. */
export interface Subresource {
  /**
   * Its discovery entry: the kind of its bodies, with group and version when they differ from the
   * resource's.
   */
  kind: string;
  group?: string;
  version?: string;
  verbs: Verb[];
  /**
   * `body` is the decoded JSON, absent without one. A returned object becomes JSON with status 200,
   * or 201 after a POST.
   */
  handle: (call: Call, key: ObjectKey, body: unknown) => Promise<KubeObject | Response>;
}

/** Effects and lookups of a kind that its pure definition cannot contain. */
export interface Extension {
  /**
   * The type in the store; differs from `resourceOf(kind)` when another kind's objects are shown in
   * a second group.
   */
  type?: string;
  store?: ResourceStore;
  subresources?: Record<string, Subresource>;
  /** Reads the objects by which the kind's own admission judges this one, in the version of the request. */
  related?: (object: KubeObject, admission: Admission) => Promise<readonly KubeObject[]>;
  /**
   * Changes or refuses (with an ApiError) an object in its storage version, before `kind.default`.
   * May read.
   */
  admit?: (object: KubeObject, admission: Admission) => KubeObject | Promise<KubeObject>;
  /**
   * Refuses a deletion with an ApiError, before the object is marked. May read. `together`: the
   * other objects that the same request deletes.
   */
  admitDelete?: (call: Call, object: KubeObject, together?: readonly KubeObject[]) => void | Promise<void>;
  /** Runs after a change of an object, with the stored state. */
  changed?: (event: 'created' | 'updated' | 'deleted', object: KubeObject) => void | Promise<void>;
  /** Seconds of grace until another component must finish the deletion; 0 or absent = immediate. */
  graceSeconds?: (object: KubeObject, requested: number | undefined) => number;
}

/** A kind without its definition. */
export interface KnownKind extends Extension {
  kind: Kind;
  type: string;
}

/** A kind with its definition, which is loaded at the first request for its objects. */
export interface Resource extends KnownKind {
  kind: KindDefinition;
}

export interface KindRegistry {
  /** Adds a kind, or replaces the one with the same group and plural. */
  add(kind: Kind, extension?: Extension): void;
  remove(group: string, plural: string): void;
  find(group: string, plural: string): Promise<Resource | undefined>;
  findKind(group: string, kind: string): KnownKind | undefined;
  /** In the order of addition. */
  list(): KnownKind[];
  /** The same with definitions. */
  resources(): Promise<Resource[]>;
  /** Increases with every change; invalidates data derived from the registry. */
  revision(): number;
}

export const allVerbs: Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
export const verbsOf = ({ kind }: Resource): Verb[] => kind.verbs ?? allVerbs;
export const servedVersions = ({ kind }: Resource): KindVersion[] => kind.versions.filter((version) => version.served);

/** Admission by both, in order. Everything else is the second's, where it has it. */
const joined = (first: Extension | undefined, second: Extension): Extension => ({
  ...first,
  ...second,
  ...(first?.admit &&
    second.admit && {
      admit: async (object, admission) => second.admit!(await first.admit!(object, admission), admission),
    }),
  ...(first?.admitDelete &&
    second.admitDelete && {
      admitDelete: async (...asked) => {
        await first.admitDelete!(...asked);
        await second.admitDelete!(...asked);
      },
    }),
});

/** Extensions from several tables; a resource may be in many. */
export const joinExtensions = (...tables: Record<string, Extension>[]): Record<string, Extension> => {
  const all: Record<string, Extension> = {};
  for (const [resource, extension] of tables.flatMap(Object.entries<Extension>))
    all[resource] = joined(all[resource], extension);
  return all;
};

/** A registry of the served kinds, in the given order. */
export const createRegistry = (kinds: Iterable<Kind>, extensions: Record<string, Extension> = {}): KindRegistry => {
  const known = new Map<string, KnownKind>();
  const whole = async (of: KnownKind): Promise<Resource> => ({ ...of, kind: await definitionOf(of.kind) });
  let revision = 0;
  const add: KindRegistry['add'] = (kind, extension = {}) => {
    if (kind.served === false) return;
    known.set(resourceOf(kind), { type: kind.storedAs ?? resourceOf(kind), ...extension, kind });
    revision++;
  };
  for (const kind of kinds) add(kind, extensions[resourceOf(kind)]);
  return {
    add,
    remove: (group, plural) => {
      if (known.delete(resourceOf({ group, plural }))) revision++;
    },
    find: async (group, plural) => {
      const found = known.get(resourceOf({ group, plural }));
      return found && whole(found);
    },
    findKind: (group, kind) => [...known.values()].find((one) => one.kind.group === group && one.kind.kind === kind),
    list: () => [...known.values()],
    resources: () => Promise.all([...known.values()].map(whole)),
    revision: () => revision,
  };
};
