/**
 * OpenAPI v3, one document for each group version, generated from the schemas. Version 2 is made of
 * its documents.
 */
import { createHash } from 'node:crypto';
import { apiVersionOf, type KindVersion, listKindOf } from '../api/kind.ts';
import type { JsonSchema } from '../api/schema.ts';
import type { ServerContext } from './call.ts';
import { deleteOptionsSchema } from './delete-options.ts';
import { metadataSchema } from './metadata-schema.ts';
import { operationsOf, schemaName } from './openapi-operations.ts';
import { type KindRegistry, type Resource, servedVersions } from './registry.ts';
import { scaleVersion } from './scale-kind.ts';
import { jsonResponse, notServed } from './status.ts';
import { taggedResponse } from './tagged.ts';

const metaPackage = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const metaRef = (name: string) => ({ $ref: `#/components/schemas/${metaPackage}.${name}` });

const listMeta: JsonSchema = {
  type: 'object',
  description: 'Where a list stands in the order of changes.',
  properties: {
    resourceVersion: { type: 'string', description: 'Position that the list shows.' },
    continue: { type: 'string', description: 'Token of the next page, if there is one.' },
    remainingItemCount: { type: 'integer', format: 'int64', description: 'Objects on later pages, if counted.' },
    selfLink: { type: 'string', description: 'No longer filled in.' },
  },
};
const status: JsonSchema = {
  type: 'object',
  description: 'The outcome of a request that answers no object.',
  properties: {
    apiVersion: { type: 'string', description: 'v1.' },
    kind: { type: 'string', description: 'Status.' },
    metadata: { type: 'object', description: 'Always empty.' },
    status: { type: 'string', description: 'Success or Failure.' },
    message: { type: 'string', description: 'What happened, in words.' },
    reason: { type: 'string', description: 'What happened, in one word.' },
    details: { type: 'object', description: 'What it happened to.', 'x-kubernetes-preserve-unknown-fields': true },
    code: { type: 'integer', format: 'int32', description: 'HTTP status code.' },
  },
};
const patch: JsonSchema = { type: 'object', description: 'Changes to make, in the form that the Content-Type names.' };

const metaSchemas = {
  ObjectMeta: metadataSchema,
  ListMeta: listMeta,
  DeleteOptions: deleteOptionsSchema,
  Status: status,
  Patch: patch,
};

const apiVersion: JsonSchema = {
  type: 'string',
  description: 'APIVersion defines the group and version of this representation.',
};

const published = (schema: JsonSchema, resource: Resource, version: KindVersion) => ({
  ...schema,
  properties: {
    ...schema.properties,
    // Clients read these, whatever a definition says of them.
    apiVersion,
    kind: { type: 'string', description: 'The kind of this object.' },
    metadata: { description: "Standard object's metadata.", allOf: [metaRef('ObjectMeta')] },
  },
  'x-kubernetes-group-version-kind': [{ group: resource.kind.group, version: version.name, kind: resource.kind.kind }],
  ...(version.selectable && {
    'x-kubernetes-selectable-fields': version.selectable.map((fieldPath) => ({ fieldPath: fieldPath.slice(1) })),
  }),
});

const listSchema = (resource: Resource, version: KindVersion) => {
  const { group, kind } = resource.kind;
  const list = listKindOf(resource.kind);
  return {
    type: 'object',
    description: `A list of ${kind} objects.`,
    required: ['items'],
    properties: {
      apiVersion,
      kind: { type: 'string', description: `${list}.` },
      metadata: metaRef('ListMeta'),
      items: {
        type: 'array',
        description: 'The objects.',
        items: { $ref: `#/components/schemas/${schemaName(group, version.name, kind)}` },
      },
    },
    'x-kubernetes-group-version-kind': [{ group, version: version.name, kind: list }],
  };
};

const scaleSchema = {
  ...scaleVersion.schema,
  properties: { ...scaleVersion.schema.properties, metadata: metaRef('ObjectMeta') },
  'x-kubernetes-group-version-kind': [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }],
};

type Served = { resource: Resource; version: KindVersion };

const documentOf = (served: Served[]) => {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(metaSchemas)) schemas[`${metaPackage}.${name}`] = schema;
  for (const { resource, version } of served) {
    const { group, kind } = resource.kind;
    schemas[schemaName(group, version.name, kind)] = published(version.schema, resource, version);
    schemas[schemaName(group, version.name, `${kind}List`)] = listSchema(resource, version);
    if (version.scale) schemas[schemaName('autoscaling', 'v1', 'Scale')] = scaleSchema;
    Object.assign(paths, operationsOf(resource, version));
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'unversioned' },
    paths,
    components: {
      schemas,
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  };
};

interface Documents {
  revision: number;
  /** By `api/v1` or `apis/group/version`. */
  texts: Map<string, { text: string; hash: string }>;
}

const documentsOf = async (registry: KindRegistry): Promise<Documents> => {
  const revision = registry.revision();
  const byVersion = new Map<string, Served[]>();
  for (const resource of await registry.resources())
    for (const version of servedVersions(resource)) {
      const { group } = resource.kind;
      const path = `${group ? 'apis' : 'api'}/${apiVersionOf(group, version.name)}`;
      byVersion.set(path, [...(byVersion.get(path) ?? []), { resource, version }]);
    }
  const texts = [...byVersion].map(([path, served]) => {
    const text = JSON.stringify(documentOf(served));
    const hash = createHash('sha512').update(text).digest('hex').toUpperCase();
    return [path, { text, hash }] as const;
  });
  return { revision, texts: new Map(texts) };
};

/** Documents are generated once for each state of a registry. */
const made = new WeakMap<KindRegistry, Documents>();
const current = async (registry: KindRegistry): Promise<Documents> => {
  const known = made.get(registry);
  if (known?.revision === registry.revision()) return known;
  const documents = await documentsOf(registry);
  made.set(registry, documents);
  return documents;
};

/**
 * `/openapi/v2`, `/openapi/v3` and the documents below it. A document named by its hash is
 * immutable.
 */
export const openApi = async ({ registry }: ServerContext, request: Request, parts: string[]): Promise<Response> => {
  const [version, ...rest] = parts;
  if (version !== 'v3' && !(version === 'v2' && rest.length === 0)) throw notServed();
  const { texts } = await current(registry);
  if (version === 'v2') return (await import('./openapi-v2/index.ts')).answerV2(request, texts);
  if (rest.length === 0) {
    const paths = [...texts].map(([path, { hash }]) => [
      path,
      { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` },
    ]);
    return jsonResponse({ paths: Object.fromEntries(paths) });
  }
  const found = texts.get(rest.join('/'));
  if (!found) throw notServed();
  const asked = new URL(request.url).searchParams.get('hash');
  const caching = asked === found.hash ? 'public, immutable, max-age=31536000' : 'no-cache, private';
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': caching };
  return taggedResponse(request, found.text, headers, `"${found.hash}"`);
};
