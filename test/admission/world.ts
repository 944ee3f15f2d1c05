/** Policies and bindings, and an installation in which users define them. */
import {
  admissionGroup,
  type MutatingPolicySpec,
  type NamedRule,
  type ValidatingPolicySpec,
} from '../../machinery/api/admission.ts';
import type { RuntimePorts } from '../../runtime/foundation.ts';
import { createRightsWorld, type RightsWorld } from '../rights/world.ts';
import type { Answer, Client } from '../server/client.ts';

export const admission = `/apis/${admissionGroup}/v1`;
export const policies = `${admission}/validatingadmissionpolicies`;
export const bindings = `${admission}/validatingadmissionpolicybindings`;
export const mutatingPolicies = `${admission}/mutatingadmissionpolicies`;
export const mutatingBindings = `${admission}/mutatingadmissionpolicybindings`;
const apiVersion = `${admissionGroup}/v1`;

export const configMaps = '/api/v1/namespaces/default/configmaps';
export const configMap = (name: string, data: Record<string, string> = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

/** All writes of a resource. */
export const ruleOf = (resource = 'configmaps', apiGroup = '', more: object = {}) => ({
  apiGroups: [apiGroup],
  apiVersions: ['v1'],
  resources: [resource],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  ...more,
});

export const policyOf = (name: string, spec: Partial<ValidatingPolicySpec> = {}) => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: { matchConstraints: { resourceRules: [ruleOf()] }, validations: [{ expression: 'false' }], ...spec },
});

export const policyBindingOf = (policyName: string, spec: object = {}) => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: `${policyName}-binding` },
  spec: { policyName, validationActions: ['Deny'], ...spec },
});

/** A policy that changes nothing but what `spec` says. */
export const mutatingPolicyOf = (name: string, spec: Partial<MutatingPolicySpec> = {}) => ({
  apiVersion,
  kind: 'MutatingAdmissionPolicy',
  metadata: { name },
  spec: {
    matchConstraints: { resourceRules: [ruleOf('configmaps', '', { operations: ['CREATE', 'UPDATE'] })] },
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    reinvocationPolicy: 'Never',
    ...spec,
  },
});

export const mutatingPolicyBindingOf = (policyName: string, spec: object = {}) => ({
  apiVersion,
  kind: 'MutatingAdmissionPolicyBinding',
  metadata: { name: `${policyName}-binding` },
  spec: { policyName, ...spec },
});

const created = async (answer: Promise<Answer>): Promise<Answer> => {
  const { status, body } = await answer;
  if (status !== 201) throw new Error(`answered ${status}: ${body.message}`);
  return answer;
};

/** Nothing changes of what is deleted. */
const withoutDeletions = (rule: NamedRule): NamedRule => ({
  ...rule,
  operations: rule.operations!.filter((one) => one !== 'DELETE'),
});

export interface AdmissionWorld extends RightsWorld {
  /** Puts a policy into effect. */
  demand: (spec?: Partial<ValidatingPolicySpec>, binding?: object, name?: string) => Promise<void>;
  /** Puts a mutating policy into effect; by default it is about ConfigMaps. */
  change: (spec?: Partial<MutatingPolicySpec>, binding?: object, name?: string) => Promise<void>;
  /** Creates a ConfigMap. */
  create: (data?: Record<string, string>, metadata?: object, by?: Client) => Promise<Answer>;
}

export const createAdmissionWorld = (ports: Partial<RuntimePorts> = {}): AdmissionWorld => {
  const world = createRightsWorld({}, ports);
  const { root } = world;
  let made = 0;
  return {
    ...world,
    demand: async (spec, binding, name = 'demand.example') => {
      await created(root.post(policies, policyOf(name, spec)));
      await created(root.post(bindings, policyBindingOf(name, binding)));
    },
    change: async (spec, binding, name = 'change.example') => {
      const about = spec?.matchConstraints;
      const matchConstraints = about && { ...about, resourceRules: about.resourceRules!.map(withoutDeletions) };
      await created(
        root.post(mutatingPolicies, mutatingPolicyOf(name, { ...spec, ...(about && { matchConstraints }) })),
      );
      await created(root.post(mutatingBindings, mutatingPolicyBindingOf(name, binding)));
    },
    create: (data, metadata, by = root) => by.post(configMaps, configMap(`made-${made++}`, data, metadata)),
  };
};
