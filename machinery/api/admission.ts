/** The objects of admissionregistration.k8s.io. */
import type { KubeObject, LabelSelector } from './object.ts';
import type { WebhookClientConfig } from './webhook.ts';

export const admissionGroup = 'admissionregistration.k8s.io';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';
export type FailurePolicy = 'Fail' | 'Ignore';
export type MatchPolicy = 'Exact' | 'Equivalent';

/** Requests by operation and resource. */
export type OperationRule = {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
};
export type NamedRule = OperationRule & { resourceNames?: string[] };

export type MatchResources = {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  resourceRules?: NamedRule[];
  excludeResourceRules?: NamedRule[];
  matchPolicy?: MatchPolicy;
};

export type MatchCondition = { name: string; expression: string };
export type Variable = { name: string; expression: string };
export type ParamKind = { apiVersion: string; kind: string };
export type ParamRef = {
  name?: string;
  namespace?: string;
  selector?: LabelSelector;
  parameterNotFoundAction?: 'Allow' | 'Deny';
};

export type Validation = { expression: string; message?: string; reason?: string; messageExpression?: string };
export type AuditAnnotation = { key: string; valueExpression: string };

/** What policies of both kinds have. */
export type PolicySpec = {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  matchConditions?: MatchCondition[];
  variables?: Variable[];
  failurePolicy?: FailurePolicy;
};

export type ValidatingPolicySpec = PolicySpec & {
  validations?: Validation[];
  auditAnnotations?: AuditAnnotation[];
};

export type ExpressionWarning = { fieldRef: string; warning: string };
export type ValidatingPolicyStatus = {
  observedGeneration?: number;
  typeChecking?: { expressionWarnings?: ExpressionWarning[] };
};

export type ValidatingPolicy = KubeObject<ValidatingPolicySpec, ValidatingPolicyStatus>;

export type ValidationAction = 'Deny' | 'Warn' | 'Audit';

/** What bindings of both kinds have. */
export type BindingSpec = {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
};
export type ValidatingBinding = KubeObject<BindingSpec & { validationActions?: ValidationAction[] }>;

export type Webhook = {
  name: string;
  clientConfig?: WebhookClientConfig;
  rules?: OperationRule[];
  failurePolicy?: FailurePolicy;
  matchPolicy?: MatchPolicy;
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  sideEffects?: string;
  timeoutSeconds?: number;
  admissionReviewVersions?: string[];
  matchConditions?: MatchCondition[];
  /** Of mutating webhooks. */
  reinvocationPolicy?: 'Never' | 'IfNeeded';
};
/** A ValidatingWebhookConfiguration or a MutatingWebhookConfiguration. */
export type WebhookConfiguration = KubeObject & { webhooks?: Webhook[] };

/** All objects by which users decide on requests. */
export interface AdmissionObjects {
  policies: readonly ValidatingPolicy[];
  bindings: readonly ValidatingBinding[];
  validatingWebhooks: readonly WebhookConfiguration[];
  mutatingWebhooks: readonly WebhookConfiguration[];
}

/** Their types in the store. */
export const admissionTypes: Readonly<Record<keyof AdmissionObjects, string>> = {
  policies: `validatingadmissionpolicies.${admissionGroup}`,
  bindings: `validatingadmissionpolicybindings.${admissionGroup}`,
  validatingWebhooks: `validatingwebhookconfigurations.${admissionGroup}`,
  mutatingWebhooks: `mutatingwebhookconfigurations.${admissionGroup}`,
};
