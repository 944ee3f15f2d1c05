/** The kind CustomResourceDefinition: its schema, defaults and validation. */
import { jsonPath } from '../api/json-path.ts';
import type { KindDefinition } from '../api/kind.ts';
import { anyObject, atomicList, boolean, bytes, int32, listMap, object, oneOf, string, time } from '../api/schema.ts';
import type { Definition } from './definition.ts';
import { definitionKind } from './kind.ts';
import { withDefaultNames } from './names.ts';
import { formatWarnings } from './validation/formats.ts';
import { validateDefinition } from './validation/index.ts';

const names = object('The names of the resource and its kind.', {
  plural: string('Plural name, which is part of paths.'),
  singular: string('Singular name; the kind in lower case by default.'),
  shortNames: atomicList('Short names for clients.', string('')),
  kind: string('Kind of the objects, usually singular and in camel case.'),
  listKind: string('Kind of lists; the kind followed by List by default.'),
  categories: atomicList('Groups of resources that the resource belongs to, such as all.', string('')),
});

const service = object('A service of the cluster.', {
  namespace: string('Namespace of the service.'),
  name: string('Name of the service.'),
  path: string('Path of the requests.'),
  port: int32('Port of the service; 443 by default.'),
});

const conversion = object('How objects are converted between versions.', {
  strategy: string('None changes the apiVersion alone; Webhook asks a webhook.'),
  webhook: object('The webhook of the strategy Webhook.', {
    clientConfig: object('Where the webhook is.', {
      url: string('URL of the webhook.'),
      service,
      caBundle: bytes('Certificates of the authority that signs the certificate of the webhook.'),
    }),
    conversionReviewVersions: atomicList(
      'Versions of ConversionReview that the webhook understands, preferred first.',
      string(''),
    ),
  }),
});

const column = object('A column that kubectl get prints.', {
  name: string('Heading of the column.'),
  type: string('OpenAPI type of the values.'),
  format: string('OpenAPI format of the values.'),
  description: string('What the column shows.'),
  priority: int32('Above zero: only with -o wide.'),
  jsonPath: string('Where the value stands in the object.'),
});

const scale = object('Serves the subresource scale.', {
  specReplicasPath: string('Where the desired number of replicas stands.'),
  statusReplicasPath: string('Where the number of replicas stands.'),
  labelSelectorPath: string('Where the selector of the replicas stands, as text.'),
});

const version = object('One version of the kind.', {
  name: string('Name of the version, such as v1beta1.'),
  served: boolean('Whether the API serves the version.'),
  storage: boolean('Whether objects are stored in this version; one version is.'),
  deprecated: boolean('Whether clients are warned of using this version.'),
  deprecationWarning: string('Text of that warning.'),
  schema: object('What objects of this version look like.', {
    openAPIV3Schema: anyObject('Structural schema of the objects.'),
  }),
  subresources: object('Subresources of the objects.', {
    status: anyObject('Serves the subresource status.'),
    scale,
  }),
  additionalPrinterColumns: atomicList('Columns that kubectl get prints.', column),
  selectableFields: atomicList(
    'Fields that field selectors may name.',
    object('A field.', { jsonPath: string('Where the field stands.') }),
  ),
});

const definition = object('Adds a resource to the API.', {
  apiVersion: string('Group and version of this representation.'),
  kind: string('The kind of this object.'),
  metadata: object('Standard object metadata.', {}),
  spec: object('Names, versions and schemas of the resource.', {
    group: string('API group of the resource.'),
    names,
    scope: string('Namespaced or Cluster.'),
    versions: atomicList('Versions of the kind.', version),
    conversion,
    preserveUnknownFields: boolean('Must be false.'),
  }),
  status: object('Whether the resource is served.', {
    conditions: listMap(
      'What is the case.',
      ['type'],
      object('A condition.', {
        type: string('What may be the case.'),
        status: oneOf('Whether it is.', ['True', 'False', 'Unknown']),
        lastTransitionTime: time('When that last changed.'),
        reason: string('Why, in one word.'),
        message: string('Why, in words.'),
      }),
    ),
    acceptedNames: names,
    storedVersions: atomicList('Versions in which objects may be stored.', string('')),
  }),
});

/** A service is stored as it is, and has no address here. */
const serviceWarnings = ({ spec }: Definition): string[] =>
  spec?.conversion?.webhook?.clientConfig?.service
    ? ['spec.conversion.webhook.clientConfig.service has no address here: conversions fail until a url replaces it']
    : [];

export const definitionOfKind: KindDefinition = {
  ...definitionKind,
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  custom: false,
  generations: true,
  versions: [
    {
      name: 'v1',
      served: true,
      storage: true,
      status: true,
      schema: definition.json,
      columns: [
        {
          name: 'Created At',
          type: 'string',
          description: 'When the kind was defined.',
          value: (one) => String(jsonPath('.metadata.creationTimestamp', one)[0] ?? ''),
        },
      ],
    },
  ],
  default: (one) => withDefaultNames(one as Definition),
  validate: (one, { old, operation, subresource }) =>
    operation === 'delete' ? [] : validateDefinition(one as Definition, old as Definition | undefined, subresource),
  warn: (one, { old }) => [
    ...formatWarnings(one as Definition, old as Definition | undefined),
    ...serviceWarnings(one as Definition),
  ],
};
