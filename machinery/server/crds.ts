/** CustomResourceDefinitions of the program's own kinds. */
import type { Column, KindDefinition, KindVersion } from '../api/kind.ts';
import { listKindOf, resourceOf } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { JsonSchema } from '../api/schema.ts';
import { type Definition, definitionGroup } from '../custom/definition.ts';
import { statusOf } from '../custom/names.ts';
import type { KindRegistry } from './registry.ts';

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

/** The CustomResourceDefinition of a kind. `created` in milliseconds since the epoch. */
export const crdOf = (kind: KindDefinition, created: number): Definition => {
  const { plural, singular, shortNames, categories } = kind;
  const definition: Definition = {
    apiVersion: `${definitionGroup}/v1`,
    kind: 'CustomResourceDefinition',
    metadata: { name: resourceOf(kind), ...(kind.crdLabels && { labels: kind.crdLabels }) },
    spec: {
      group: kind.group,
      names: {
        plural,
        singular,
        ...(shortNames.length > 0 && { shortNames }),
        kind: kind.kind,
        listKind: listKindOf(kind),
        ...(categories.length > 0 && { categories }),
      },
      scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      versions: kind.versions.map(versionOf),
      conversion: { strategy: 'None' },
    },
  };
  return { ...definition, status: statusOf(definition, [], created) };
};

/** The definitions of the registry's own custom resources, which change only with the program. */
export const ownDefinitions = async (registry: KindRegistry, created: number): Promise<KubeObject[]> =>
  (await registry.resources())
    .filter(({ kind, isOfUsers }) => kind.custom && !isOfUsers)
    .map(({ kind }) => crdOf(kind, created))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
