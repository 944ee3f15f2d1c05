/** Which kinds a server serves. A workload cluster adds and removes some while it runs. */
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

/** A kind as it is known without its definition. */
export interface KnownKind extends Extension {
  kind: Kind;
  type: string;
}

/** A kind with its definition, which is loaded when somebody asks for its objects. */
export interface Resource extends KnownKind {
  kind: KindDefinition;
}

export interface KindRegistry {
  /** Adds a kind, or replaces it under the same group and plural. */
  add(kind: Kind, extension?: Extension): void;
  remove(group: string, plural: string): void;
  find(group: string, plural: string): Promise<Resource | undefined>;
  findKind(group: string, kind: string): KnownKind | undefined;
  /** In the order they were added. */
  list(): KnownKind[];
  /** The same, with their definitions. */
  resources(): Promise<Resource[]>;
  /** Grows with every change; what is derived from the registry is kept until then. */
  revision(): number;
}

export const allVerbs: Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
export const verbsOf = ({ kind }: Resource): Verb[] => kind.verbs ?? allVerbs;
export const servedVersions = ({ kind }: Resource): KindVersion[] => kind.versions.filter((version) => version.served);

/** A registry of the kinds that are served, in the order given. */
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
