import { admissionGroup } from '../../../machinery/api/admission.ts';
import type { KindFacts } from '../../../machinery/api/kind.ts';
import { policyMark } from '../../../machinery/api/rbac.ts';

const shared = { group: admissionGroup, mark: policyMark, namespaced: false };

export const validatingAdmissionPolicy: KindFacts = {
  ...shared,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
};

export const validatingAdmissionPolicyBinding: KindFacts = {
  ...shared,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
};
