/** What the kinds of admission share of their schemas. */
import { atomicList, int32, listMap, object, type Schema, string, stringMap } from '../../../machinery/api/schema.ts';

const names = (description: string) => atomicList(description, string(''));

export const selector = (description: string) =>
  object(
    description,
    {
      matchLabels: stringMap('Labels with these values.'),
      matchExpressions: atomicList(
        'Requirements of labels.',
        object('A requirement.', {
          key: string('Key of the label.'),
          operator: string('In, NotIn, Exists or DoesNotExist.'),
          values: names('Values of In and NotIn.'),
        }),
      ),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  );

const ruleFields = {
  operations: names('CREATE, UPDATE, DELETE, CONNECT, or * for all.'),
  apiGroups: names('Groups of the resources; * is all groups.'),
  apiVersions: names('Versions of the resources; * is all versions.'),
  resources: names('Resources by plural name, x/sub for a subresource, */* for all with subresources.'),
  scope: string('Cluster, Namespaced, or * for both.'),
};

export const rule = object('Requests by operation and resource.', ruleFields);

const namedRules = (description: string) =>
  atomicList(
    description,
    object(
      'Requests by operation, resource and name.',
      { ...ruleFields, resourceNames: names('Names of objects; all objects if empty.') },
      { 'x-kubernetes-map-type': 'atomic' },
    ),
  );

export const matchResources = (description: string) =>
  object(description, {
    namespaceSelector: selector('Selects the namespaces of objects by their labels.'),
    objectSelector: selector('Selects objects by their labels, before or after the request.'),
    resourceRules: namedRules('Requests that match; any one suffices.'),
    excludeResourceRules: namedRules('Requests that never match.'),
    matchPolicy: string('Equivalent also matches requests for other versions of the resource; Exact does not.'),
  });

/** A list whose items have names, in strategic merge patches, too. */
const named = <T>(description: string, of: Schema<T>) =>
  listMap(description, ['name'], of, {
    'x-kubernetes-patch-merge-key': 'name',
    'x-kubernetes-patch-strategy': 'merge',
  });

export const matchConditions = named(
  'Conditions of requests that match; all must be true.',
  object('A condition.', {
    name: string('Name of the condition.'),
    expression: string('CEL expression of type bool.'),
  }),
);

export const variables = named(
  'Values that later expressions use as variables.NAME.',
  object('A variable.', { name: string('Name of the variable.'), expression: string('CEL expression.') }),
);

export const paramKind = object(
  'The kind of the objects that expressions use as params.',
  { apiVersion: string('Group and version of the kind.'), kind: string('The kind.') },
  { 'x-kubernetes-map-type': 'atomic' },
);

export const paramRef = object(
  'The objects that expressions use as params, one after the other.',
  {
    name: string('Name of the object; excludes a selector.'),
    namespace: string('Namespace of the objects; that of the request by default.'),
    selector: selector('Selects the objects by their labels; excludes a name.'),
    parameterNotFoundAction: string('Allow or Deny a request for which there is no such object.'),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

export const failurePolicy = string('Fail refuses a request that cannot be decided on; Ignore admits it.');

export const service = object('A service; it needs an address.', {
  namespace: string('Namespace of the service.'),
  name: string('Name of the service.'),
  path: string('Path of the requests.'),
  port: int32('Port of the service; 443 by default.'),
});
