import type { KindDefinition } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Withheld } from '../../machinery/api/reconcile.ts';

const kind = (
  definition: Partial<KindDefinition> & { kind: string; plural: string; group: string },
): KindDefinition => ({
  singular: definition.kind.toLowerCase(),
  shortNames: [],
  categories: [],
  namespaced: true,
  custom: definition.group !== '',
  versions: [{ name: 'v1', served: true, storage: true, schema: { type: 'object' }, columns: [], status: true }],
  ...definition,
});

interface Direction {
  paused?: boolean;
  withheld?: Withheld;
}

export const withoutCluster: Withheld = { releases: false, reason: 'OnHold', message: 'No cluster' };

const plain = [
  { name: 'v1', served: true, storage: true, schema: { type: 'object' as const }, columns: [], status: false },
];

export const widget = kind({
  group: 'toys.example',
  kind: 'Widget',
  plural: 'widgets',
  references: ({ spec }) => {
    const { part: name } = (spec ?? {}) as { part?: string };
    return name ? [{ group: 'toys.example', kind: 'Part', name }] : [];
  },
  validate: (object) =>
    (object.spec as { size?: number } | undefined)?.size === -1
      ? [{ reason: 'FieldValueInvalid', field: 'spec.size', value: -1, detail: 'must not be negative' }]
      : [],
});
export const part = kind({ group: 'toys.example', kind: 'Part', plural: 'parts' });
export const cluster = kind({
  group: 'cluster.x-k8s.io',
  kind: 'Cluster',
  plural: 'clusters',
  scope: async () => ({
    pausedBecause: ({ spec }) =>
      (spec as Direction | undefined)?.paused ? 'Cluster spec.paused is set to true' : undefined,
    withheldFrom: (scope, { uid }) => {
      const isMissing = uid !== undefined && scope?.metadata.uid !== uid;
      return isMissing ? withoutCluster : (scope?.spec as Direction | undefined)?.withheld;
    },
    givenPatch: () => ({ spec: { filled: null } }),
  }),
});
export const shelf = kind({ group: 'toys.example', kind: 'Shelf', plural: 'shelves', namespaced: false });
export const configMap = kind({ group: '', kind: 'ConfigMap', plural: 'configmaps', versions: plain });
export const serviceAccount = kind({ group: '', kind: 'ServiceAccount', plural: 'serviceaccounts', versions: plain });
export const event = kind({ group: '', kind: 'Event', plural: 'events', versions: plain, endsAfter: 3600 });
export const namespace = kind({
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  default: (object, { operation }): KubeObject =>
    operation === 'create' ? { ...object, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } } : object,
});

export const toyKinds = [widget, part, cluster, shelf, configMap, event, namespace];

/** An object of one of these kinds. */
export const make = (of: KindDefinition, name: string, rest: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: of.group ? `${of.group}/v1` : 'v1',
  kind: of.kind,
  ...rest,
  metadata: { name, ...(of.namespaced && { namespace: 'default' }), ...rest.metadata },
});

/** A reference from a dependent to its owner as stored. */
export const ownedBy = (owner: KubeObject, more: { controller?: boolean; blockOwnerDeletion?: boolean } = {}) => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid!,
  ...more,
});
