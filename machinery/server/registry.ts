/** Which kinds a server serves. A workload cluster adds and removes some while it runs. */
import { type Admission, type KindDefinition, type KindVersion, resourceOf, type Verb } from '../api/kind.ts';
import type { KubeObject, ObjectKey } from '../api/object.ts';
import type { Store } from '../store/store.ts';
import type { Call } from './call.ts';

/** What a kind's verbs need of the store; kinds that are computed bring their own. */
export type ResourceStore = Pick<Store, 'get' | 'commit' | 'list' | 'watch' | 'position'>;

/** A subresource besides status and scale, such as pods/eviction. */
export interface Subresource {
  /** As discovery lists it: the kind of its bodies, and their group and version when they differ from the resource's. */
  kind: string;
  group?: string;
  version?: string;
  verbs: Verb[];
  /** `body` is the decoded JSON, absent without one. An object is answered as JSON with 200, or 201 after a POST. */
  handle: (call: Call, key: ObjectKey, body: unknown) => Promise<KubeObject | Response>;
}

/** What a caller adds to a kind that its definition, which is pure, cannot say. */
export interface Extension {
  /** The type in the store; `resourceOf(kind)` unless another kind's objects are shown in a second group. */
  type?: string;
  store?: ResourceStore;
  subresources?: Record<string, Subresource>;
  /** Changes or refuses (with an ApiError) an object in its storage version, before `kind.default`. May read. */
  admit?: (object: KubeObject, admission: Admission) => KubeObject | Promise<KubeObject>;
  /** Refuses a deletion with an ApiError, before anything is marked. May read. */
  admitDelete?: (call: Call, object: KubeObject) => void | Promise<void>;
  /** Runs after the kind's objects changed, with the stored state. */
  changed?: (event: 'created' | 'updated' | 'deleted', object: KubeObject) => void | Promise<void>;
  /** Seconds that a deletion waits for somebody else to finish it; 0 or absent = gone at once. */
  graceSeconds?: (object: KubeObject, requested: number | undefined) => number;
}

export interface Resource extends Extension {
  kind: KindDefinition;
  type: string;
}

export interface KindRegistry {
  /** Adds a kind, or replaces it under the same group and plural. */
  add(kind: KindDefinition, extension?: Extension): void;
  remove(group: string, plural: string): void;
  find(group: string, plural: string): Resource | undefined;
  findKind(group: string, kind: string): Resource | undefined;
  /** In the order they were added. */
  list(): Resource[];
  /** Grows with every change; what is derived from the registry is kept until then. */
  revision(): number;
}

export const allVerbs: Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
export const verbsOf = ({ kind }: Resource): Verb[] => kind.verbs ?? allVerbs;
export const servedVersions = ({ kind }: Resource): KindVersion[] => kind.versions.filter((version) => version.served);

/** A registry of the kinds that are served, in the order given. */
export const createRegistry = (
  kinds: Iterable<KindDefinition>,
  extensions: Record<string, Extension> = {},
): KindRegistry => {
  const resources = new Map<string, Resource>();
  let revision = 0;
  const add: KindRegistry['add'] = (kind, extension = {}) => {
    if (kind.served === false) return;
    resources.set(resourceOf(kind), { type: kind.storedAs ?? resourceOf(kind), ...extension, kind });
    revision++;
  };
  for (const kind of kinds) add(kind, extensions[resourceOf(kind)]);
  return {
    add,
    remove: (group, plural) => {
      if (resources.delete(resourceOf({ group, plural }))) revision++;
    },
    find: (group, plural) => resources.get(resourceOf({ group, plural })),
    findKind: (group, kind) => [...resources.values()].find((r) => r.kind.group === group && r.kind.kind === kind),
    list: () => [...resources.values()],
    revision: () => revision,
  };
};
