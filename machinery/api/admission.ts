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

/** Of a mutating policy or webhook: whether it is asked again when others have changed the object since. */
export type ReinvocationPolicy = 'Never' | 'IfNeeded';

export type Mutation = {
  patchType: 'ApplyConfiguration' | 'JSONPatch';
  applyConfiguration?: { expression: string };
  jsonPatch?: { expression: string };
};
export type MutatingPolicySpec = PolicySpec & { mutations?: Mutation[]; reinvocationPolicy?: ReinvocationPolicy };
export type MutatingPolicy = KubeObject<MutatingPolicySpec>;
export type MutatingBinding = KubeObject<BindingSpec>;

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
  reinvocationPolicy?: ReinvocationPolicy;
};
/** A ValidatingWebhookConfiguration or a MutatingWebhookConfiguration. */
export type WebhookConfiguration = KubeObject & { webhooks?: Webhook[] };

/** All objects by which users decide on requests. */
export interface AdmissionObjects {
  policies: readonly ValidatingPolicy[];
  bindings: readonly ValidatingBinding[];
  mutatingPolicies: readonly MutatingPolicy[];
  mutatingBindings: readonly MutatingBinding[];
  validatingWebhooks: readonly WebhookConfiguration[];
  mutatingWebhooks: readonly WebhookConfiguration[];
}

/** Their types in the store. */
export const admissionTypes: Readonly<Record<keyof AdmissionObjects, string>> = {
  policies: `validatingadmissionpolicies.${admissionGroup}`,
  bindings: `validatingadmissionpolicybindings.${admissionGroup}`,
  mutatingPolicies: `mutatingadmissionpolicies.${admissionGroup}`,
  mutatingBindings: `mutatingadmissionpolicybindings.${admissionGroup}`,
  validatingWebhooks: `validatingwebhookconfigurations.${admissionGroup}`,
  mutatingWebhooks: `mutatingwebhookconfigurations.${admissionGroup}`,
};
