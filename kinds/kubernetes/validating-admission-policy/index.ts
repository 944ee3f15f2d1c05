import type { ValidatingBinding, ValidatingPolicy } from '../../../machinery/api/admission.ts';
import { invalid, required } from '../../../machinery/api/faults.ts';
import type { FieldError, KindDefinition } from '../../../machinery/api/kind.ts';
import {
  atomicList,
  int64,
  listMap,
  required as mustHave,
  object,
  string,
  time,
} from '../../../machinery/api/schema.ts';
import { bindingColumns, policyColumns } from '../admission/columns.ts';
import { withBindingDefaults, withPolicyDefaults } from '../admission/defaults.ts';
import { bindingFaults, duplicates, isBlank, oneOf, policyFaults, qualifiedNameFaults } from '../admission/faults.ts';
import {
  failurePolicy,
  matchConditions,
  matchResources,
  paramKind,
  paramRef,
  variables,
} from '../admission/schemas.ts';
import { defineBuiltIn } from '../built-in.ts';
import { validatingAdmissionPolicyBinding as bindingFacts, validatingAdmissionPolicy as facts } from './kind.ts';

const spec = object('What the policy demands of which requests.', {
  paramKind,
  matchConstraints: matchResources('The requests that the policy is about.'),
  validations: atomicList(
    'What must be true of a request.',
    object('A demand.', {
      expression: mustHave(string('CEL expression of type bool.')),
      message: string('Why a request is refused; the expression by default.'),
      reason: string('Reason of the refusal: Invalid by default, Forbidden or RequestEntityTooLarge.'),
      messageExpression: string('CEL expression of type string that computes the message.'),
    }),
  ),
  failurePolicy,
  auditAnnotations: atomicList(
    'Annotations of the audit event of a request.',
    object('An annotation.', {
      key: mustHave(string('Key; the name of the policy precedes it.')),
      valueExpression: mustHave(string('CEL expression of type string, or null for none.')),
    }),
  ),
  matchConditions,
  variables,
});

const status = object('What the server found out about the policy.', {
  observedGeneration: int64('Generation that this status is about.'),
  typeChecking: object('Checks of the expressions against the schemas of the resources.', {
    expressionWarnings: atomicList(
      'Expressions that do not fit a schema.',
      object('A warning.', {
        fieldRef: mustHave(string('Path of the expression.')),
        warning: mustHave(string('What does not fit, by resource.')),
      }),
    ),
  }),
  conditions: listMap(
    'What is the case.',
    ['type'],
    object('A condition.', {
      type: mustHave(string('What may be the case.')),
      status: mustHave(string('Whether it is: True, False or Unknown.')),
      observedGeneration: int64('Generation that the condition is about.'),
      lastTransitionTime: time('When the status last changed.'),
      reason: string('Why, in one word.'),
      message: string('Why, in words.'),
    }),
  ),
});

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const hasLines = (text: string): boolean => /[\n\r]/.test(text);

const validationFaults = ({ spec: policy }: ValidatingPolicy): FieldError[] =>
  (policy?.validations ?? []).flatMap(({ expression, message, messageExpression, reason }, i) => {
    const field = `spec.validations[${i}]`;
    return [
      ...(isBlank(expression) ? [required(`${field}.expression`, 'expression is not specified')] : []),
      ...(messageExpression && isBlank(messageExpression)
        ? [invalid(`${field}.messageExpression`, messageExpression, 'must be non-empty if specified')]
        : []),
      ...(message && isBlank(message) ? [invalid(`${field}.message`, message, 'must be non-empty if specified')] : []),
      ...(message && hasLines(message.trim())
        ? [invalid(`${field}.message`, message, 'must not contain line breaks')]
        : []),
      ...(reason === undefined ? [] : oneOf(`${field}.reason`, reason, reasons)),
    ];
  });

const mostAnnotations = 20;
const longestValueExpression = 5 * 1024;

const annotationFaults = ({ metadata, spec: policy }: ValidatingPolicy): FieldError[] => {
  const { auditAnnotations = [] } = policy ?? {};
  const field = 'spec.auditAnnotations';
  return [
    ...(auditAnnotations.length > mostAnnotations
      ? [invalid(field, auditAnnotations, `must not have more than ${mostAnnotations} auditAnnotations`)]
      : []),
    ...auditAnnotations.flatMap(({ key = '', valueExpression = '' }, i) => [
      ...qualifiedNameFaults(`${field}[${i}].key`, `${metadata.name}/${key}`),
      ...(isBlank(valueExpression)
        ? [required(`${field}[${i}].valueExpression`, 'valueExpression is not specified')]
        : []),
      ...(valueExpression.trim().length > longestValueExpression
        ? [required(`${field}[${i}].valueExpression`, `must not exceed ${longestValueExpression} bytes in length`)]
        : []),
    ]),
    ...duplicates(
      auditAnnotations.map(({ key }) => key ?? ''),
      (i) => `${field}[${i}].key`,
    ),
  ];
};

const validate: KindDefinition['validate'] = (object, { operation, subresource }) => {
  if (operation === 'delete' || subresource === 'status') return [];
  const policy = object as ValidatingPolicy;
  const { validations = [], auditAnnotations = [], ...rest } = policy.spec ?? {};
  const isEmpty = validations.length === 0 && auditAnnotations.length === 0;
  const detail = 'validations or auditAnnotations must contain at least one item';
  return [
    ...policyFaults(rest, 'spec'),
    ...(isEmpty ? [required('spec.validations', detail), required('spec.auditAnnotations', detail)] : []),
    ...validationFaults(policy),
    ...annotationFaults(policy),
  ];
};

export const validatingAdmissionPolicy = defineBuiltIn({
  ...facts,
  categories: ['api-extensions'],
  generations: true,
  default: (policy) => ({ ...policy, spec: withPolicyDefaults((policy as ValidatingPolicy).spec ?? {}) }),
  validate,
  version: {
    description: 'Demands what must be true of requests that change objects; bindings put it into effect.',
    fields: { spec, status },
    columns: policyColumns('Validations', 'validations'),
    status: true,
  },
});

const actions = ['Audit', 'Deny', 'Warn'];

const actionFaults = (own: readonly string[], field: string): FieldError[] => [
  ...own.flatMap((one, i) => oneOf(`${field}[${i}]`, one, actions)),
  ...duplicates(own, (i) => `${field}[${i}]`),
  ...(own.includes('Deny') && own.includes('Warn')
    ? [
        invalid(
          field,
          own,
          'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
        ),
      ]
    : []),
  ...(own.length === 0 ? [required(field, 'at least one validation action is required')] : []),
];

export const validatingAdmissionPolicyBinding = defineBuiltIn({
  ...bindingFacts,
  categories: ['api-extensions'],
  generations: true,
  default: (binding) => ({ ...binding, spec: withBindingDefaults((binding as ValidatingBinding).spec ?? {}) }),
  validate: (binding, { operation }) => {
    if (operation === 'delete') return [];
    const { validationActions = [], ...rest } = (binding as ValidatingBinding).spec ?? {};
    return [...bindingFaults(rest, 'spec'), ...actionFaults(validationActions, 'spec.validationActions')];
  },
  version: {
    description: 'Puts a ValidatingAdmissionPolicy into effect.',
    fields: {
      spec: object('Which policy has an effect on which requests.', {
        policyName: string('Name of the policy; a binding to one that does not exist has no effect.'),
        paramRef,
        matchResources: matchResources('Limits the requests that the policy is about.'),
        validationActions: atomicList('What follows when a demand is not met: Deny, Warn or Audit.', string('')),
      }),
    },
    columns: bindingColumns,
  },
});
