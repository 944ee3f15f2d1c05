/** The objects of a cluster as a graph: who refers to whom, who owns whom, and what each complains of. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { complaintsOf } from './complaints.ts';
import type { CauseRules, Level, ReasonRule } from './rule.ts';

export interface Reference {
  kind: string;
  name: string;
}

/** What an object reports as not well. */
export interface Complaint {
  object: KubeObject;
  /** The type of the condition, or what else reports it. */
  type: string;
  reason: string;
  message: string;
  level: Level;
  /** RFC 3339. */
  since?: string | undefined;
  rule?: ReasonRule | undefined;
}

export interface Graph {
  objects: readonly KubeObject[];
  cluster: KubeObject | undefined;
  /** Milliseconds; absent: nothing is late. */
  now?: number | undefined;
  get(kind: string | undefined, name: string | undefined): KubeObject | undefined;
  /** The objects that have it as an owner. */
  ownedBy(object: KubeObject): KubeObject[];
  ofKind(...kinds: string[]): KubeObject[];
  /** Whether it was searched for, and does not exist. */
  isAbsent(reference: Reference): boolean;
  complaints(object: KubeObject | undefined): Complaint[];
}

export interface GraphInput {
  objects: readonly KubeObject[];
  /** References that were followed to nothing. */
  absent?: readonly Reference[];
  rules: readonly CauseRules[];
  now?: number | undefined;
}

const keyOf = ({ kind, name }: Reference): string => `${kind}/${name}`;

const isReference = (value: object): value is Reference & { apiGroup?: string } => {
  const { kind, name } = value as Partial<Reference>;
  return typeof kind === 'string' && typeof name === 'string' && /^[A-Z]/.test(kind);
};

/** Each kind and name in a spec, at any depth. */
export const referencesIn = (value: unknown): (Reference & { apiGroup?: string; apiVersion?: string })[] => {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  return isReference(value) ? [value] : Object.values(value).flatMap(referencesIn);
};

/** The Cluster that a member names by `spec.clusterName`. Kinds of other groups, such as snapshots, may outlive it. */
export const clusterReferenceOf = (object: KubeObject): Reference[] => {
  const { clusterName } = (object.spec ?? {}) as { clusterName?: unknown };
  const isMember = groupOf(object) === 'cluster.x-k8s.io' && typeof clusterName === 'string';
  return isMember ? [{ kind: 'Cluster', name: clusterName }] : [];
};

export const groupOf = ({ apiVersion }: Pick<KubeObject, 'apiVersion'>): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

export const graphOf = ({ objects, absent = [], rules, now }: GraphInput): Graph => {
  const byKey = new Map(objects.map((object) => [keyOf({ kind: object.kind, name: object.metadata.name }), object]));
  const missing = new Set(absent.map(keyOf));
  const byRule = new Map(rules.map((rule) => [`${rule.group}/${rule.kind}`, rule]));
  const owned = new Map<string, KubeObject[]>();
  for (const object of objects)
    for (const { uid } of object.metadata.ownerReferences ?? []) owned.set(uid, [...(owned.get(uid) ?? []), object]);
  const known = new Map<KubeObject, Complaint[]>();
  const graph: Graph = {
    objects,
    cluster: objects.find((object) => object.kind === 'Cluster' && groupOf(object) === 'cluster.x-k8s.io'),
    now,
    get: (kind, name) => byKey.get(`${kind}/${name}`),
    ownedBy: ({ metadata: { uid } }) => (uid === undefined ? [] : (owned.get(uid) ?? [])),
    ofKind: (...kinds) => objects.filter(({ kind }) => kinds.includes(kind)),
    isAbsent: (reference) => missing.has(keyOf(reference)),
    complaints: (object) => {
      if (!object) return [];
      const before = known.get(object);
      if (before) return before;
      // Explanations of one object may ask for it again.
      known.set(object, []);
      const found = complaintsOf(object, byRule.get(`${groupOf(object)}/${object.kind}`), graph);
      known.set(object, found);
      return found;
    },
  };
  return graph;
};
