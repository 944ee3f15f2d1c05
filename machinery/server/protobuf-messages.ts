/** Field numbers of protobuf messages that clients send. */
import { admissionMessages } from './protobuf-admission.ts';
import { definitionMessage } from './protobuf-definition.ts';
import {
  bytesMap,
  integer,
  labelSelector,
  message,
  messages,
  metadata,
  microTime,
  optionalBoolean,
  optionalInteger,
  optionalString,
  type ProtoMessage,
  string,
  stringMap,
  strings,
  time,
} from './protobuf-fields.ts';
import { flowControlMessages } from './protobuf-flow-control.ts';

export { metadata, type ProtoField, type ProtoMessage } from './protobuf-fields.ts';

const namespaceCondition: ProtoMessage = {
  1: string('type'),
  2: string('status'),
  4: time('lastTransitionTime'),
  5: string('reason'),
  6: string('message'),
};
const namespace: ProtoMessage = {
  1: metadata,
  2: message('spec', () => ({ 1: strings('finalizers') })),
  3: message('status', () => ({ 1: string('phase'), 2: messages('conditions', () => namespaceCondition) })),
};
const secret: ProtoMessage = {
  1: metadata,
  2: bytesMap('data'),
  3: string('type'),
  4: stringMap('stringData'),
  5: optionalBoolean('immutable'),
};
const configMap: ProtoMessage = {
  1: metadata,
  2: stringMap('data'),
  3: bytesMap('binaryData'),
  4: optionalBoolean('immutable'),
};

const objectReference: ProtoMessage = {
  1: string('kind'),
  2: string('namespace'),
  3: string('name'),
  4: string('uid'),
  5: string('apiVersion'),
  6: string('resourceVersion'),
  7: string('fieldPath'),
};
const eventSource: ProtoMessage = { 1: string('component'), 2: string('host') };
const eventSeries: ProtoMessage = { 1: integer('count'), 2: microTime('lastObservedTime') };
const serviceAccount: ProtoMessage = {
  1: metadata,
  2: messages('secrets', () => objectReference),
  3: messages('imagePullSecrets', () => ({ 1: string('name') })),
  4: optionalBoolean('automountServiceAccountToken'),
};
const boundObjectReference: ProtoMessage = {
  1: string('kind'),
  2: string('apiVersion'),
  3: string('name'),
  4: string('uid'),
};
const tokenRequestSpec: ProtoMessage = {
  1: strings('audiences'),
  3: message('boundObjectRef', () => boundObjectReference),
  4: optionalInteger('expirationSeconds'),
};
const tokenRequest: ProtoMessage = { 1: metadata, 2: message('spec', () => tokenRequestSpec) };
const resourceQuota: ProtoMessage = {
  1: metadata,
  2: message('spec', () => ({ 1: { name: 'hard', type: 'quantityMap' }, 2: strings('scopes') })),
  3: message('status', () => ({ 1: { name: 'hard', type: 'quantityMap' }, 2: { name: 'used', type: 'quantityMap' } })),
};
const coreEvent: ProtoMessage = {
  1: metadata,
  2: message('involvedObject', () => objectReference),
  3: string('reason'),
  4: string('message'),
  5: message('source', () => eventSource),
  6: time('firstTimestamp'),
  7: time('lastTimestamp'),
  8: integer('count'),
  9: string('type'),
  10: microTime('eventTime'),
  11: message('series', () => eventSeries),
  12: string('action'),
  13: message('related', () => objectReference),
  14: string('reportingComponent'),
  15: string('reportingInstance'),
};
const event: ProtoMessage = {
  1: metadata,
  2: microTime('eventTime'),
  3: message('series', () => eventSeries),
  4: string('reportingController'),
  5: string('reportingInstance'),
  6: string('action'),
  7: string('reason'),
  8: message('regarding', () => objectReference),
  9: message('related', () => objectReference),
  10: string('note'),
  11: string('type'),
  12: message('deprecatedSource', () => eventSource),
  13: time('deprecatedFirstTimestamp'),
  14: time('deprecatedLastTimestamp'),
  15: integer('deprecatedCount'),
};

const leaseSpec: ProtoMessage = {
  1: optionalString('holderIdentity'),
  2: optionalInteger('leaseDurationSeconds'),
  3: microTime('acquireTime'),
  4: microTime('renewTime'),
  5: optionalInteger('leaseTransitions'),
  6: optionalString('strategy'),
  7: optionalString('preferredHolder'),
};
const lease: ProtoMessage = { 1: metadata, 2: message('spec', () => leaseSpec) };

const scale: ProtoMessage = { 1: metadata, 2: message('spec', () => ({ 1: integer('replicas') })) };

const resourceAttributes: ProtoMessage = {
  1: string('namespace'),
  2: string('verb'),
  3: string('group'),
  4: string('version'),
  5: string('resource'),
  6: string('subresource'),
  7: string('name'),
};
const accessReviewSpec: ProtoMessage = {
  1: message('resourceAttributes', () => resourceAttributes),
  2: message('nonResourceAttributes', () => ({ 1: string('path'), 2: string('verb') })),
};
const accessReview: ProtoMessage = { 1: metadata, 2: message('spec', () => accessReviewSpec) };
const subjectAccessReviewSpec: ProtoMessage = {
  ...accessReviewSpec,
  3: string('user'),
  4: strings('groups'),
  6: string('uid'),
};
const subjectAccessReview: ProtoMessage = { 1: metadata, 2: message('spec', () => subjectAccessReviewSpec) };
const tokenReview: ProtoMessage = {
  1: metadata,
  2: message('spec', () => ({ 1: string('token'), 2: strings('audiences') })),
};
const rulesReview: ProtoMessage = { 1: metadata, 2: message('spec', () => ({ 1: string('namespace') })) };
const subjectReview: ProtoMessage = { 1: metadata };

const policyRule: ProtoMessage = {
  1: strings('verbs'),
  2: strings('apiGroups'),
  3: strings('resources'),
  4: strings('resourceNames'),
  5: strings('nonResourceURLs'),
};
const role: ProtoMessage = {
  1: metadata,
  2: messages('rules', () => policyRule),
  3: message('aggregationRule', () => ({ 1: messages('clusterRoleSelectors', () => labelSelector) })),
};
const subject: ProtoMessage = { 1: string('kind'), 2: string('apiGroup'), 3: string('name'), 4: string('namespace') };
const binding: ProtoMessage = {
  1: metadata,
  2: messages('subjects', () => subject),
  3: message('roleRef', () => ({ 1: string('apiGroup'), 2: string('kind'), 3: string('name') })),
};

export const deleteOptions: ProtoMessage = {
  1: optionalInteger('gracePeriodSeconds'),
  2: message('preconditions', () => ({ 1: optionalString('uid'), 2: optionalString('resourceVersion') })),
  3: optionalBoolean('orphanDependents'),
  4: string('propagationPolicy'),
  5: strings('dryRun'),
};

const messagesByKind: Record<string, ProtoMessage> = {
  'v1/Namespace': namespace,
  'v1/Secret': secret,
  'v1/ConfigMap': configMap,
  'v1/ServiceAccount': serviceAccount,
  'authentication.k8s.io/v1/TokenRequest': tokenRequest,
  'v1/ResourceQuota': resourceQuota,
  'v1/Event': coreEvent,
  'events.k8s.io/v1/Event': event,
  'coordination.k8s.io/v1/Lease': lease,
  'autoscaling/v1/Scale': scale,
  'authorization.k8s.io/v1/SelfSubjectAccessReview': accessReview,
  'authorization.k8s.io/v1/SelfSubjectRulesReview': rulesReview,
  'authorization.k8s.io/v1/SubjectAccessReview': subjectAccessReview,
  'authorization.k8s.io/v1/LocalSubjectAccessReview': subjectAccessReview,
  'authentication.k8s.io/v1/TokenReview': tokenReview,
  'rbac.authorization.k8s.io/v1/Role': role,
  'rbac.authorization.k8s.io/v1/ClusterRole': role,
  'rbac.authorization.k8s.io/v1/RoleBinding': binding,
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': binding,
  ...admissionMessages,
  ...flowControlMessages,
  'apiextensions.k8s.io/v1/CustomResourceDefinition': definitionMessage,
  'authentication.k8s.io/v1/SelfSubjectReview': subjectReview,
  'authentication.k8s.io/v1beta1/SelfSubjectReview': subjectReview,
  'authentication.k8s.io/v1alpha1/SelfSubjectReview': subjectReview,
};

/** Finds the message of a kind. */
export type FindMessage = (apiVersion: string, kind: string) => ProtoMessage | undefined;

/** DeleteOptions have the same message in every group. */
export const messageOf: FindMessage = (apiVersion, kind) =>
  kind === 'DeleteOptions' ? deleteOptions : messagesByKind[`${apiVersion}/${kind}`];
