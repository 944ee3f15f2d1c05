/** Schemas that many kinds share. Functions and names show which version they are for. */
import type { Condition, LegacyCondition } from '../../machinery/api/object.ts';
import {
  atomicList,
  int32,
  int64,
  type JsonSchema,
  list,
  listMap,
  object,
  oneOf,
  required,
  type Schema,
  string,
  stringMap,
  time,
} from '../../machinery/api/schema.ts';

/** Both API versions are built from the same code; v1beta2 rejects empty values. */
export type ApiVersion = 'v1beta1' | 'v1beta2';
type Extra = Partial<JsonSchema>;
/** The given limits, in v1beta2 only. */
export const inV1beta2 = (version: ApiVersion, extra: Extra): Extra => (version === 'v1beta2' ? extra : {});

export const dnsSubdomain = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
export const dnsLabel = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
export const qualifiedName =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';
export const kindName = '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$';
export const groupVersion =
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/[a-z]([-a-z0-9]*[a-z0-9])?$';
const taintKey =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$';
const taintValue = '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$';
const conditionReason = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';

const referenceParts = {
  kind: required(string('Kind of the object.', { minLength: 1, maxLength: 63, pattern: kindName })),
  name: required(string('Name of the object.', { minLength: 1, maxLength: 253, pattern: dnsSubdomain })),
};
/** A reference within the namespace, to any served version of the kind. */
export const reference = (description: string) =>
  object(description, {
    apiGroup: required(string('API group of the object.', { minLength: 1, maxLength: 253, pattern: dnsSubdomain })),
    ...referenceParts,
  });
/** A reference within the namespace, with a version. */
export const templateReference = (description: string) =>
  object(description, {
    apiVersion: required(
      string('API group and version of the template.', { minLength: 1, maxLength: 317, pattern: groupVersion }),
    ),
    ...referenceParts,
  });
/** core/v1 ObjectReference, which v1beta1 uses for all references. */
export const objectReference = (description: string) =>
  object(
    description,
    {
      apiVersion: string('API group and version of the object.'),
      fieldPath: string('Part of the object that is meant, as a path; empty for all of it.'),
      kind: string('Kind of the object.'),
      name: string('Name of the object.'),
      namespace: string('Namespace of the object.'),
      resourceVersion: string('Version of the object that was seen when the reference was made.'),
      uid: string('Identity of the object.'),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  );
export interface Reference {
  apiGroup: string;
  kind: string;
  name: string;
}
export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  uid?: string;
  fieldPath?: string;
  resourceVersion?: string;
}

export const templateMetadata = (version: ApiVersion, description: string) =>
  object(
    description,
    {
      annotations: stringMap('Annotations that the created objects get.'),
      labels: stringMap('Labels that the created objects get.'),
    },
    inV1beta2(version, { minProperties: 1 }),
  );

export const labelSelector = (description: string) =>
  object(
    description,
    {
      matchExpressions: atomicList(
        'Requirements that must all hold.',
        object('A requirement on one label.', {
          key: required(string('Key of the label.')),
          operator: required(string('How key and values relate: In, NotIn, Exists or DoesNotExist.')),
          values: atomicList('Values for In and NotIn; empty for the others.', string('A value.')),
        }),
      ),
      matchLabels: stringMap('Labels that must be there with exactly these values.'),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  );

const polarity = oneOf('Whether True (Positive, the default) or False (Negative) is the good value.', [
  'Positive',
  'Negative',
]);
export const gates = (version: ApiVersion, description: string) =>
  listMap(
    description,
    ['conditionType'],
    object('A condition that must be good as well.', {
      conditionType: required(
        string('Type of the condition.', { minLength: 1, maxLength: 316, pattern: qualifiedName }),
      ),
      polarity,
    }),
    { maxItems: 32, ...inV1beta2(version, { minItems: 1 }) },
  );

export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
export const machineTaints = (description: string) =>
  listMap(
    description,
    ['key', 'effect'],
    object('A taint of the Node.', {
      effect: required(oneOf('What it does to pods that do not tolerate it.', taintEffects)),
      key: required(string('Key of the taint.', { minLength: 1, maxLength: 317, pattern: taintKey })),
      propagation: required(
        oneOf('Always: kept on the Node. OnInitialization: put there once, when the Node is first seen.', [
          'Always',
          'OnInitialization',
        ]),
      ),
      value: string('Value of the taint.', { minLength: 1, maxLength: 63, pattern: taintValue }),
    }),
    { minItems: 1, maxItems: 64 },
  );

export const clusterName = (description = 'Name of the Cluster this belongs to.') =>
  string(description, { minLength: 1, maxLength: 63 });
export const kubernetesVersion = (description: string) => string(description, { minLength: 1, maxLength: 256 });
export const failureDomainName = (description: string) => string(description, { minLength: 1, maxLength: 256 });
export const scaleSelector = string('The label selector as text, for the scale subresource.', {
  minLength: 1,
  maxLength: 4096,
});
export const deletionOrder = oneOf('Which Machines go first when there are too many.', ['Random', 'Newest', 'Oldest']);
export const minReadySeconds = (version: ApiVersion) =>
  int32('Seconds a Machine must have been ready before it counts as available.', {
    ...inV1beta2(version, { minimum: 0 }),
  });

const timeouts = {
  nodeDrainTimeout: 'time spent on draining the node',
  nodeVolumeDetachTimeout: 'time spent on waiting for volumes to detach',
  nodeDeletionTimeout: 'time spent on deleting the Node once its machine is gone',
};
const seconds = (what: string) => int32(`Seconds: most ${what}; 0 is no limit.`, { minimum: 0 });
/** The fields of v1beta2's `deletion`. */
export const deletionTimeouts = {
  nodeDeletionTimeoutSeconds: seconds(timeouts.nodeDeletionTimeout),
  nodeDrainTimeoutSeconds: seconds(timeouts.nodeDrainTimeout),
  nodeVolumeDetachTimeoutSeconds: seconds(timeouts.nodeVolumeDetachTimeout),
};
export const duration = (description: string) => string(description);
const durationOf = (what: string) => duration(`Most ${what}, as a duration such as 10m; 0 is no limit.`);
/** The same fields in v1beta1. */
export const legacyDeletionTimeouts = {
  nodeDeletionTimeout: durationOf(timeouts.nodeDeletionTimeout),
  nodeDrainTimeout: durationOf(timeouts.nodeDrainTimeout),
  nodeVolumeDetachTimeout: durationOf(timeouts.nodeVolumeDetachTimeout),
};

/** metav1.Condition. */
export const conditions = (description = 'What is true of this object, by type.'): Schema<Condition[]> =>
  listMap(
    description,
    ['type'],
    object('One aspect of the state.', {
      lastTransitionTime: required(time('When the status last changed.')),
      message: required(string('Details for people.', { maxLength: 32768 })),
      observedGeneration: int64('Generation of the object this was found for.', { minimum: 0 }),
      reason: required(
        string('Why, in one CamelCase word.', { minLength: 1, maxLength: 1024, pattern: conditionReason }),
      ),
      status: required(oneOf('Whether it holds.', ['True', 'False', 'Unknown'])),
      type: required(string('Which aspect.', { maxLength: 316, pattern: qualifiedName })),
    }),
    { maxItems: 32 },
  );
/** The v1beta1 condition. */
export const legacyConditions = (
  description = 'What is true of this object, in the older form with a severity.',
): Schema<LegacyCondition[]> =>
  list(
    description,
    object('One aspect of the state.', {
      lastTransitionTime: required(time('When the status last changed.')),
      message: string('Details for people.', { minLength: 1, maxLength: 10240 }),
      reason: string('Why, in one CamelCase word.', { minLength: 1, maxLength: 256 }),
      severity: string<NonNullable<LegacyCondition['severity']>>('How bad False is: Error, Warning or Info.', {
        maxLength: 32,
      }),
      status: required(string<LegacyCondition['status']>('Whether it holds: True, False or Unknown.')),
      type: required(string('Which aspect.', { minLength: 1, maxLength: 256 })),
    }),
  );
/** The v1beta1 fields for a terminal failure. */
export const legacyFailure = {
  failureMessage: string('What went wrong for good, for people.', { minLength: 1, maxLength: 10240 }),
  failureReason: string('What went wrong for good, in one word.'),
};
/** `status.deprecated` of v1beta2, which only v1beta1 clients read. */
export const deprecated = <P extends Record<string, Schema<unknown>>>(fields: P) =>
  object('What older clients still read.', {
    v1beta1: object('State in the words of v1beta1.', { conditions: legacyConditions(), ...fields }),
  });
export const observedGeneration = (version: ApiVersion) =>
  int64('The newest generation the controller has acted on.', inV1beta2(version, { minimum: 1 }));

/** How many Machines run which version. */
export const versionCounts = (
  wrap: (description: string, of: Schema<{ version: string; replicas?: number }>, extra: Extra) => Schema<unknown>,
  maxItems: number,
) =>
  wrap(
    'Kubernetes versions of the machines, and how many have each.',
    object('One version.', {
      replicas: int32('Machines of this version.', { minimum: 1 }),
      version: required(kubernetesVersion('Kubernetes version.')),
    }),
    { minItems: 1, maxItems },
  ) as Schema<{ version: string; replicas?: number }[]>;

export const download = (what: string) =>
  object(`The last offer of the ${what} for download.`, {
    request: required(string('The value of the annotation capstan.dev/download that asked for it.')),
    expires: time('When its link ends; the Secret with the link is deleted then.'),
    message: string('Why there is none.'),
  });
