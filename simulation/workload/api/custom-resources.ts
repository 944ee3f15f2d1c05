/** Turns CustomResourceDefinitions in the cluster into served kinds. */
import { ApiError } from '../../../machinery/api/errors.ts';
import type { Column, KindDefinition, KindVersion, ScalePaths } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { JsonSchema } from '../../../machinery/api/schema.ts';
import { type StatusCondition, withCondition } from '../objects.ts';

interface DefinitionVersion {
  name: string;
  served?: boolean;
  storage?: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JsonSchema };
  subresources?: { status?: object; scale?: ScalePaths };
  additionalPrinterColumns?: Column[];
  selectableFields?: { jsonPath: string }[];
}
interface DefinitionSpec {
  group?: string;
  scope?: string;
  names?: {
    kind?: string;
    plural?: string;
    singular?: string;
    shortNames?: string[];
    categories?: string[];
    listKind?: string;
  };
  versions?: DefinitionVersion[];
}
export const definitionType = 'customresourcedefinitions.apiextensions.k8s.io';

const specOf = (definition: KubeObject) => (definition.spec ?? {}) as DefinitionSpec;
const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/**
 * Versions of one kind differ only by name, unless a webhook converts them, and the simulation
 * calls no webhooks.
 */
const renamed =
  (apiVersion: string) =>
  (object: KubeObject): KubeObject => ({ ...object, apiVersion });

const versionOf = (group: string, storage: string, version: DefinitionVersion): KindVersion => ({
  name: version.name,
  served: version.served ?? false,
  storage: version.storage ?? false,
  ...(version.deprecated && { deprecated: true }),
  ...(version.deprecationWarning && { deprecationWarning: version.deprecationWarning }),
  schema: version.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  columns: version.additionalPrinterColumns?.length
    ? [
        ...version.additionalPrinterColumns,
        ...(version.additionalPrinterColumns.some(({ name }) => name === 'Age') ? [] : [age]),
      ]
    : [age],
  status: version.subresources?.status !== undefined,
  ...(version.subresources?.scale && { scale: version.subresources.scale }),
  ...(!version.storage && {
    toStorage: renamed(`${group}/${storage}`),
    fromStorage: renamed(`${group}/${version.name}`),
  }),
});

/** Undefined when the definition is too incomplete to serve. */
export const kindOfDefinition = (definition: KubeObject): KindDefinition | undefined => {
  const { group, scope, names = {}, versions = [] } = specOf(definition);
  const storage = versions.find((version) => version.storage)?.name;
  if (!group || !names.kind || !names.plural || storage === undefined) return undefined;
  return {
    group,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope !== 'Cluster',
    custom: true,
    versions: versions.map((version) => versionOf(group, storage, version)),
  };
};

/** Refuses definitions that cannot be served, with the API server's errors. */
export const checkDefinition = (definition: KubeObject): KubeObject => {
  const { group, names, scope } = specOf(definition);
  const { name } = definition.metadata;
  if (
    kindOfDefinition(definition) &&
    name === `${names?.plural}.${group}` &&
    (scope === 'Namespaced' || scope === 'Cluster')
  )
    return definition;
  throw new ApiError(
    422,
    'Invalid',
    `CustomResourceDefinition.apiextensions.k8s.io "${name}" is invalid: metadata.name: Invalid value: "${name}": must be spec.names.plural+"."+spec.group, with a scope and one storage version`,
    {
      name,
      group: 'apiextensions.k8s.io',
      kind: 'CustomResourceDefinition',
    },
  );
};

/** The definition with the status an API server gives it: names accepted, established. */
export const established = (definition: KubeObject, now: number): KubeObject => {
  const { names = {}, versions = [] } = specOf(definition);
  const before = (definition.status ?? {}) as { conditions?: StatusCondition[] };
  const accepted = {
    type: 'NamesAccepted',
    status: 'True' as const,
    reason: 'NoConflicts',
    message: 'no conflicts found',
  };
  const done = {
    type: 'Established',
    status: 'True' as const,
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  };
  return {
    ...definition,
    status: {
      conditions: [accepted, done].reduce(
        (list, condition) => withCondition(list, condition, now),
        before.conditions ?? [],
      ),
      acceptedNames: { listKind: `${names.kind}List`, singular: names.kind?.toLowerCase(), ...names },
      storedVersions: versions.filter((version) => version.storage).map(({ name }) => name),
    },
  };
};
