/** Read-only CustomResourceDefinitions of the served kinds. */
import { jsonPath } from '../api/json-path.ts';
import type { Column, KindDefinition, KindVersion } from '../api/kind.ts';
import { resourceOf } from '../api/kind.ts';
import { timestamp } from '../api/lifecycle.ts';
import type { KubeObject } from '../api/object.ts';
import type { JsonSchema } from '../api/schema.ts';
import { published } from './published.ts';
import type { Extension, KindRegistry } from './registry.ts';

const group = 'apiextensions.k8s.io';

const columnOf = ({ name, type, jsonPath: path, format, description, priority }: Column) => ({
  name,
  type,
  jsonPath: path ?? '',
  ...(format && { format }),
  ...(description && { description }),
  ...(priority && { priority }),
});

/** A definition must not restrict metadata: all kinds share its schema. */
const withPlainMetadata = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...schema.properties, metadata: { type: 'object' } },
});

const versionOf = (version: KindVersion) => ({
  name: version.name,
  served: version.served,
  storage: version.storage,
  ...(version.deprecated && { deprecated: true }),
  ...(version.deprecationWarning && { deprecationWarning: version.deprecationWarning }),
  schema: { openAPIV3Schema: withPlainMetadata(version.schema) },
  ...((version.status || version.scale) && {
    subresources: { ...(version.status && { status: {} }), ...(version.scale && { scale: version.scale }) },
  }),
  ...(version.columns.length > 0 && { additionalPrinterColumns: version.columns.map(columnOf) }),
});

const established = (time: string) => [
  {
    type: 'NamesAccepted',
    status: 'True',
    lastTransitionTime: time,
    reason: 'NoConflicts',
    message: 'no conflicts found',
  },
  {
    type: 'Established',
    status: 'True',
    lastTransitionTime: time,
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  },
];

/** The CustomResourceDefinition of a kind. `created` in milliseconds since the epoch. */
export const crdOf = (kind: KindDefinition, created: number): KubeObject => {
  const { plural, singular, shortNames, categories } = kind;
  const names = {
    plural,
    singular,
    ...(shortNames.length > 0 && { shortNames }),
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    ...(categories.length > 0 && { categories }),
  };
  return {
    apiVersion: `${group}/v1`,
    kind: 'CustomResourceDefinition',
    metadata: { name: resourceOf(kind), ...(kind.crdLabels && { labels: kind.crdLabels }) },
    spec: {
      group: kind.group,
      names,
      scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      versions: kind.versions.map(versionOf),
      conversion: { strategy: 'None' },
    },
    status: {
      conditions: established(timestamp(created)),
      acceptedNames: names,
      storedVersions: kind.versions.filter(({ storage }) => storage).map(({ name }) => name),
    },
  };
};

export const crdKind: KindDefinition = {
  group,
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  custom: false,
  verbs: ['get', 'list', 'watch'],
  versions: [
    {
      name: 'v1',
      served: true,
      storage: true,
      status: true,
      schema: {
        type: 'object',
        description: 'A kind that this server serves besides those of Kubernetes itself.',
        properties: {
          apiVersion: { type: 'string', description: 'Group and version of this representation.' },
          kind: { type: 'string', description: 'The kind of this object.' },
          metadata: { type: 'object', description: 'Standard object metadata.' },
          spec: {
            type: 'object',
            description: 'Names, versions and schemas of the kind.',
            'x-kubernetes-preserve-unknown-fields': true,
          },
          status: {
            type: 'object',
            description: 'Whether the kind is served.',
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      },
      columns: [
        {
          name: 'Created At',
          type: 'string',
          description: 'When the kind was defined.',
          value: (object) => String(jsonPath('.metadata.creationTimestamp', object)[0] ?? ''),
        },
      ],
    },
  ],
};

/** Serves the definitions of the registry's custom kinds. They change only with the process. */
export const publishedCrds = (registry: KindRegistry, created: number): Extension => {
  const definitions = async () =>
    (await registry.resources())
      .filter(({ kind }) => kind.custom)
      .map(({ kind }) => crdOf(kind, created))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return published(definitions, created);
};
