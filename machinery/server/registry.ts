/**
 * The served kinds: those of this program, which a workload cluster adds and removes at run time, and
 * those that users define.
 */

import { forbidden } from '../api/errors.ts';
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
import { isTerminating } from '../custom/definition.ts';
import { type CustomKind, type CustomKinds, noCustomKinds } from '../custom/lookup.ts';
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
  /** Warnings for the client, besides the kind's own. May read. */
  warn?: (object: KubeObject, admission: Admission) => Promise<string[]>;
  /**
   * Refuses a deletion with an ApiError, before the object is marked. May read. `together`: the
   * other objects that the same request deletes.
   */
  admitDelete?: (call: Call, object: KubeObject, together?: readonly KubeObject[]) => void | Promise<void>;
  /** The object that a deletion marks: the stored one with what the deletion adds to it. */
  marked?: (object: KubeObject, now: number) => KubeObject;
  /** The verbs of discovery, where they are fewer than those that are served. */
  announced?: readonly Verb[];
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
  /** A user defines it, and may change it while it is served. */
  isOfUsers?: boolean;
}

export interface KindRegistry {
  /** Adds a kind, or replaces the one with the same group and plural. */
  add(kind: Kind, extension?: Extension): void;
  remove(group: string, plural: string): void;
  find(group: string, plural: string): Promise<Resource | undefined>;
  /** The kinds of users; the methods above and below show them as they were last read. */
  custom: CustomKinds;
  findKind(group: string, kind: string): KnownKind | undefined;
  /** In the order of addition. */
  list(): KnownKind[];
  /** The same with definitions. */
  resources(): Promise<Resource[]>;
  /** Increases with every change; invalidates data derived from the registry. */
  revision(): number;
}

/** In the order in which clients print them. */
export const allVerbs: Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const customVerbs: Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
export const verbsOf = ({ kind }: Resource): Verb[] => kind.verbs ?? (kind.custom ? customVerbs : allVerbs);
export const servedVersions = ({ kind }: Resource): KindVersion[] => kind.versions.filter((version) => version.served);

/** Admission and warnings by both, in order. Everything else is the second's, where it has it. */
const joined = (first: Extension | undefined, second: Extension): Extension => ({
  ...first,
  ...second,
  ...(first?.admit &&
    second.admit && {
      admit: async (object, admission) => second.admit!(await first.admit!(object, admission), admission),
    }),
  ...(first?.warn &&
    second.warn && {
      warn: async (object, admission) => [
        ...(await first.warn!(object, admission)),
        ...(await second.warn!(object, admission)),
      ],
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

/** While a definition is deleted with its objects, clients make no new ones. */
const ending: Extension = {
  announced: ['delete', 'deletecollection', 'get', 'list', 'watch'],
};
const endingOf = ({ kind }: CustomKind): Extension => ({
  ...ending,
  admit: (object, { operation }) => {
    if (operation !== 'create') return object;
    const why = 'create not allowed while custom resource definition is terminating';
    throw forbidden(kind, object.metadata.name, why);
  },
});

const resourceOfUsers = (one: CustomKind): Resource => ({
  type: resourceOf(one.kind),
  kind: one.kind,
  isOfUsers: true,
  ...(isTerminating(one.definition) && endingOf(one)),
});

/** A registry of the served kinds, in the given order; a kind of users never replaces one of these. */
export const createRegistry = (
  kinds: Iterable<Kind>,
  extensions: Record<string, Extension> = {},
  custom: CustomKinds = noCustomKinds,
): KindRegistry => {
  const known = new Map<string, KnownKind>();
  const whole = async (of: KnownKind): Promise<Resource> => ({ ...of, kind: await definitionOf(of.kind) });
  let revision = 0;
  const add: KindRegistry['add'] = (kind, extension = {}) => {
    if (kind.served === false) return;
    known.set(resourceOf(kind), { type: kind.storedAs ?? resourceOf(kind), ...extension, kind });
    revision++;
  };
  for (const kind of kinds) add(kind, extensions[resourceOf(kind)]);
  const isFree = ({ kind }: CustomKind) => !known.has(resourceOf(kind));
  let ofUsers: { source: readonly CustomKind[]; revision: number; resources: Map<string, Resource> } | undefined;
  const usersResources = (): Map<string, Resource> => {
    const source = custom.current();
    if (ofUsers?.source !== source || ofUsers.revision !== revision) {
      const resources = source.filter(isFree).map((one) => [resourceOf(one.kind), resourceOfUsers(one)] as const);
      ofUsers = { source, revision, resources: new Map(resources) };
    }
    return ofUsers.resources;
  };
  const isOf = (group: string, kind: string) => (one: KnownKind) => one.kind.group === group && one.kind.kind === kind;
  return {
    add,
    custom,
    remove: (group, plural) => {
      if (known.delete(resourceOf({ group, plural }))) revision++;
    },
    find: async (group, plural) => {
      const found = known.get(resourceOf({ group, plural }));
      return found ? whole(found) : usersResources().get(resourceOf({ group, plural }));
    },
    findKind: (group, kind) =>
      [...known.values()].find(isOf(group, kind)) ?? [...usersResources().values()].find(isOf(group, kind)),
    list: () => [...known.values(), ...usersResources().values()],
    resources: async () => [...(await Promise.all([...known.values()].map(whole))), ...usersResources().values()],
    revision: () => revision + custom.revision(),
  };
};
