/** CustomResourceDefinitions as data, and the kinds that they define. */
import { isTrue } from '../api/conditions.ts';
import { ApiError } from '../api/errors.ts';
import { apiVersionOf, type Column, type KindDefinition, type KindVersion, type ScalePaths } from '../api/kind.ts';
import type { Condition, KubeObject } from '../api/object.ts';
import type { JsonSchema } from '../api/schema.ts';
import { compareVersions } from '../api/version-order.ts';
import type { WebhookClientConfig } from '../api/webhook.ts';

export const definitionGroup = 'apiextensions.k8s.io';
/** Their type in the store. */
export const definitionType = `customresourcedefinitions.${definitionGroup}`;
/** Keeps a deleted definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export interface DefinitionNames {
  plural: string;
  singular?: string;
  shortNames?: string[];
  kind: string;
  listKind?: string;
  categories?: string[];
}

export interface DefinitionVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JsonSchema };
  subresources?: { status?: object; scale?: ScalePaths };
  additionalPrinterColumns?: Column[];
  selectableFields?: { jsonPath: string }[];
}

export interface Conversion {
  strategy: 'None' | 'Webhook';
  webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions: string[] };
}

export interface DefinitionSpec {
  group: string;
  scope: 'Namespaced' | 'Cluster';
  names: DefinitionNames;
  versions: DefinitionVersion[];
  conversion?: Conversion;
  preserveUnknownFields?: boolean;
}

export interface DefinitionStatus {
  conditions?: Condition[];
  acceptedNames?: Partial<DefinitionNames>;
  storedVersions?: string[];
}

export type Definition = KubeObject<DefinitionSpec, DefinitionStatus>;

const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

const columnOf = (column: Column): Column => ({
  ...column,
  description: column.description ?? `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
});

/** The fields of every object, which a definition need not declare. */
const everyObject: Record<string, JsonSchema> = {
  apiVersion: { type: 'string', description: 'APIVersion defines the group and version of this representation.' },
  kind: { type: 'string', description: 'The kind of this object.' },
  metadata: { type: 'object', description: "Standard object's metadata." },
};

const schemaOf = ({ schema }: DefinitionVersion): JsonSchema => {
  const own = schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return { ...own, properties: { ...everyObject, ...own.properties } };
};

/** What the Warning of a deprecated version says. */
const deprecationOf = ({ group, names, versions }: DefinitionSpec, version: DefinitionVersion): string => {
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const [newer] = versions
    .filter(({ name, served, deprecated }) => served && !deprecated && compareVersions(name, version.name) < 0)
    .map(({ name }) => name)
    .sort(compareVersions);
  const use = newer === undefined ? '' : `; use ${group}/${newer} ${names.kind}`;
  return `${group}/${version.name} ${names.kind} is deprecated${use}`;
};

const renamed =
  (apiVersion: string) =>
  (object: KubeObject): KubeObject => ({ ...object, apiVersion });

/** What a webhook converts is converted before it is shown. */
const unconverted =
  ({ group, names }: DefinitionSpec, version: string) =>
  (object: KubeObject): KubeObject => {
    if (object.apiVersion === apiVersionOf(group, version)) return object;
    const what = `${group}/${version}, Kind=${names.kind}`;
    throw new ApiError(500, '', `conversion webhook for ${what} failed: the object was not sent to it`);
  };

const conversionOf = (spec: DefinitionSpec, storage: string, version: DefinitionVersion) => {
  const isRenamed = spec.conversion?.strategy !== 'Webhook';
  const by = (to: string) => (isRenamed ? renamed(apiVersionOf(spec.group, to)) : unconverted(spec, to));
  // Objects stay in the version in which they were stored when another one becomes the storage version.
  if (version.storage) return isRenamed ? {} : { fromStorage: by(version.name) };
  return { toStorage: by(storage), fromStorage: by(version.name) };
};

const versionOf = (spec: DefinitionSpec, storage: string, version: DefinitionVersion): KindVersion => ({
  name: version.name,
  served: version.served,
  storage: version.storage,
  ...(version.deprecated && { deprecated: true, deprecationWarning: deprecationOf(spec, version) }),
  schema: schemaOf(version),
  columns: version.additionalPrinterColumns?.length ? version.additionalPrinterColumns.map(columnOf) : [age],
  status: version.subresources?.status !== undefined,
  ...(version.subresources?.scale && { scale: version.subresources.scale }),
  ...(version.selectableFields?.length && {
    selectable: version.selectableFields.map(({ jsonPath }) => jsonPath),
  }),
  ...conversionOf(spec, storage, version),
});

/** Whether the API serves what it defines. */
export const isServed = ({ status }: Definition): boolean =>
  isTrue(status?.conditions, 'NamesAccepted') || isTrue(status?.conditions, 'Established');

export const isTerminating = ({ metadata }: Definition): boolean => metadata.deletionTimestamp !== undefined;

/** Converts by the webhook of a definition. */
export type ConverterOf = (
  conversion: Conversion,
) => (objects: readonly KubeObject[], apiVersion: string) => Promise<KubeObject[]>;

/** The kind that a valid definition defines. */
export const kindOfDefinition = ({ metadata, spec, status }: Definition, converterOf?: ConverterOf): KindDefinition => {
  const { group, scope, names, versions } = spec!;
  const accepted = { ...names, ...status?.acceptedNames };
  const storage = versions.find((version) => version.storage)!.name;
  return {
    group,
    kind: accepted.kind,
    plural: names.plural,
    singular: accepted.singular ?? names.kind.toLowerCase(),
    ...(accepted.listKind && { listKind: accepted.listKind }),
    shortNames: accepted.shortNames ?? [],
    categories: accepted.categories ?? [],
    namespaced: scope === 'Namespaced',
    custom: true,
    defaultsAsStored: true,
    ...(metadata.labels && { crdLabels: metadata.labels }),
    ...(spec!.conversion?.strategy === 'Webhook' && converterOf && { convert: converterOf(spec!.conversion) }),
    versions: versions
      .map((version) => versionOf(spec!, storage, version))
      .sort((a, b) => compareVersions(a.name, b.name)),
  };
};
