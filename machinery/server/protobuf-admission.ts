/** Messages of the kinds of admission. */
import { admissionGroup } from '../api/admission.ts';
import {
  inlined,
  integer,
  labelSelector,
  message,
  messages,
  metadata,
  optionalInteger,
  optionalString,
  type ProtoField,
  type ProtoMessage,
  string,
  strings,
  time,
} from './protobuf-fields.ts';

const ruleWithOperations: ProtoMessage = {
  1: strings('operations'),
  2: inlined(() => ({
    1: strings('apiGroups'),
    2: strings('apiVersions'),
    3: strings('resources'),
    4: optionalString('scope'),
  })),
};
const namedRule: ProtoMessage = {
  1: strings('resourceNames'),
  2: inlined(() => ruleWithOperations),
};
const selectorOf = (name: string): ProtoField => message(name, () => labelSelector);
const matchResources: ProtoMessage = {
  1: selectorOf('namespaceSelector'),
  2: selectorOf('objectSelector'),
  3: messages('resourceRules', () => namedRule),
  4: messages('excludeResourceRules', () => namedRule),
  7: optionalString('matchPolicy'),
};
const namedExpression: ProtoMessage = { 1: string('name'), 2: string('expression') };
const paramKind: ProtoMessage = { 1: string('apiVersion'), 2: string('kind') };
const paramRef: ProtoMessage = {
  1: string('name'),
  2: string('namespace'),
  3: selectorOf('selector'),
  4: optionalString('parameterNotFoundAction'),
};
const condition: ProtoMessage = {
  1: string('type'),
  2: string('status'),
  3: integer('observedGeneration'),
  4: time('lastTransitionTime'),
  5: string('reason'),
  6: string('message'),
};
const validation: ProtoMessage = {
  1: string('expression'),
  2: string('message'),
  3: optionalString('reason'),
  4: string('messageExpression'),
};
const validatingPolicySpec: ProtoMessage = {
  1: message('paramKind', () => paramKind),
  2: message('matchConstraints', () => matchResources),
  3: messages('validations', () => validation),
  4: optionalString('failurePolicy'),
  5: messages('auditAnnotations', () => ({ 1: string('key'), 2: string('valueExpression') })),
  6: messages('matchConditions', () => namedExpression),
  7: messages('variables', () => namedExpression),
};
const expressionWarning: ProtoMessage = { 2: string('fieldRef'), 3: string('warning') };
const validatingPolicyStatus: ProtoMessage = {
  1: integer('observedGeneration'),
  2: message('typeChecking', () => ({ 1: messages('expressionWarnings', () => expressionWarning) })),
  3: messages('conditions', () => condition),
};
const validatingPolicy: ProtoMessage = {
  1: metadata,
  2: message('spec', () => validatingPolicySpec),
  3: message('status', () => validatingPolicyStatus),
};
const validatingBinding: ProtoMessage = {
  1: metadata,
  2: message('spec', () => ({
    1: string('policyName'),
    2: message('paramRef', () => paramRef),
    3: message('matchResources', () => matchResources),
    4: strings('validationActions'),
  })),
};
const expression: ProtoMessage = { 1: string('expression') };
const mutatingPolicy: ProtoMessage = {
  1: metadata,
  2: message('spec', () => ({
    1: message('paramKind', () => paramKind),
    2: message('matchConstraints', () => matchResources),
    3: messages('variables', () => namedExpression),
    4: messages('mutations', () => ({
      2: string('patchType'),
      3: message('applyConfiguration', () => expression),
      4: message('jsonPatch', () => expression),
    })),
    5: optionalString('failurePolicy'),
    6: messages('matchConditions', () => namedExpression),
    7: string('reinvocationPolicy'),
  })),
};
const mutatingBinding: ProtoMessage = {
  1: metadata,
  2: message('spec', () => ({
    1: string('policyName'),
    2: message('paramRef', () => paramRef),
    3: message('matchResources', () => matchResources),
  })),
};

const clientConfig: ProtoMessage = {
  1: message('service', () => ({
    1: string('namespace'),
    2: string('name'),
    3: optionalString('path'),
    4: optionalInteger('port'),
  })),
  2: { name: 'caBundle', type: 'bytes' },
  3: optionalString('url'),
};
/** Fields that webhooks of both kinds have. */
const webhook: ProtoMessage = {
  1: string('name'),
  2: message('clientConfig', () => clientConfig),
  3: messages('rules', () => ruleWithOperations),
  4: optionalString('failurePolicy'),
  5: selectorOf('namespaceSelector'),
  6: optionalString('sideEffects'),
  7: optionalInteger('timeoutSeconds'),
  8: strings('admissionReviewVersions'),
  9: optionalString('matchPolicy'),
};
const validatingWebhook: ProtoMessage = {
  ...webhook,
  10: selectorOf('objectSelector'),
  11: messages('matchConditions', () => namedExpression),
};
const mutatingWebhook: ProtoMessage = {
  ...webhook,
  10: optionalString('reinvocationPolicy'),
  11: selectorOf('objectSelector'),
  12: messages('matchConditions', () => namedExpression),
};

/** By kind. */
export const admissionMessages: Readonly<Record<string, ProtoMessage>> = {
  [`${admissionGroup}/v1/ValidatingAdmissionPolicy`]: validatingPolicy,
  [`${admissionGroup}/v1/ValidatingAdmissionPolicyBinding`]: validatingBinding,
  [`${admissionGroup}/v1/MutatingAdmissionPolicy`]: mutatingPolicy,
  [`${admissionGroup}/v1/MutatingAdmissionPolicyBinding`]: mutatingBinding,
  [`${admissionGroup}/v1beta1/MutatingAdmissionPolicy`]: mutatingPolicy,
  [`${admissionGroup}/v1beta1/MutatingAdmissionPolicyBinding`]: mutatingBinding,
  [`${admissionGroup}/v1/ValidatingWebhookConfiguration`]: {
    1: metadata,
    2: messages('webhooks', () => validatingWebhook),
  },
  [`${admissionGroup}/v1/MutatingWebhookConfiguration`]: {
    1: metadata,
    2: messages('webhooks', () => mutatingWebhook),
  },
};
