/** A resource's paths in OpenAPI. */
import { apiVersionOf, type KindVersion, type Verb } from '../api/kind.ts';
import { customTypes } from './body.ts';
import { patchTypes } from './patch.ts';
import { type Resource, verbsOf } from './registry.ts';

/** `io.x-k8s.cluster.v1beta2.Cluster`: the reversed domain, as API servers name schemas. */
export const schemaName = (group: string, version: string, kind: string): string => {
  const core = group === '' || !group.includes('.') || group.endsWith('.k8s.io');
  if (core) return `io.k8s.api.${(group || 'core').replace(/\.k8s\.io$/, '')}.${version}.${kind}`;
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: unknown, types: string[]) => Object.fromEntries(types.map((type) => [type, { schema }]));

const text = (name: string, description: string) => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', uniqueItems: true },
});
const number = (name: string, description: string) => ({
  name,
  in: 'query',
  description,
  schema: { type: 'integer', uniqueItems: true },
});
const flag = (name: string, description: string) => ({
  name,
  in: 'query',
  description,
  schema: { type: 'boolean', uniqueItems: true },
});

const pretty = text('pretty', 'Accepted, without effect.');
const writing = [
  text('dryRun', 'All = the request is checked and answered, and nothing is stored.'),
  text('fieldManager', 'Name of the writer.'),
  text('fieldValidation', 'What happens to unknown and repeated fields: Ignore, Warn or Strict.'),
];
const listing = [
  flag('allowWatchBookmarks', 'Whether a watch may send bookmarks.'),
  text('continue', 'Token of the next page.'),
  text('fieldSelector', 'Restricts the objects by their fields.'),
  text('labelSelector', 'Restricts the objects by their labels.'),
  number('limit', 'Most objects on a page.'),
  text('resourceVersion', 'Position to read at, or to watch from.'),
  text('resourceVersionMatch', 'How resourceVersion is meant in lists.'),
  number('timeoutSeconds', 'Seconds after which a watch ends.'),
  flag('watch', 'Answers changes as they happen.'),
];
const deleting = [
  text('dryRun', 'All = the request is checked and answered, and nothing is stored.'),
  number('gracePeriodSeconds', 'Seconds the object is given to go.'),
  flag('orphanDependents', 'Older form of propagationPolicy.'),
  text('propagationPolicy', 'Background, Foreground or Orphan.'),
];

const actions: Record<Verb, string> = {
  get: 'get',
  list: 'list',
  watch: 'watch',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'deletecollection',
};
const httpMethods: Partial<Record<Verb, string>> = {
  get: 'get',
  list: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
};

interface Subject {
  group: string;
  version: string;
  kind: string;
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const operation = (verb: Verb, of: Subject, custom: boolean, id: string) => {
  const name = schemaName(of.group, of.version, of.kind);
  const isList = verb === 'list';
  const answered = isList ? ref(schemaName(of.group, of.version, `${of.kind}List`)) : ref(name);
  const deletes = verb === 'delete' || verb === 'deletecollection';
  const writes = verb === 'create' || verb === 'update';
  const body =
    verb === 'patch'
      ? content(ref(`${meta}.Patch`), patchTypes(custom))
      : writes
        ? content(answered, customTypes)
        : deletes
          ? content(ref(`${meta}.DeleteOptions`), ['application/json'])
          : undefined;
  const ok = { description: 'OK', content: content(deletes ? ref(`${meta}.Status`) : answered, customTypes) };
  return {
    description: `${actions[verb]} ${of.kind}`,
    operationId: id,
    'x-kubernetes-action': actions[verb],
    'x-kubernetes-group-version-kind': of,
    parameters: [
      pretty,
      ...(isList || verb === 'deletecollection' ? listing : []),
      ...(writes || verb === 'patch' ? writing : []),
      ...(deletes ? deleting : []),
    ],
    ...(body && { requestBody: { ...(!deletes && { required: true }), content: body } }),
    responses: {
      200: ok,
      ...(verb === 'create' && { 201: { ...ok, description: 'Created' } }),
      401: { description: 'Unauthorized' },
    },
  };
};

const pathParameter = (name: string, description: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', uniqueItems: true },
});
const nameParameter = pathParameter('name', 'Name of the object.');
const namespaceParameter = pathParameter('namespace', 'Namespace of the object.');

/** Every path of the resource in this version. */
export const operationsOf = (resource: Resource, version: KindVersion): Record<string, unknown> => {
  const { group, kind, plural, namespaced, custom } = resource.kind;
  const verbs = new Set(verbsOf(resource));
  const of: Subject = { group, version: version.name, kind };
  const base = `/${group ? 'apis' : 'api'}/${apiVersionOf(group, version.name)}`;
  const collection = namespaced ? `${base}/namespaces/{namespace}/${plural}` : `${base}/${plural}`;
  const scope = namespaced ? [namespaceParameter] : [];
  const id = (verb: Verb, suffix = '') =>
    `${verb}${schemaName(group, version.name, kind).replace(/[^A-Za-z0-9]/g, '')}${suffix}`;
  const item = (parameters: unknown[], wanted: Verb[], subject: Subject, suffix = '') => ({
    ...(parameters.length > 0 && { parameters }),
    ...Object.fromEntries(
      wanted
        .filter((verb) => verbs.has(verb))
        .map((verb) => [httpMethods[verb], operation(verb, subject, custom, id(verb, suffix))]),
    ),
  });
  const one = [nameParameter, ...scope];
  const scaleOf: Subject = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  return {
    ...(namespaced && { [`${base}/${plural}`]: item([], ['list'], of, 'ForAllNamespaces') }),
    [collection]: item(scope, ['list', 'create', 'deletecollection'], of),
    [`${collection}/{name}`]: item(one, ['get', 'update', 'patch', 'delete'], of),
    ...(version.status && { [`${collection}/{name}/status`]: item(one, ['get', 'update', 'patch'], of, 'Status') }),
    ...(version.scale && { [`${collection}/{name}/scale`]: item(one, ['get', 'update', 'patch'], scaleOf, 'Scale') }),
  };
};
