import { admissionGroup } from '../../../machinery/api/admission.ts';
import type { KindFacts } from '../../../machinery/api/kind.ts';
import { policyMark } from '../../../machinery/api/rbac.ts';

const shared = { group: admissionGroup, mark: policyMark, namespaced: false };

export const mutatingWebhookConfiguration: KindFacts = {
  ...shared,
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
};

export const validatingWebhookConfiguration: KindFacts = {
  ...shared,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
};
