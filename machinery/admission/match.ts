/** Whether a policy, a binding or a webhook is about a request. */
import { admissionGroup, type MatchResources, type NamedRule, type OperationRule } from '../api/admission.ts';
import { type Labels, labelMatcher } from '../api/labels.ts';
import type { LabelSelector } from '../api/object.ts';
import type { ResourceForm, Review } from './review.ts';

const includes = (values: readonly string[] | undefined, value: string): boolean =>
  values?.some((one) => one === '*' || one === value) ?? false;

const isNamespaces = ({ group, resource }: ResourceForm): boolean => group === '' && resource === 'namespaces';

const isInScope = ({ scope = '*' }: OperationRule, { namespace }: Review, form: ResourceForm): boolean => {
  const isNamespaced = namespace !== '' && !isNamespaces(form);
  if (scope === 'Namespaced') return isNamespaced;
  return scope === '*' || (scope === 'Cluster' && !isNamespaced);
};

const isResource = (pattern: string, resource: string, subresource: string): boolean => {
  const [name, sub = ''] = pattern.split('/', 2);
  return (name === '*' || name === resource) && (sub === '*' || sub === subresource);
};

/** Whether a rule names the resource in this form. */
export const matchesRule = (rule: OperationRule, review: Review, form: ResourceForm): boolean =>
  isInScope(rule, review, form) &&
  includes(rule.operations, review.operation) &&
  includes(rule.apiGroups, form.group) &&
  includes(rule.apiVersions, form.version) &&
  (rule.resources?.some((pattern) => isResource(pattern, form.resource, review.subresource)) ?? false);

const isNamed = ({ resourceNames = [] }: NamedRule, { name }: Review): boolean =>
  resourceNames.length === 0 || resourceNames.includes(name);

/** The form in which any of the rules names the resource: preferably that of the request. */
export const formOf = (
  rules: readonly NamedRule[],
  matchPolicy: string | undefined,
  review: Review,
): ResourceForm | undefined => {
  const forms = matchPolicy === 'Exact' ? [review.asked] : [review.asked, ...review.equivalents];
  const matches = (form: ResourceForm) =>
    rules.some((rule) => matchesRule(rule, review, form) && isNamed(rule, review));
  return forms.find(matches);
};

const isEmpty = ({ matchLabels, matchExpressions }: LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;

export const selectsObject = (selector: LabelSelector | undefined, { object, old }: Review): boolean => {
  if (!selector || isEmpty(selector)) return true;
  const matches = labelMatcher(selector);
  return [object, old].some((one) => one !== undefined && matches(one.metadata.labels));
};

/** Labels of the namespace of the request, read when they are first needed. */
export type NamespaceLabels = () => Promise<Labels | undefined>;

/** A Namespace counts by its own labels; objects that are in no namespace always count. */
export const selectsNamespace = async (
  selector: LabelSelector | undefined,
  review: Review,
  labels: NamespaceLabels,
): Promise<boolean> => {
  if (!selector || isEmpty(selector) || review.namespace === '') return true;
  const matches = labelMatcher(selector);
  const isOwn = isNamespaces(review.asked) && review.subresource === '' && review.object !== undefined;
  return matches(isOwn ? review.object!.metadata.labels : await labels());
};

/** The form in which a policy or binding takes the request; undefined if it is about others. */
export const matchedForm = async (
  match: MatchResources,
  review: Review,
  labels: NamespaceLabels,
): Promise<ResourceForm | undefined> => {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy } = match;
  const form = resourceRules.length === 0 ? review.asked : formOf(resourceRules, matchPolicy, review);
  if (!form || formOf(excludeResourceRules, matchPolicy, review)) return undefined;
  if (!selectsObject(match.objectSelector, review)) return undefined;
  return (await selectsNamespace(match.namespaceSelector, review, labels)) ? form : undefined;
};

const exempt = new Set([
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
]);
/** Objects of admission itself are never subject to it: a wrong one can always be removed. */
export const isExempt = ({ asked }: Review): boolean => asked.group === admissionGroup && exempt.has(asked.kind);
