import { admissionGroup } from '../../../machinery/api/admission.ts';
import type { KindFacts } from '../../../machinery/api/kind.ts';
import { policyMark } from '../../../machinery/api/rbac.ts';

const shared = { group: admissionGroup, mark: policyMark, namespaced: false };

export const mutatingAdmissionPolicy: KindFacts = {
  ...shared,
  kind: 'MutatingAdmissionPolicy',
  plural: 'mutatingadmissionpolicies',
};

export const mutatingAdmissionPolicyBinding: KindFacts = {
  ...shared,
  kind: 'MutatingAdmissionPolicyBinding',
  plural: 'mutatingadmissionpolicybindings',
};
