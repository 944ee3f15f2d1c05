import type { Webhook } from '../../../machinery/api/admission.ts';
import { invalid, required } from '../../../machinery/api/faults.ts';
import type { FieldError } from '../../../machinery/api/kind.ts';
import { clientFaults, reviewVersionFaults } from '../../../machinery/api/webhook-faults.ts';
import {
  conditionFaults,
  failurePolicies,
  matchPolicies,
  oneOf,
  ruleFaults,
  selectorFaults,
  subdomainFaults,
} from '../admission/faults.ts';

const nameFaults = (name: string | undefined, field: string): FieldError[] => {
  if (!name) return [required(field)];
  const faults = subdomainFaults(field, name);
  if (faults.length > 0) return faults;
  return name.split('.').length >= 3
    ? []
    : [invalid(field, name, 'should be a domain with at least three segments separated by dots')];
};

const withoutSideEffects = ['None', 'NoneOnDryRun'];

export const webhookFaults = (webhook: Webhook, field: string): FieldError[] => {
  const { name, clientConfig, rules, failurePolicy, matchPolicy, sideEffects, timeoutSeconds } = webhook;
  return [
    ...nameFaults(name, `${field}.name`),
    ...(rules ?? []).flatMap((rule, i) => ruleFaults(rule, `${field}.rules[${i}]`)),
    ...oneOf(`${field}.failurePolicy`, failurePolicy, failurePolicies),
    ...oneOf(`${field}.matchPolicy`, matchPolicy, matchPolicies),
    ...(sideEffects
      ? oneOf(`${field}.sideEffects`, sideEffects, withoutSideEffects)
      : [required(`${field}.sideEffects`, `must specify one of ${withoutSideEffects.join(', ')}`)]),
    ...(timeoutSeconds !== undefined && (timeoutSeconds < 1 || timeoutSeconds > 30)
      ? [invalid(`${field}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...selectorFaults(`${field}.namespaceSelector`, webhook.namespaceSelector),
    ...selectorFaults(`${field}.objectSelector`, webhook.objectSelector),
    ...clientFaults(clientConfig ?? {}, `${field}.clientConfig`),
    ...conditionFaults(webhook.matchConditions, `${field}.matchConditions`),
    ...reviewVersionFaults(
      webhook.admissionReviewVersions ?? [],
      `${field}.admissionReviewVersions`,
      'must specify one of v1, v1beta1',
    ),
  ];
};
